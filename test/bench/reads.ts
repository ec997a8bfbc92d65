import { cpSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject } from '../../src/contract/json.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { startProfiled } from './costs.ts';
import { type Ratio, startSubject, type Subject } from './harness.ts';
import { bareArguments, comparedWithBare, type Read, recordedRead, slowerReads, untilQuiet } from './reading.ts';
import { ADMIN_TOKEN as token, timedStart } from './timedStart.ts';

const signedIn = { 'PRIVATE-TOKEN': token };

/** Project of the demo data with tracked errors, packages and images. */
const PROJECT = 'amara/berth-api';
const GROUP = 'tidemark';

/** Measures reads of the demo data: single objects, and every list with keyset pagination. */
export async function reads(): Promise<readonly Ratio[]> {
  using container = temporaryFolder();
  const [folder, copy] = [path.join(container.path, 'data'), path.join(container.path, 'copy')];
  const program = path.join(DIST, 'server.js');
  const args = (data: string): readonly string[] => ['serve', '--data', data, '--log-level', 'error', '--seed', 'demo'];
  const env = { SIGNALBOX_ADMIN_TOKEN: token };
  await timedStart({ args: [program, ...args(folder)], env, target: '/api/v4/user', signal: 'SIGTERM' });
  const filling = await startSubject([program, ...args(folder)], env);
  await addClientKey(filling);
  await untilQuiet(filling);
  await filling.stop();
  cpSync(folder, copy, { recursive: true });
  await using started = new AsyncDisposableStack();
  const profiled = started.adopt(await startProfiled(args(copy), env), (subject) => subject.stop());
  const rows = await readsOf(profiled);
  const start = async (args: readonly string[]) => started.adopt(await startSubject(args, env), (subject) => subject.stop());
  const server = await start([...slowerReads(rows), program, ...args(folder)]);
  await untilQuiet(server);
  const recordings = [];
  for (const row of rows) {
    // The first request may write, for example when the token was used.
    await recordedRead(server, row);
    recordings.push(await recordedRead(server, row));
  }
  const bare = await start(bareArguments(container.path, Object.fromEntries(recordings)));
  const ratios: Ratio[] = [];
  const of = 'processor time per request, bare node:http that sends the same JSON / server';
  for (const row of rows) ratios.push(await comparedWithBare({ server, profiled, bare }, row, of));
  return ratios;
}

/** Returns the requests that are measured. */
async function readsOf(server: Subject): Promise<readonly Read[]> {
  const project = `/projects/${await idOf(server, `/projects/${encodeURIComponent(PROJECT)}`)}`;
  const group = `/groups/${await idOf(server, `/groups/${GROUP}`)}`;
  const images = `${project}/registry/repositories`;
  const tags = `${images}/${await idOf(server, images)}/tags`;
  const pipelines = `${project}/packages/${await idOf(server, `${project}/packages`)}/pipelines`;
  const read = (path: string, rows: number | undefined, atLeast: number, headers: Read['headers'] = signedIn): Read => ({
    name: `GET ${path}`,
    target: `/api/v4${path}`,
    headers,
    ...(rows === undefined ? {} : { rows }),
    limit: { atLeast },
  });
  return [
    read('/projects', 16, 0.28),
    read(project, undefined, 0.31),
    read('/user', undefined, 0.42),
    read(`${project}/error_tracking/client_keys`, 2, 0.31),
    read(`${project}/error_tracking/errors`, 20, 0.27),
    read('/audit_events?pagination=keyset', 20, 0.4),
    read(`${group}/audit_events?pagination=keyset`, 7, 0.28),
    read(`${project}/audit_events?pagination=keyset`, 15, 0.35),
    // Only anonymous callers get groups by keyset.
    read('/groups?pagination=keyset&order_by=name&sort=asc', 1, 0.33, {}),
    read(pipelines, 4, 0.26),
    read(`${project}/jobs?pagination=keyset`, 20, 0.39),
    read('/projects?pagination=keyset&order_by=id', 16, 0.3),
    read('/users?pagination=keyset&order_by=id', 8, 0.31),
    read(`${tags}?pagination=keyset&order_by=name`, 5, 0.31),
    read(`${project}/repository/tree?pagination=keyset`, 3, 0.27),
    read(`${project}/issues?pagination=keyset&order_by=created_at`, 20, 0.3),
  ];
}

/** Adds a second client key to the project. */
async function addClientKey({ origin }: Subject): Promise<void> {
  const address = `${origin}/api/v4/projects/${encodeURIComponent(PROJECT)}/error_tracking/client_keys`;
  const response = await fetch(address, { method: 'POST', headers: signedIn });
  if (response.status !== 201) throw new Error(`${address} returned ${response.status}: ${await response.text()}`);
}

/** Returns the ID of an object, or of the first one of a list. */
async function idOf({ origin }: Subject, path: string): Promise<number> {
  const response = await fetch(`${origin}/api/v4${path}`, { headers: signedIn });
  const value: unknown = await response.json();
  const [object]: unknown[] = Array.isArray(value) ? value : [value];
  if (!isJsonObject(object) || typeof object['id'] !== 'number') throw new Error(`${path} returned ${JSON.stringify(value)}`);
  return object['id'];
}
