import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { commitFiles } from '../../server/git/repository.ts';
import { actor, projectWith } from '../../server/projects/cast.ts';
import { testEnvironment } from '../../support/environment.ts';
import { clientTest, goProgram, programOnPath } from '../../support/clientSuite.ts';
import { addressOf, environment, gitClient } from '../../support/gitClient.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const run = promisify(execFile);

/** Starts a server with the project `ada/lamps`, and an empty folder. */
async function start() {
  const server = await startTestServer();
  const ada = actor(server.platform, 'ada');
  const found = projectWith(server.platform, ada, { name: 'Lamps' });
  await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-merge-request-'));
  return {
    server,
    ada,
    folder,
    [Symbol.asyncDispose]: async () => {
      rmSync(folder, { recursive: true, force: true });
      await server.close();
    },
  };
}

/** Commits a file to a new branch of a clone and pushes it. Returns the ID of the commit. */
async function pushBranch(clone: string, branch: string): Promise<string> {
  const git = gitClient(clone);
  await git.succeed('checkout', '--quiet', '-b', branch);
  writeFileSync(path.join(clone, 'colors.txt'), 'red\n');
  await git.succeed('add', 'colors.txt');
  await git.succeed('commit', '--quiet', '-m', 'Add colors');
  await git.succeed('push', '--quiet', 'origin', branch);
  return (await git.succeed('rev-parse', 'HEAD')).trim();
}

export function testMergeRequest(): void {
  clientTest(
    'git and the Go client clone, push a branch, create a merge request and check it out, as glab does',
    () => goProgram(path.join(import.meta.dirname, 'gitlab')),
    async (command) => {
      await using given = await start();
      const { server, ada, folder } = given;
      const clone = path.join(folder, 'lamps');
      await gitClient(folder).succeed('clone', '--quiet', addressOf(server, 'ada/lamps', ada.token), clone);
      const sha = await pushBranch(clone, 'colors');
      const env = testEnvironment([], { ORIGIN: server.origin, TOKEN: ada.token, PROJECT: 'ada/lamps', BRANCH: 'colors' });
      const { stdout } = await run(command, ['merge-request'], { env });
      const address = `${server.origin}/ada/lamps.git`;
      assert.deepEqual(JSON.parse(stdout), { clone: address, iid: 1, sha, source: 'colors', target: 'main', open: 1 });

      const other = path.join(folder, 'other');
      await gitClient(folder).succeed('clone', '--quiet', addressOf(server, 'ada/lamps', ada.token), other);
      const git = gitClient(other);
      await git.succeed('fetch', '--quiet', 'origin', 'refs/merge-requests/1/head:review');
      await git.succeed('checkout', '--quiet', 'review');
      assert.equal((await git.succeed('rev-parse', 'HEAD')).trim(), sha);
      assert.equal(readFileSync(path.join(other, 'colors.txt'), 'utf8'), 'red\n');
    },
  );
}

export function testGlab(): void {
  clientTest(
    'glab clones a project, creates a merge request and checks it out',
    () => programOnPath('glab'),
    async (glab) => {
      await using given = await start();
      const { server, ada, folder } = given;
      const env = glabEnvironment(server, ada.token, folder);
      const clone = path.join(folder, 'lamps');
      await run(glab, ['repo', 'clone', 'ada/lamps', clone], { cwd: folder, env });
      await gitClient(clone).succeed('remote', 'set-url', 'origin', addressOf(server, 'ada/lamps', ada.token));
      const sha = await pushBranch(clone, 'colors');
      await run(glab, ['mr', 'create', '--title', 'Add colors', '--description', '', '--yes'], { cwd: clone, env });
      await gitClient(clone).succeed('checkout', '--quiet', 'main');
      await run(glab, ['mr', 'checkout', '1'], { cwd: clone, env });
      assert.equal((await gitClient(clone).succeed('rev-parse', 'HEAD')).trim(), sha);
    },
  );
}

/** Returns the environment in which glab and git use the server with a token. */
function glabEnvironment(server: TestServer, token: string, folder: string): Record<string, string> {
  const { host } = new URL(server.origin);
  return {
    ...environment(folder),
    GITLAB_HOST: server.origin,
    GITLAB_TOKEN: token,
    API_PROTOCOL: 'http',
    GIT_PROTOCOL: 'https',
    GLAB_CONFIG_DIR: path.join(folder, '.glab'),
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: `url.http://oauth2:${token}@${host}/.insteadOf`,
    GIT_CONFIG_VALUE_0: `https://${host}/`,
    GIT_CONFIG_KEY_1: `url.http://oauth2:${token}@${host}/.insteadOf`,
    GIT_CONFIG_VALUE_1: `http://${host}/`,
  };
}
