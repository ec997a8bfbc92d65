import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { testEnvironment } from '../../support/environment.ts';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'git-process-test-token-0123456789';

const request = (server: ServerProcess, method: string, target: string, body?: object): Promise<unknown> =>
  requestOf(server, token, method, target, body);

const addProject = (server: ServerProcess, name: string): Promise<unknown> =>
  request(server, 'POST', '/api/v4/projects', { name, initialize_with_readme: true });

async function commit(server: ServerProcess, path: string, project = 1): Promise<string> {
  const made = await request(server, 'POST', `/api/v4/projects/${project}/repository/commits`, {
    branch: 'main',
    commit_message: `Add ${path}`,
    actions: [{ action: 'create', file_path: path, content: path }],
  });
  return (made as { id: string }).id;
}

async function filesOf(server: ServerProcess, project = 1): Promise<readonly string[]> {
  const tree = await request(server, 'GET', `/api/v4/projects/${project}/repository/tree`);
  return (tree as readonly { path: string }[]).map((entry) => entry.path);
}

const foldersIn = (root: string): readonly string[] => globSync(path.join(root, '**/@hashed/*/*/*'));

describe('the repositories of a server', function () {
  const env = { SIGNALBOX_ADMIN_TOKEN: token };

  it('the repositories of a server survive a kill, can be cloned from their folder, and follow resets and restored snapshots', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    const first = await spawnServer(args, { env });
    await addProject(first, 'Relay');
    const stored = await commit(first, 'kept');
    await request(first, 'POST', '/_local/snapshots', { name: 'kept' });
    await commit(first, 'later');
    await first.stop();

    const second = await spawnServer(args, { env });
    assert.deepEqual(await filesOf(second), ['README.md', 'kept', 'later']);
    const [repository = '', ...others] = foldersIn(folder.path);
    assert.deepEqual(others, []);
    const clone = path.join(folder.path, 'clone');
    execFileSync('git', ['clone', '--quiet', repository, clone], { env: testEnvironment(['git']) });
    assert.deepEqual(readdirSync(clone).toSorted(), ['.git', 'README.md', 'kept', 'later']);
    await second.stop();

    // The id of the project is reused by a project without a repository.
    const anew = await spawnServer([...args, '--reset'], { env });
    await request(anew, 'POST', '/api/v4/projects', { name: 'Relay' });
    assert.deepEqual(await request(anew, 'GET', '/api/v4/projects/1/repository/branches'), []);
    await commit(anew, 'anew');
    assert.deepEqual(await filesOf(anew), ['anew']);
    await anew.stop();

    await using restored = await spawnServer([...args, '--restore', 'kept'], { env });
    assert.deepEqual(await filesOf(restored), ['README.md', 'kept']);
    const head = execFileSync('git', ['--git-dir', repository, 'rev-parse', 'main'], {
      encoding: 'utf8',
      env: testEnvironment(['git']),
    });
    assert.equal(head.trim(), stored, 'the folder follows the database');
    await commit(restored, 'other');
    assert.deepEqual(await filesOf(restored), ['README.md', 'kept', 'other']);
  });

  it('repositories of deleted projects are removed at the next start unless a snapshot may contain them', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    const first = await spawnServer(args, { env });
    await addProject(first, 'Relay');
    await addProject(first, 'Point');
    await request(first, 'DELETE', '/api/v4/projects/1');
    await first.stop();
    assert.equal(foldersIn(folder.path).length, 2);
    await using second = await spawnServer(args, { env });
    assert.deepEqual(await filesOf(second, 2), ['README.md']);
    assert.equal(foldersIn(folder.path).length, 1);
    await request(second, 'POST', '/_local/snapshots', { name: 'kept' });
    await request(second, 'DELETE', '/api/v4/projects/2');
    await second.stop();
    await using third = await spawnServer(args, { env });
    await addProject(third, 'Lamp');
    assert.equal(foldersIn(folder.path).length, 2);
  });

  it('repositories of a server without a data folder are removed on exit, or by the next server after a kill', async () => {
    using folder = temporaryFolder();
    const temporary = { ...env, TMPDIR: folder.path };
    const killed = await spawnServer(['serve', '--memory'], { env: temporary });
    assert.deepEqual(readdirSync(folder.path), [], 'created on first use');
    await addProject(killed, 'Relay');
    await killed.stop();
    const [left = '', ...none] = readdirSync(folder.path);
    assert.match(left, /^signalbox-repositories-/);
    assert.deepEqual(none, []);

    const other = await spawnServer(['serve', '--memory'], { env: temporary });
    const next = await spawnServer(['serve', '--memory'], { env: temporary });
    await addProject(other, 'Relay');
    assert.ok(!existsSync(path.join(folder.path, left)));
    await addProject(next, 'Relay');
    assert.equal(readdirSync(folder.path).length, 2, 'the folder of a running server is kept');
    for (const server of [other, next]) {
      server.child.kill('SIGTERM');
      assert.equal(await server.ended, 0);
    }
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('without git on PATH, the server starts, serves, and reports that git is missing', async () => {
    await using server = await spawnServer(['serve', '--memory'], { env: { ...env, PATH: '' } });
    assert.equal(server.line['event'], 'listening');
    await request(server, 'POST', '/api/v4/projects', { name: 'Relay' });
    const response = await fetch(`${server.origin}/api/v4/projects/1/repository/tree`, { headers: { 'PRIVATE-TOKEN': token } });
    assert.equal(response.status, 503);
    assert.match(await response.text(), /Install Git so that the program git is found on PATH/);
  });
});
