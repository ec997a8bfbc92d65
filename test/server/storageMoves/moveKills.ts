import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { ADMIN_TOKEN, clonedProject, commitFile, headOf } from '../smartHttp/pushKills.ts';
import { tokensByDeviceGrant } from '../../support/deviceGrant.ts';
import { testEnvironment } from '../../support/environment.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { until } from '../../support/until.ts';
import type { MoveKillPoint } from '../../support/moveKillPoint.ts';

// Tests of a server with two storages that is killed during moves.

/** Folders of a server with the storage `second`. */
export interface Folders {
  readonly data: string;
  readonly second: string;
}

export function foldersIn(folder: string): Folders {
  return { data: path.join(folder, 'data'), second: path.join(folder, 'second') };
}

export function serveStorages({ data, second }: Folders, killPoint?: MoveKillPoint): Promise<ServerProcess> {
  return spawnServer(['serve', '--data', data, '--storage', `second=${second}`, '--port', '0'], {
    env: {
      SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN,
      ...(killPoint === undefined ? {} : { SIGNALBOX_TEST_KILL_POINT: killPoint }),
    },
    ...(killPoint === undefined ? {} : { preload: path.join(import.meta.dirname, '../../support/moveKillPoint.ts') }),
  });
}

interface Storage {
  /** Number of moves away from the storage by state. */
  readonly moves: Readonly<Record<string, number>>;
}

/** Waits until all moves have ended, and checks that all were successful. */
export async function allFinished(server: ServerProcess): Promise<void> {
  const storages = await until(
    async () => (await requestOf(server, ADMIN_TOKEN, 'GET', '/_local/storages')) as Storage[],
    (list) => list.every(({ moves }) => ['initial', 'scheduled', 'started', 'replicated'].every((state) => moves[state] === 0)),
    'the moves end',
  );
  for (const { moves } of storages) assert.partialDeepStrictEqual(moves, { failed: 0, 'cleanup failed': 0 });
  assert.ok(storages.some(({ moves }) => (moves['finished'] ?? 0) > 0));
}

/** Schedules the move of a project of root. */
export async function startMove(server: ServerProcess, name: string, destination: string): Promise<void> {
  await requestOf(server, ADMIN_TOKEN, 'POST', `/api/v4/projects/root%2F${name}/repository_storage_moves`, {
    destination_storage_name: destination,
  });
}

/** Returns the storages with what is in the folder of their repositories, by the name of the entry. */
function entriesByStorage({ data, second }: Folders): ReadonlyMap<string, readonly string[]> {
  const roots = { default: path.join(data, 'repositories/default'), second };
  return new Map(
    Object.entries(roots).map(([storage, root]) => {
      const hashed = path.join(root, '@hashed');
      const all = existsSync(hashed) ? readdirSync(hashed, { recursive: true, encoding: 'utf8' }) : [];
      return [storage, all.filter((name) => /^..[/\\]..[/\\][^/\\]+$/.test(name)).map((name) => path.join(hashed, name))];
    }),
  );
}

/** Checks that each repository is sound and on one storage, with nothing left behind by moves. Returns the number of repositories by storage. */
export function checkStorages(folders: Folders): Readonly<Record<string, number>> {
  const entries = entriesByStorage(folders);
  const all = [...entries.values()].flat();
  for (const folder of all) {
    assert.match(path.basename(folder), /^[0-9a-f]{64}\.git$/);
    execFileSync('git', ['--git-dir', folder, 'fsck', '--full', '--strict'], { env: testEnvironment(['git']), stdio: 'pipe' });
  }
  // A link of a moved repository has the same name as the repository.
  const names = all.map((folder) => path.basename(folder));
  assert.equal(new Set(names).size, names.length, all.join('\n'));
  return Object.fromEntries([...entries].map(([storage, list]) => [storage, list.length]));
}

/** Stops a server like a user does. */
export async function endOf({ child, ended }: ServerProcess): Promise<void> {
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
}

/** Steps of a move at which a server is killed. */
export const movePoints: readonly (readonly [point: MoveKillPoint, when: string, hasSnapshot: boolean])[] = [
  ['scheduled', 'after it was scheduled', false],
  ['started', 'after it was started', true],
  ['copied', 'after the repository was copied', false],
  ['verified', 'after the copy was verified', true],
  ['renamed', 'after the copy was renamed', false],
  ['switched', 'after the project was switched to the copy', true],
  ['linked', 'while the old copy was removed', true],
  ['removed', 'after the old copy was removed', false],
  ['finished', 'after it was finished', true],
];

/** Declares a test for each of the points. */
export function describeMoveKills(points: typeof movePoints): void {
  describe('a server killed during a move of a repository', () => {
    for (const [point, when, hasSnapshot] of points) {
      it(`continues the move at the next start when it was killed ${when}${hasSnapshot ? ', with a snapshot' : ''}`, async () => {
        using container = temporaryFolder();
        const folders = foldersIn(container.path);
        const clone = path.join(container.path, 'clone');
        await using killed = await serveStorages(folders, point);
        const { access_token: token } = await tokensByDeviceGrant(killed.origin, ADMIN_TOKEN, 'root');
        const git = await clonedProject(killed, token, 'lamps', clone);
        const pushed = await commitFile(git, clone, 'b.txt');
        await git.succeed('push', '-q', 'origin', 'main');
        if (hasSnapshot) await requestOf(killed, ADMIN_TOKEN, 'POST', '/_local/snapshots', { name: 'before' });
        // The server can be killed before it responds.
        await startMove(killed, 'lamps', 'second').catch(() => undefined);
        assert.equal(await killed.ended, 'SIGKILL');

        await using server = await serveStorages(folders);
        await allFinished(server);
        const address = addressOf(server, 'root/lamps', token);
        const again = path.join(container.path, 'again');
        await gitClient(container.path).succeed('clone', '-q', address, again);
        assert.equal((await gitClient(again).succeed('rev-parse', 'HEAD')).trim(), pushed);
        const last = await commitFile(git, clone, 'c.txt');
        await git.succeed('push', '-q', address, 'main');
        assert.equal(await headOf(server, token, 'lamps', git), last);
        await endOf(server);
        assert.deepEqual(checkStorages(folders), { default: 0, second: 1 });
      });
    }
  });
}
