import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createBranch } from '../../../server/features/pushes/refUpdates.ts';
import { createMergeRequest } from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const READ_ONLY = 'The repository is temporarily read-only. Please try again later.';

describe('refusals of storage moves', () => {
  let server: TestServer;
  let ada: Actor;
  let folder: string;
  let target: string;
  let found: ReturnType<typeof projectWith>;
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-refusals-'));
    server = await startTestServer({ storages: { second: path.join(folder, 'second') } });
    const { platform } = server;
    ada = actor(platform, 'ada');
    found = projectWith(platform, ada, { name: 'Lamps' });
    target = `/api/v4/projects/${found.project.id}`;
    await commitFiles(platform, found, ada, { 'a.txt': 'lamp\n' });
    await createBranch(platform, found, ada.user, 'next', 'main');
    await commitFiles(platform, found, ada, { 'b.txt': 'next\n' }, { branch: 'next' });
    createMergeRequest(platform, { source: found, target: found }, ada.user, {
      title: 'Merge',
      sourceBranch: 'next',
      targetBranch: 'main',
    });
  });
  after(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const as = (token: string | undefined, method: string, address: string, json?: unknown) =>
    server.request(method, address, { ...(token === undefined ? {} : { token }), ...(json === undefined ? {} : { json }) });

  it('only administrators see and schedule moves', async () => {
    for (const address of ['/api/v4/project_repository_storage_moves', `${target}/repository_storage_moves`]) {
      const forbidden = await as(ada.token, 'GET', address);
      assert.equal(forbidden.status, 403);
      assert.deepEqual(forbidden.json(), { message: '403 Forbidden' });
      assert.equal((await as(undefined, 'GET', address)).status, 401);
      assert.equal((await as(ada.token, 'POST', address, { source_storage_name: 'default' })).status, 403);
    }
  });

  it('unknown storages, containers and moves are refused', async () => {
    const single = await as(server.adminToken, 'POST', `${target}/repository_storage_moves`, { destination_storage_name: 'no' });
    assert.equal(single.status, 400);
    assert.deepEqual(single.json(), { message: { destination_storage_name: ['is not included in the list'] } });
    const all = '/api/v4/project_repository_storage_moves';
    const bulk = await as(server.adminToken, 'POST', all, { source_storage_name: 'no' });
    assert.deepEqual([bulk.status, bulk.json()], [400, { error: 'source_storage_name does not have a valid value' }]);
    const missing = await as(server.adminToken, 'POST', all, {});
    assert.deepEqual([missing.status, missing.json()], [400, { error: 'source_storage_name is missing' }]);
    const move = await as(server.adminToken, 'GET', `${all}/999`);
    assert.deepEqual([move.status, move.json()], [404, { message: '404 Not found' }]);
    assert.equal((await as(server.adminToken, 'POST', '/api/v4/projects/999/repository_storage_moves', {})).status, 404);
  });

  it('every write to a repository is refused while it is moved, and a clone works', async () => {
    const { platform } = server;
    const files = [{ path: 'a.txt', content: 'a' }];
    const snippet = await createSnippet(platform, ada.user, { title: 'a', visibility: 'private', files });
    platform.clock.freeze(platform.clock.now());
    try {
      await as(server.adminToken, 'POST', `${target}/repository_storage_moves`, { destination_storage_name: 'second' });
      const again = await as(server.adminToken, 'POST', `${target}/repository_storage_moves`, {});
      assert.deepEqual([again.status, again.json()], [400, { message: { project: ['is read-only'] } }]);
      const snippetMoves = `/api/v4/snippets/${snippet.id}/repository_storage_moves`;
      await as(server.adminToken, 'POST', snippetMoves, { destination_storage_name: 'second' });
      const change = { branch: 'main', commit_message: 'More', content: 'more' };
      const actions = [{ action: 'create', file_path: 'd.txt', content: 'd' }];
      for (const [method, address, json] of [
        ['POST', `${target}/repository/branches`, { branch: 'more', ref: 'main' }],
        ['DELETE', `${target}/repository/branches/next`, undefined],
        ['POST', `${target}/repository/tags`, { tag_name: 'v1', ref: 'main' }],
        ['POST', `${target}/releases`, { tag_name: 'v2', ref: 'main' }],
        ['POST', `${target}/repository/files/c.txt`, change],
        ['PUT', `${target}/repository/files/a.txt`, change],
        ['DELETE', `${target}/repository/files/a.txt`, { branch: 'main', commit_message: 'Less' }],
        ['POST', `${target}/repository/commits`, { branch: 'main', commit_message: 'More', actions }],
        ['PUT', `${target}/merge_requests/1/merge`, {}],
        ['PUT', target, { default_branch: 'next' }],
        ['PUT', `/api/v4/snippets/${snippet.id}`, { content: 'b' }],
      ] as const) {
        const response = await as(ada.token, method, address, json);
        assert.equal(response.status, 403, `${method} ${address}: ${response.text}`);
        assert.deepEqual(response.json(), { message: READ_ONLY }, `${method} ${address}`);
      }
      const git = gitClient(folder);
      await git.succeed('clone', addressOf(server, found.project.full_path, ada.token), 'during');
    } finally {
      platform.clock.reset();
    }
    await until(
      async () => (await as(server.adminToken, 'GET', '/api/v4/projects?repository_storage=default')).text,
      (text) => text === '[]',
      'the move ends',
    );
  });
});
