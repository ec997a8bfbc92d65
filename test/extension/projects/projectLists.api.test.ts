import assert from 'node:assert/strict';
import { type Client, createClient } from '../../../src/api/client.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { createProjectOrGroupList, type ProjectOrGroup, type ProjectOrGroupKind } from '../../../src/projects/lists.ts';
import { sleep } from '../../../src/support/sleep.ts';
import type { SearchList } from '../../../src/ui/searchList.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { type Actor, actor, projectWith } from '../../server/projects/cast.ts';

describe('the projects and groups in the editor’s pickers', () => {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    bob = actor(platform, 'bob');
    projectWith(platform, ada, { name: 'Lamps', visibility: 'private' }, [[bob, 30]]);
    projectWith(platform, ada, { name: 'Hidden lamps', visibility: 'private' });
    for (let at = 0; at < 120; at += 1) projectWith(platform, ada, { name: `Rail ${at}`, visibility: 'public' });
    await send('groups', { name: 'Signals', path: 'signals', visibility: 'public' }, bob);
    await send('groups', { name: 'Secret signals', path: 'secret', visibility: 'private' }, ada);
    await send('groups', { name: 'Other signals', path: 'others', visibility: 'public' }, ada);
  });
  after(() => server.close());

  async function send(path: string, json: object, { token }: Actor): Promise<void> {
    const response = await server.request('POST', `/api/v4/${path}`, { token, json });
    assert.equal(response.status, 201, response.text);
  }

  function clientOf({ token }: Actor): Client {
    const credentials = { token: async () => token, renewed: async () => undefined };
    return createClient({ baseUrl: server.origin, send: sendByFetch, credentials, now: Date.now, sleep });
  }

  /** Returns the rows once the list is idle. */
  function rested(list: SearchList<ProjectOrGroup>, work: () => void): Promise<readonly string[]> {
    return new Promise((resolve) => {
      const subscription = list.onDidChange(() => {
        if (list.isBusy()) return;
        subscription.dispose();
        resolve(list.rows().map((row) => (row.kind === 'item' ? row.item.path : row.text)));
      });
      work();
    });
  }

  function listOf(
    who: Actor,
    kind: ProjectOrGroupKind,
    offered: readonly ProjectOrGroup[] = [],
    listsMaintainedFirst = false,
  ): SearchList<ProjectOrGroup> {
    const after = (_: number, run: () => void): (() => void) => {
      const soon = setImmediate(run);
      return () => clearImmediate(soon);
    };
    return createProjectOrGroupList({ client: clientOf(who), kind, offered, after, listsMaintainedFirst });
  }

  it('the project and group pickers show the user’s projects first, then all others, page by page', async () => {
    const list = listOf(bob, 'project', [{ id: undefined, name: 'rail-7', path: 'ada/rail-7' }]);
    const first = await rested(list, list.start);
    assert.deepEqual(first.slice(0, 4), ['ada/rail-7', 'Your projects', 'ada/lamps', 'Other projects']);
    assert.equal(first.at(-1), 'Load more');
    let rows = first;
    while (rows.at(-1) === 'Load more') rows = await rested(list, list.loadMore);
    const paths = rows.filter((row) => row.includes('/'));
    assert.equal(paths.length, 121);
    assert.equal(new Set(paths).size, 121);
    assert.ok(!paths.includes('ada/hidden-lamps'));
  });

  it('the project picker of commands for maintainers shows the projects that the user maintains first, each project once', async () => {
    const dev = actor(server.platform, 'maintainer');
    for (const [name, level] of [
      ['Points', 30],
      ['Levers', 40],
    ] as const)
      projectWith(server.platform, ada, { name, visibility: 'private' }, [[dev, level]]);
    const list = listOf(dev, 'project', [], true);
    assert.deepEqual((await rested(list, list.start)).slice(0, 5), [
      ...['Projects that you maintain', 'ada/levers', 'Your projects', 'ada/points', 'Other projects'],
    ]);
  });

  it('the project and group pickers show the search results of the instance, page by page', async () => {
    const list = listOf(bob, 'project');
    await rested(list, list.start);
    assert.deepEqual(await rested(list, () => list.search('lamps')), ['Your projects', 'ada/lamps']);
    const [, row] = list.rows();
    assert.ok(row?.kind === 'item');
    assert.equal(row.item.page, `${server.origin}/ada/lamps`);
    assert.deepEqual(await rested(list, () => list.search('Rail 119')), ['Other projects', 'ada/rail-119']);
    assert.deepEqual(await rested(list, () => list.search('tram')), ['No results for “tram”']);
  });

  it('the project and group pickers show the user’s groups first, then other visible groups', async () => {
    const list = listOf(bob, 'group');
    assert.deepEqual(await rested(list, list.start), ['Your groups', 'signals', 'Other groups', 'others']);
    assert.deepEqual(await rested(list, () => list.search('other')), ['Other groups', 'others']);
    const [, row] = list.rows();
    assert.ok(row?.kind === 'item');
    assert.equal(row.item.page, `${server.origin}/groups/others`);
  });
});
