import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { createNotificationsModel } from '../../../src/notifications/model.ts';
import { allProjectsAddress, notificationRows, type NotificationRow } from '../../../src/notifications/rows.ts';
import { globalScope, groupScope, type NotificationScope } from '../../../src/notifications/scopes.ts';
import { type Actor, actor } from '../../server/projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { countedApi, openModel } from './clientApi.ts';

const MAX_REQUESTS = 30;
const MAX_AT_ONCE = 4;

describe('the requests of the notifications view', () => {
  let server: TestServer;
  let member: Actor;
  const pins: NotificationScope[] = [];
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    member = actor(platform, 'member');
    platform.store.transaction(() => {
      for (let number = 1; number <= 40; number += 1) {
        const group = createGroup(platform, member.user, { name: `Group ${number}`, path: `group-${number}` });
        const below = createGroup(platform, member.user, { name: 'Below', path: 'below', parent: group });
        for (let at = 1; at <= 50; at += 1) {
          const namespaceId = at % 2 === 0 ? group.group.id : below.group.id;
          const { project } = createProject(platform, member.user, { path: `project-${at}`, namespaceId });
          const parents = namespaceId === group.group.id ? [] : [`group-${number}/below`];
          if (at === 1 && number <= 10)
            pins.push({
              ...{ kind: 'project', id: project.id, path: project.full_path, name: project.name },
              parents: [...parents, `group-${number}`],
            });
        }
      }
    });
  });
  after(() => server.close());

  const rowsOf = (model: ReturnType<typeof openModel>): readonly NotificationRow[] =>
    notificationRows({ model, noteOf: () => undefined, isExpanded: () => true, version: 0, readOnly: undefined });

  it('opening the view over 2,000 projects needs at most 30 requests, and at most 4 at once', async () => {
    const { api, requests, untilIdle, mostAtOnce } = countedApi(server, member.token);
    const model = openModel(api);
    await untilIdle();
    assert.ok(requests.length <= MAX_REQUESTS, `${requests.length} requests`);
    assert.ok(mostAtOnce() <= MAX_AT_ONCE, `${mostAtOnce()} at once`);
    const rows = rowsOf(model);
    assert.equal(rows[0]?.label, 'Global');
    assert.equal(rows[0]?.description, 'Participating · member@example.com');
    const groups = rows.filter((row) => row.kind === 'scope' && row.scope.kind === 'group');
    assert.equal(groups.length, 20);
    for (const { description } of groups) assert.equal(description, 'Participating, from your global setting');
    assert.deepEqual(
      rows.slice(-2).map(({ kind }) => kind),
      ['more', 'projects'],
    );
    assert.ok(requests.every((request) => !request.includes('/projects')));
  });

  it('pinned projects in groups do not make opening need more than 30 requests', async () => {
    const { api, requests, untilIdle, mostAtOnce } = countedApi(server, member.token);
    const model = openModel(api, pins);
    await untilIdle();
    assert.ok(requests.length <= MAX_REQUESTS, `${requests.length} requests`);
    assert.ok(mostAtOnce() <= MAX_AT_ONCE, `${mostAtOnce()} at once`);
    assert.deepEqual(
      rowsOf(model)
        .slice(1, 11)
        .map(({ label }) => label),
      pins.map(({ path }) => path),
    );
    const last = pins.at(-1) ?? globalScope;
    await model.resolve(last);
    assert.equal(model.applied(last)?.source.kind, 'global');
  });

  it('expanding a group requests one page of its projects, with their settings, and "Load more" the next', async () => {
    const { api, requests, untilIdle, mostAtOnce } = countedApi(server, member.token);
    const model = openModel(api);
    await untilIdle();
    const group = groupScope('group-1');
    const before = requests.length;
    model.open('group:group-1', { kind: 'projectsOf', group });
    await untilIdle();
    const opened = requests.slice(before);
    assert.equal(opened.filter((request) => request.startsWith('GET /groups/group-1/projects?')).length, 1);
    assert.ok(opened.length <= 26, `${opened.length} requests`);
    assert.ok(mostAtOnce() <= MAX_AT_ONCE);
    const rows = () => rowsOf(model).find((row) => row.kind === 'scope' && row.scope.path === 'group-1')?.rows ?? [];
    assert.deepEqual(
      rows()
        .slice(0, 2)
        .map(({ label }) => label),
      ['Events', 'Below'],
    );
    assert.equal(rows().length, 2 + 20 + 1);
    model.loadMore({ kind: 'projectsOf', group });
    await untilIdle();
    assert.equal(rows().length, 2 + 25);
    assert.ok(rows().every(({ kind, description }) => kind !== 'scope' || description !== ''));
  });

  it('all projects are listed page by page by the links of the instance', async () => {
    const { api, untilIdle } = countedApi(server, member.token);
    const model = openModel(api);
    await untilIdle();
    model.open('projects', allProjectsAddress);
    await untilIdle();
    for (let page = 2; page <= 4; page += 1) {
      model.loadMore(allProjectsAddress);
      await untilIdle();
    }
    assert.equal(model.shown(allProjectsAddress).length, 80);
    assert.equal(new Set(model.shown(allProjectsAddress).map(({ path }) => path)).size, 80);
    assert.equal(model.hasMore(allProjectsAddress), true);
  });

  it('a search lists the groups and projects that the instance finds, with few requests', async () => {
    const { api, requests, untilIdle, mostAtOnce } = countedApi(server, member.token);
    const model = openModel(api);
    await untilIdle();
    const before = requests.length;
    model.setSearch('project-49');
    await untilIdle();
    assert.ok(requests.length - before <= MAX_REQUESTS);
    assert.ok(mostAtOnce() <= MAX_AT_ONCE);
    const rows = rowsOf(model);
    assert.equal(rows.filter(({ kind }) => kind === 'scope').length, 20);
    assert.ok(rows.every(({ kind, label }) => kind === 'more' || label.endsWith('/below/project-49')));
    await model.refresh();
    assert.deepEqual(
      rowsOf(model).map(({ label }) => label),
      rows.map(({ label }) => label),
    );
    model.setSearch('no such project');
    await untilIdle();
    assert.deepEqual(
      rowsOf(model).map(({ label }) => label),
      ['No results for “no such project”'],
    );
    model.setSearch('');
    assert.equal(rowsOf(model)[0]?.label, 'Global');
  });

  it('a refresh requests the shown rows again, also after failures', async () => {
    const { api, untilIdle, breakRequests } = countedApi(server, member.token);
    breakRequests('/groups/');
    const model = openModel(api);
    await untilIdle();
    const first = rowsOf(model).find((row) => row.kind === 'scope' && row.scope.kind === 'group');
    assert.deepEqual([first?.icon, first?.description.includes('broken')], ['warning', true]);
    breakRequests(undefined);
    await model.refresh();
    await untilIdle();
    const again = rowsOf(model).find((row) => row.kind === 'scope' && row.scope.kind === 'group');
    assert.equal(again?.description, 'Participating, from your global setting');
  });

  it('nothing is requested while the view is not shown', async () => {
    const { api, requests, untilIdle } = countedApi(server, member.token);
    const model = createNotificationsModel();
    model.setSource({ key: 'test#1', api: () => api, pins: () => pins });
    await untilIdle();
    assert.deepEqual(requests, []);
    await model.resolve(groupScope('group-1'));
    assert.deepEqual(requests, ['GET /groups/group-1/notification_settings', 'GET /notification_settings']);
  });

  it('another account clears the rows, and responses for the previous one are ignored', async () => {
    const { api, untilIdle } = countedApi(server, member.token);
    const model = openModel(api);
    model.setSource(undefined);
    await untilIdle();
    assert.deepEqual(rowsOf(model), []);
    assert.equal(model.state(globalScope), undefined);
  });
});
