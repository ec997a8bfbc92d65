// Tests of a server whose database is damaged or lost.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, it } from 'mocha';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

export const token = 'damage-test-token-0123456789';
export const env = { SIGNALBOX_ADMIN_TOKEN: token };
export const headers = { Authorization: `Bearer ${token}` };

export const request = (server: ServerProcess, method: string, target: string, body?: object): Promise<unknown> =>
  requestOf(server, token, method, target, body);
export const databaseIn = (folder: string): string => path.join(folder, 'signalbox.sqlite');
export const snapshotsIn = (folder: string): readonly string[] =>
  existsSync(path.join(folder, 'snapshots')) ? readdirSync(path.join(folder, 'snapshots')).toSorted() : [];

export async function stopInOrder(server: ServerProcess): Promise<void> {
  server.child.kill('SIGTERM');
  assert.equal(await server.ended, 0);
  await server.stop();
}

/**
 * Prepares, before the tests of a group, a folder with a project and a snapshot named monday, whose server was shut down cleanly. Returns a
 * function that copies it to another folder and returns the arguments of its server.
 */
export function filledFolder(): (folder: string) => readonly string[] {
  let prepared: ReturnType<typeof temporaryFolder>;
  before(async () => {
    prepared = temporaryFolder();
    const server = await spawnServer(['serve', '--data', prepared.path], { env });
    await request(server, 'POST', '/api/v4/projects', { name: 'Relay' });
    await request(server, 'POST', '/_local/snapshots', { name: 'monday' });
    await stopInOrder(server);
  });
  after(() => prepared?.[Symbol.dispose]());
  return (folder) => {
    cpSync(prepared.path, folder, { recursive: true });
    return ['serve', '--data', folder];
  };
}

/** Ways to lose a database, with the text of the refusal. */
export const losses: readonly (readonly [title: string, lose: (file: string) => void, text: RegExp])[] = [
  ['empty', (file: string) => truncateSync(file, 0), /is empty, but \S+ shows that it contained data/],
  [
    'truncated to half its size',
    (file: string) => truncateSync(file, statSync(file).size / 2),
    /is truncated: it has \d+ of \d+ bytes/,
  ],
  ['truncated after its header', (file: string) => truncateSync(file, 100), /is truncated/],
  [
    'empty beside its write-ahead log',
    (file: string) => {
      truncateSync(file, 0);
      writeFileSync(`${file}-wal`, 'what was written last');
    },
    /is empty, but its write-ahead log exists/,
  ],
  [
    'gone, with its write-ahead log left',
    (file: string) => {
      rmSync(file);
      writeFileSync(`${file}-wal`, 'what was written last');
    },
    /is missing, but its write-ahead log exists/,
  ],
  ['missing', (file: string) => rmSync(file), /is missing, but \S+ shows that it contained data/],
];

/** Declares a test for each way to lose a database. */
export function testLosses(chosen: typeof losses, filled: ReturnType<typeof filledFolder>): void {
  for (const [title, lose, text] of chosen) {
    it(`a database that is ${title} is not replaced by a new one, and can be restored or reset`, async () => {
      using folder = temporaryFolder();
      const args = filled(folder.path);
      const file = databaseIn(folder.path);
      lose(file);
      const before = existsSync(file) ? readFileSync(file) : undefined;
      await using refused = await spawnServer(args, { env });
      assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code: 'database_damaged' });
      assert.match(String(refused.line['message']), text);
      assert.match(String(refused.line['hint']), /--restore monday .*--reset/);
      assert.equal(await refused.ended, 1);
      assert.deepEqual(existsSync(file) ? readFileSync(file) : undefined, before, 'it is left as it was');
      const isAnythingLeft = existsSync(file) || existsSync(`${file}-wal`);
      const anew = await spawnServer([...args, '--reset'], { env });
      assert.deepEqual(await request(anew, 'GET', '/api/v4/projects'), []);
      await stopInOrder(anew);
      assert.equal(
        snapshotsIn(folder.path).some((name) => name.startsWith('damaged-before-reset-')),
        isAnythingLeft,
      );
      await using restored = await spawnServer([...args, '--restore', 'monday'], { env });
      assert.partialDeepStrictEqual(await request(restored, 'GET', '/api/v4/projects'), [{ name: 'Relay' }]);
    });
  }
}
