// Tests of the data of a server in a folder.
import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { it } from 'mocha';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

export const token = 'data-process-test-token-0123456789';
export const env = { SIGNALBOX_ADMIN_TOKEN: token };

export const request = (server: ServerProcess, method: string, target: string, body?: object): Promise<unknown> =>
  requestOf(server, token, method, target, body);

export async function projectsOf(server: ServerProcess): Promise<readonly string[]> {
  const list = (await request(server, 'GET', '/api/v4/projects?per_page=100')) as readonly { readonly name: string }[];
  return list.map(({ name }) => name).toSorted();
}

export const addProject = (server: ServerProcess, name: string): Promise<unknown> =>
  request(server, 'POST', '/api/v4/projects', { name });
export const snapshotsIn = (folder: string): readonly string[] => readdirSync(path.join(folder, 'snapshots')).toSorted();

/** Snapshots that cannot be restored, with the code of the refusal. */
export const oddSnapshots: readonly (readonly [title: string, content: (file: string) => void, code: string])[] = [
  ['a later program', (file: string) => pragma(file, 'user_version = 9999'), 'database_newer'],
  ['another program', (file: string) => pragma(file, 'application_id = 7'), 'database_foreign'],
  ['no program at all', (file: string) => writeFileSync(file, 'no database'.repeat(20)), 'database_damaged'],
];

/** Declares a test for each of the snapshots. */
export function testOddSnapshots(chosen: typeof oddSnapshots): void {
  for (const [title, content, code] of chosen) {
    it(`the data is unchanged when the snapshot is of ${title}, with a message`, async () => {
      using folder = temporaryFolder();
      const args = ['serve', '--data', folder.path];
      const first = await spawnServer(args, { env });
      await addProject(first, 'Relay');
      await request(first, 'POST', '/_local/snapshots', { name: 'odd' });
      await first.stop();
      content(path.join(folder.path, 'snapshots', 'odd.sqlite'));
      await using refused = await spawnServer([...args, '--restore', 'odd'], { env });
      assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code });
      await using second = await spawnServer(args, { env });
      assert.deepEqual(await projectsOf(second), ['Relay']);
      assert.deepEqual(snapshotsIn(folder.path), ['odd.sqlite']);
      assert.ok(!readdirSync(folder.path).some((file) => file.includes('.part')));
    });
  }
}

function pragma(file: string, text: string): void {
  const connection = new Database(file);
  connection.pragma(text);
  connection.close();
}
