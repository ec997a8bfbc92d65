import assert from 'node:assert/strict';
import { type Client, createClient } from '../../../src/api/client.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { type ActivityEvent, readActivityEvent } from '../../../src/contract/activity.ts';
import { loadFile } from '../../../src/pushDiff/file.ts';
import { hasPushDiff, loadPushDiff, type PushDiff } from '../../../src/pushDiff/model.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { type Actor, actor, projectWith } from '../../server/projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const COMMITS = '/api/v4/projects/1/repository/commits';

describe('the diff of a push', () => {
  let server: TestServer;
  let ada: Actor;
  let client: Client;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    projectWith(server.platform, ada, { name: 'Lamps' });
    const credentials = { token: async () => ada.token, renewed: async () => undefined };
    client = createClient({ baseUrl: server.origin, send: sendByFetch, credentials, now: Date.now, sleep });
    await commit('main', [{ action: 'create', file_path: 'a.txt', content: 'one\n' }]);
  });
  afterEach(() => server.close());

  async function commit(branch: string, actions: readonly object[], from?: string): Promise<void> {
    const start = from === undefined ? {} : { start_branch: from };
    await post(COMMITS, { branch, commit_message: `Change ${branch}`, actions, ...start });
  }

  async function post(path: string, json: object): Promise<void> {
    const response = await server.request('POST', path, { token: ada.token, json });
    assert.equal(response.status, 201, response.text);
  }

  async function newestPush(): Promise<ActivityEvent> {
    const { items } = await client.list('/projects/1/events', readActivityEvent, { action: 'pushed' });
    const [event] = items;
    assert.ok(event !== undefined && event.push_data !== null);
    return event;
  }

  async function diffOfNewest(): Promise<PushDiff> {
    const { push_data: push } = await newestPush();
    assert.ok(push !== null);
    return loadPushDiff(client, 1, push);
  }

  async function filesOfNewest(): Promise<PushDiff & { kind: 'files' }> {
    const diff = await diffOfNewest();
    assert.ok(diff.kind === 'files', JSON.stringify(diff));
    return diff;
  }

  it('of a branch has the files between its commits, with the content before and after', async () => {
    await commit('main', [
      { action: 'update', file_path: 'a.txt', content: 'two\n' },
      { action: 'create', file_path: 'lamps/b.txt', content: 'new\n' },
    ]);
    const { before, after, files, isTruncated } = await filesOfNewest();
    assert.deepEqual(
      files.map((file) => [file.new_path, file.new_file]),
      [
        ['a.txt', false],
        ['lamps/b.txt', true],
      ],
    );
    assert.equal(isTruncated, false);
    assert.ok(before !== undefined);
    const content = (sha: string, path: string): Promise<string> => loadFile(client, { project: 1, commit: sha, path }, 'en');
    assert.equal(await content(before, 'a.txt'), 'one\n');
    assert.equal(await content(after, 'a.txt'), 'two\n');
    assert.equal(await content(after, 'lamps/b.txt'), 'new\n');
  });

  it('of a new branch has only what the default branch does not have', async () => {
    await commit('dim', [{ action: 'create', file_path: 'dim.txt', content: 'dim\n' }], 'main');
    assert.deepEqual(
      (await filesOfNewest()).files.map((file) => file.new_path),
      ['dim.txt'],
    );
  });

  it('of the first push has all files as new files', async () => {
    const { before, files } = await filesOfNewest();
    assert.equal(before, undefined);
    assert.deepEqual(
      files.map((file) => [file.new_path, file.new_file]),
      [['a.txt', true]],
    );
  });

  it('of a tag has the changes of its commit', async () => {
    await commit('main', [{ action: 'update', file_path: 'a.txt', content: 'two\n' }]);
    await post('/api/v4/projects/1/repository/tags', { tag_name: 'v1', ref: 'main', message: 'First' });
    const event = await newestPush();
    assert.equal(event.push_data?.ref_type, 'tag');
    assert.deepEqual(
      (await filesOfNewest()).files.map((file) => file.new_path),
      ['a.txt'],
    );
  });

  it('does not exist for a removed branch, several branches at once, or a branch without new commits', async () => {
    const { push_data: push } = await newestPush();
    assert.ok(push !== null);
    for (const [other, reason] of [
      [{ ...push, action: 'removed' }, /^This push removed main\./],
      [{ ...push, ref: null, ref_count: 5 }, /^This push changed several branches or tags at once\./],
      [{ ...push, action: 'created', commit_count: 0, commit_from: null }, /without new commits\.$/],
    ] as const) {
      assert.equal(hasPushDiff(other), false);
      const diff = await loadPushDiff(client, 1, other);
      assert.ok(diff.kind === 'nothing');
      assert.match(diff.reason, reason);
    }
  });

  it('says that the commits are gone', async () => {
    const { push_data: push } = await newestPush();
    assert.ok(push !== null);
    const diff = await loadPushDiff(client, 1, { ...push, commit_from: 'a'.repeat(40), commit_to: 'b'.repeat(40) });
    assert.ok(diff.kind === 'nothing');
    assert.match(diff.reason, /no longer exist/);
  });

  it('labels binary and large files, and files that a commit does not have', async () => {
    await commit('main', [
      { action: 'create', file_path: 'lamp.png', encoding: 'base64', content: Buffer.from([1, 0, 2]).toString('base64') },
      { action: 'create', file_path: 'large.txt', content: 'x'.repeat(2 * 1024 * 1024 + 1) },
    ]);
    const { after } = await filesOfNewest();
    const content = (path: string): Promise<string> => loadFile(client, { project: 1, commit: after, path }, 'en');
    assert.match(await content('lamp.png'), /^Binary file: 3 bytes, blob [0-9a-f]{8}$/);
    assert.match(await content('large.txt'), /^Large file: 2\.1 MB, blob [0-9a-f]{8}$/);
    assert.match(await content('none.txt'), /^No file at commit [0-9a-f]{8}\./);
  });
});
