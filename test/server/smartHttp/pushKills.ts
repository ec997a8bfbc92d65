import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { testEnvironment } from '../../support/environment.ts';
import { tokensByDeviceGrant } from '../../support/deviceGrant.ts';
import { addressOf, type GitClient, gitClient } from '../../support/gitClient.ts';
import type { PushKillPoint } from '../../support/pushKillPoint.ts';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

// Tests of a server with its data on disk that is killed during a push.

export const ADMIN_TOKEN = 'push-kills-token-0123456789';

export function serve(folder: string, more: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const preload = path.join(import.meta.dirname, '../../support/pushKillPoint.ts');
  const env = { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN, ...more };
  return spawnServer(['serve', '--data', folder, '--port', '0'], {
    env,
    ...(more['SIGNALBOX_TEST_KILL_POINT'] === undefined ? {} : { preload }),
  });
}

/** Creates a project with a first commit, and returns a clone of it. */
export async function clonedProject(server: ServerProcess, token: string, name: string, folder: string): Promise<GitClient> {
  await requestOf(server, token, 'POST', '/api/v4/projects', { name, initialize_with_readme: true });
  await gitClient(path.dirname(folder)).succeed('clone', '-q', addressOf(server, `root/${name}`, token), folder);
  return gitClient(folder);
}

/** Commits a new file and returns the ID of the commit. */
export async function commitFile(git: GitClient, folder: string, name: string): Promise<string> {
  writeFileSync(path.join(folder, name), name);
  await git.succeed('add', '--', name);
  await git.succeed('commit', '-q', '-m', `Add ${name}`);
  return (await git.succeed('rev-parse', 'HEAD')).trim();
}

/** Returns the newest commit of a project. Throws if the API and git show different ones. */
export async function headOf(server: ServerProcess, token: string, name: string, git: GitClient): Promise<string> {
  const url = `/api/v4/projects/root%2F${name}/repository/branches/main`;
  const branch = (await requestOf(server, token, 'GET', url)) as { readonly commit: { readonly id: string } };
  const shown = await git.succeed('ls-remote', addressOf(server, `root/${name}`, token), 'refs/heads/main');
  assert.equal(shown.slice(0, 40), branch.commit.id);
  return branch.commit.id;
}

/** Checks that all repositories of a data folder are sound and without quarantined objects. */
export function checkRepositories(data: string): void {
  const root = path.join(data, 'repositories/default/@hashed');
  const folders = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /^..\/..\/[0-9a-f]{64}\.git$/.test(name),
  );
  for (const name of folders) {
    const folder = path.join(root, name);
    execFileSync('git', ['--git-dir', folder, 'fsck', '--full', '--strict'], { env: testEnvironment(['git']), stdio: 'pipe' });
    const incoming = path.join(folder, 'incoming');
    assert.deepEqual(existsSync(incoming) ? readdirSync(incoming) : [], []);
  }
}

/** Steps of a push at which a server is killed, and whether the push is visible afterwards. */
export const pushPoints: readonly (readonly [point: PushKillPoint, when: string, isVisible: boolean])[] = [
  ['received', 'after it has received the pack', false],
  ['unpacked', 'after git has unpacked the objects', false],
  ['checked', 'after git has checked the objects', false],
  ['migrated', 'after the objects are in the repository, before the transaction ends', false],
  ['committed', 'after the transaction is on disk', true],
  ['refsWritten', 'after the refs of the folder are updated', true],
  ['reported', 'after the response is sent', true],
];

/** Declares a test for each of the points. */
export function describePushKills(points: typeof pushPoints): void {
  describe('a server killed during a push', () => {
    for (const [point, when, isVisible] of points) {
      it(`the push is ${isVisible ? 'complete' : 'invisible'} when the server is killed ${when}`, async () => {
        using container = temporaryFolder();
        const data = path.join(container.path, 'data');
        const clone = path.join(container.path, 'clone');
        const armed = path.join(container.path, 'armed');
        await using killed = await serve(data, { SIGNALBOX_TEST_KILL_POINT: point, SIGNALBOX_TEST_KILL_ARMED: armed });
        const { access_token: token } = await tokensByDeviceGrant(killed.origin, ADMIN_TOKEN, 'root');
        const git = await clonedProject(killed, token, 'lamps', clone);
        const before = await headOf(killed, token, 'lamps', git);
        const after = await commitFile(git, clone, 'b.txt');
        writeFileSync(armed, '');
        await git.run('push', 'origin', 'main');
        assert.equal(await killed.ended, 'SIGKILL');

        await using server = await serve(data);
        assert.equal(await headOf(server, token, 'lamps', git), isVisible ? after : before);
        checkRepositories(data);
        const last = await commitFile(git, clone, 'c.txt');
        await git.succeed('push', '-q', addressOf(server, 'root/lamps', token), 'main');
        assert.equal(await headOf(server, token, 'lamps', git), last);
      });
    }
  });
}
