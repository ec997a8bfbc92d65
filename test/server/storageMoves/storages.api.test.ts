import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith, rootOf } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

interface Usage {
  readonly name: string;
  readonly projects: number;
  readonly snippets: number;
  readonly groups: number;
  readonly bytes: number;
  readonly moves: Readonly<Record<string, number>>;
}

describe('repository storages', () => {
  let server: TestServer;
  let ada: Actor;
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-storages-'));
    server = await startTestServer({ storages: { second: path.join(folder, 'second') } });
    ada = actor(server.platform, 'ada');
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const request = (method: string, target: string, json?: unknown) =>
    server.request(method, target, { token: server.adminToken, ...(json === undefined ? {} : { json }) });
  const setWeights = (weights: unknown) =>
    request('PUT', '/api/v4/application/settings', { repository_storages_weighted: weights });
  const usage = async (): Promise<readonly Usage[]> => (await request('GET', '/_local/storages')).json() as Usage[];

  it('gives new projects, snippets and groups a storage by weight', async () => {
    assert.equal((await setWeights({ second: 10 })).status, 200);
    const { platform } = server;
    const { project } = projectWith(platform, ada, { name: 'Lamps' });
    const found = projectWith(platform, ada, { name: 'Masts' });
    await commitFiles(platform, found, ada, { 'a.txt': 'mast\n' });
    const group = createGroup(platform, rootOf(platform), { name: 'Signals', path: 'signals' });
    await createSnippet(platform, ada.user, { title: 'a', visibility: 'private', files: [{ path: 'a', content: 'a' }] });
    const listed = (await request('GET', '/api/v4/projects?repository_storage=second&order_by=id&sort=asc')).json();
    assert.deepEqual(
      (listed as { id: number; repository_storage: string }[]).map(({ id, repository_storage: name }) => [id, name]),
      [
        [project.id, 'second'],
        [found.project.id, 'second'],
      ],
    );
    const groups = (await request('GET', '/api/v4/groups?repository_storage=second')).json();
    assert.partialDeepStrictEqual(groups, [{ id: group.group.id, repository_storage: 'second' }]);
    const snippets = (await request('GET', '/api/v4/snippets/all')).json();
    assert.partialDeepStrictEqual(snippets, [{ repository_storage: 'second' }]);
    const [first, second] = await usage();
    assert.partialDeepStrictEqual(first, { name: 'default', default: true, weight: 0, projects: 0, snippets: 0, groups: 0 });
    assert.partialDeepStrictEqual(second, { name: 'second', default: false, weight: 10, projects: 2, snippets: 1, groups: 1 });
    assert.ok((second?.bytes ?? 0) > 0);
  });

  it('refuses weights of unknown storages and weights that are no percentage', async () => {
    const refused = await setWeights({ third: 1, second: 101, default: 'many' });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.json(), {
      message: {
        repository_storages_weighted: [
          "can't include: third",
          "value for 'second' must be between 0 and 100",
          "value for 'default' must be an integer",
        ],
      },
    });
    const settings = (await request('GET', '/api/v4/application/settings')).json();
    assert.partialDeepStrictEqual(settings, { repository_storages_weighted: { default: 100, second: 0 } });
  });

  it('moves all projects, snippets and groups of a storage', async () => {
    const { platform } = server;
    const found = projectWith(platform, ada, { name: 'Lamps' });
    await commitFiles(platform, found, ada, { 'a.txt': 'lamp\n' });
    for (let index = 0; index < 3; index += 1) projectWith(platform, ada, { name: `Empty ${index}` });
    createGroup(platform, rootOf(platform), { name: 'Signals', path: 'signals' });
    await createSnippet(platform, ada.user, { title: 'a', visibility: 'private', files: [{ path: 'a', content: 'a' }] });
    for (const kind of ['project', 'snippet', 'group']) {
      const response = await request('POST', `/api/v4/${kind}_repository_storage_moves`, {
        source_storage_name: 'default',
        destination_storage_name: 'second',
      });
      assert.equal(response.status, 202);
      assert.deepEqual(response.json(), { message: '202 Accepted' });
    }
    const [first, second] = await until(usage, ([left]) => left?.moves['finished'] === 6, 'all moves end');
    assert.partialDeepStrictEqual(first, { projects: 0, snippets: 0, groups: 0, moves: { scheduled: 0, failed: 0 } });
    assert.partialDeepStrictEqual(second, { projects: 4, snippets: 1, groups: 1 });
    assert.deepEqual((await request('GET', '/api/v4/projects?repository_storage=default')).json(), []);
  });

  it('computes the size of storages at most once a minute, and again when a move has ended', async () => {
    const { platform } = server;
    const found = projectWith(platform, ada, { name: 'Lamps' });
    await commitFiles(platform, found, ada, { 'a.txt': 'lamp\n' });
    const sizes = async () => (await usage()).map(({ bytes }) => bytes);
    const [full = 0, empty = 0] = await sizes();
    assert.ok(full > empty);
    await commitFiles(platform, projectWith(platform, ada, { name: 'Masts' }), ada, { 'a.txt': 'mast\n' });
    assert.deepEqual(await sizes(), [full, empty]);
    await request('POST', `/api/v4/projects/${found.project.id}/repository_storage_moves`, {
      destination_storage_name: 'second',
    });
    await until(usage, ([left]) => left?.moves['finished'] === 1, 'the move ends');
    const [, moved = 0] = await sizes();
    assert.ok(moved > empty, `${moved} bytes after the move`);
  });

  it('holds the steps of moves for the set time', async () => {
    const { platform } = server;
    assert.equal((await request('PUT', '/_local/storage-moves', { step_seconds: 60 })).status, 200);
    platform.clock.freeze(platform.clock.now());
    const { project } = projectWith(platform, ada, { name: 'Lamps' });
    const target = `/api/v4/projects/${project.id}/repository_storage_moves`;
    await request('POST', target, { destination_storage_name: 'second' });
    const stateOf = async () => ((await request('GET', target)).json() as { state: string }[])[0]?.state;
    for (const state of ['started', 'replicated', 'finished']) {
      platform.clock.advance(59_000);
      assert.notEqual(await stateOf(), state);
      platform.clock.advance(1000);
      await until(stateOf, (reached) => reached === state, `the move is ${state}`);
    }
  });
});
