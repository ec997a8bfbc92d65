import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startTestServer, TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { fillActivity } from './fillActivity.ts';
import { load, median, type Ratio, ratio, rounded, startSubject } from './harness.ts';
import { recordStatements } from './recordStatements.ts';

const ROUNDS = 5;
const EVENTS = 100_000;
const headers = { 'PRIVATE-TOKEN': token };

/** Measures `GET /events`: 20 of 100,000 events. */
export async function events(): Promise<Ratio> {
  return await againstBare('GET /events', '/api/v4/events', (response) => Array.isArray(response) && response.length === 20);
}

/** Measures `GET` of a single issue. */
export async function issue(): Promise<Ratio> {
  return await againstBare(
    'GET /projects/:id/issues/:issue_iid',
    '/api/v4/projects/1/issues/1',
    (response) => response instanceof Object,
  );
}

/** Compares the processor time of a GET request through the whole server with bare node:http doing the same SQL, hash and JSON work. */
async function againstBare(name: string, target: string, isGood: (response: unknown) => boolean): Promise<Ratio> {
  using folder = temporaryFolder();
  const file = path.join(folder.path, 'signalbox.sqlite');
  const recordingFile = path.join(folder.path, 'recording.json');
  {
    await using filling = await startTestServer({ file });
    fillActivity(filling.platform, EVENTS);
    await filling.request('GET', target, { headers });
    const { response, statements } = await recordStatements(filling.platform.store, () =>
      filling.request('GET', target, { headers }),
    );
    const items = response.json();
    if (response.status !== 200 || !isGood(items)) throw new Error(`${target} returned ${response.text.slice(0, 200)}`);
    const sent = [
      'content-type',
      'cache-control',
      'x-per-page',
      'x-page',
      'x-next-page',
      'x-prev-page',
      'link',
      'x-content-type-options',
      'x-frame-options',
      'x-request-id',
    ];
    writeFileSync(
      recordingFile,
      JSON.stringify({
        statements,
        items,
        headers: Object.fromEntries(
          sent.flatMap((name) => (response.headers.has(name) ? [[name, response.headers.get(name)]] : [])),
        ),
      }),
    );
  }
  const server = await startSubject([path.join(DIST, 'server.js'), 'serve', '--data', folder.path, '--log-level', 'error'], {
    SIGNALBOX_ADMIN_TOKEN: token,
  });
  const bare = await startSubject([path.join(import.meta.dirname, 'bareEvents.ts'), file, recordingFile]);
  try {
    const rounds: { server: Awaited<ReturnType<typeof load>>; bare: Awaited<ReturnType<typeof load>> }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      rounds.push({ server: await load(server, target, headers), bare: await load(bare, target, headers) });
    }
    return ratio(
      name,
      'processor time per request, bare node:http with the same SQL, hash and JSON / server',
      rounds.map((round) => round.bare.perRequest / round.server.perRequest),
      { atLeast: 0.45 },
      {
        serverMicroseconds: rounded(median(rounds.map((round) => round.server.perRequest))),
        bareMicroseconds: rounded(median(rounds.map((round) => round.bare.perRequest))),
        serverP99Milliseconds: rounded(median(rounds.map((round) => round.server.p99))),
      },
    );
  } finally {
    await server.stop();
    await bare.stop();
  }
}
