import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { startTestServer, TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { startProfiled } from './costs.ts';
import { fillActivity } from './fillActivity.ts';
import { checkSameWork, type Ratio, startSubject } from './harness.ts';
import { bareArguments, comparedWithBare, type Read, recordedRead, slowerReads, untilQuiet } from './reading.ts';
import { recordStatements } from './recordStatements.ts';

const EVENTS = 100_000;
const DATABASE = 'signalbox.sqlite';
const headers = { 'PRIVATE-TOKEN': token };

/** Measures `GET /events`: 20 of 100,000 events. */
export async function events(): Promise<Ratio> {
  return await againstBare({ name: 'GET /events', target: '/api/v4/events', headers, rows: 20, limit: { atLeast: 0.7 } });
}

/** Measures `GET` of a single issue. */
export async function issue(): Promise<Ratio> {
  return await againstBare({
    name: 'GET /projects/:id/issues/:issue_iid',
    target: '/api/v4/projects/1/issues/1',
    headers,
    limit: { atLeast: 0.7 },
  });
}

/** Compares a request through the whole server with bare node:http doing the same SQL, hash and JSON work. */
async function againstBare(read: Read): Promise<Ratio> {
  using container = temporaryFolder();
  const [folder, copy] = [path.join(container.path, 'data'), path.join(container.path, 'copy')];
  const recorded = await filled(folder, read);
  cpSync(folder, copy, { recursive: true });
  const args = (data: string): readonly string[] => ['serve', '--data', data, '--log-level', 'error'];
  const env = { SIGNALBOX_ADMIN_TOKEN: token };
  await using started = new AsyncDisposableStack();
  const start = async (args: readonly string[]) => started.adopt(await startSubject(args, env), (subject) => subject.stop());
  const server = await start([...slowerReads([read]), path.join(DIST, 'server.js'), ...args(folder)]);
  const profiled = started.adopt(await startProfiled(args(copy), env), (subject) => subject.stop());
  const reads = Object.fromEntries([await recordedRead(server, read, recorded.statements)]);
  const text = recorded.text.replaceAll(recorded.origin, server.origin);
  checkSameWork('response of the built server and of the sources', JSON.stringify(reads[read.target]?.value), text);
  const bare = await start(bareArguments(container.path, reads, path.join(folder, DATABASE)));
  await untilQuiet(server);
  return await comparedWithBare(
    { server, profiled, bare },
    read,
    'processor time per request, bare node:http with the same SQL, hash and JSON / server',
  );
}

/** Fills a data folder with events that leave no work behind. Returns the statements and the response of a request. */
async function filled(folder: string, { target }: Read) {
  mkdirSync(folder);
  await using filling = await startTestServer({ file: path.join(folder, DATABASE) });
  fillActivity(filling.platform, EVENTS);
  // The first request writes when the token was used.
  await filling.request('GET', target, { headers });
  const { response, statements } = await recordStatements(filling.platform.store, () =>
    filling.request('GET', target, { headers }),
  );
  return { statements, text: response.text, origin: filling.origin };
}
