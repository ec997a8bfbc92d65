import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import {
  type ContainerRepository,
  createContainerRepository,
  type NewTag,
  writeContainerTag,
} from '../../../server/features/registry/containerRepositories.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { checkScenario, type Scenario } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const NIGHT = Date.UTC(2026, 0, 2, 3, 4, 5);
const HOUR = 3_600_000;

describe('the container registry API', () => {
  let server: TestServer;
  let owner: Actor;
  let developer: Actor;
  let reporter: Actor;
  let guest: Actor;
  let shown: FoundProject;
  let hidden: FoundProject;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(NIGHT);
    [owner, developer, reporter, guest] = [
      actor(platform, 'ada'),
      actor(platform, 'bob'),
      actor(platform, 'cleo'),
      actor(platform, 'dan'),
    ];
    const members = [
      [developer, 30],
      [reporter, 20],
      [guest, 10],
    ] as const;
    shown = projectWith(platform, owner, { name: 'Lamps', visibility: 'public' }, members);
    hidden = projectWith(platform, owner, { name: 'Hidden' }, members);
  });
  after(() => server.close());

  const at = (found: FoundProject, rest = ''): string => `/api/v4/projects/${found.project.id}/registry/repositories${rest}`;
  let count = 0;
  const images = (found: FoundProject, ...tags: (string | NewTag)[]): ContainerRepository => {
    const repository = createContainerRepository(server.platform, found, `images${(count += 1)}`);
    for (const tag of tags) writeContainerTag(server.platform, repository, typeof tag === 'string' ? { name: tag } : tag);
    return repository;
  };
  const names = async (path: string, who: Actor | undefined = owner): Promise<unknown[]> => {
    const response = await server.request('GET', path, who === undefined ? {} : { token: who.token });
    assert.equal(response.status, 200, response.text);
    return Object(response.json()).map((item: { name: string }) => item.name);
  };
  const check = async (table: readonly Scenario[]): Promise<void> => {
    for (const row of table) checkScenario(await server.request(row.method ?? 'GET', row.path, row), row);
  };

  it('the container registry API is visible to callers who can read the code; developers add and delete tags, maintainers repositories', async () => {
    const open = images(shown, 'a', 'b');
    const closed = images(hidden, 'a');
    const refused = { status: 403, body: { message: '403 Forbidden' } };
    const tags = at(shown, `/${open.id}/tags`);
    await check([
      { name: 'anonymous', path: `${tags}/a`, status: 200, has: { name: 'a' } },
      { name: 'guest', path: at(hidden), token: guest.token, ...refused },
      { name: 'guest', path: at(hidden, `/${closed.id}/tags`), token: guest.token, ...refused },
      { name: 'guest', path: `/api/v4/registry/repositories/${closed.id}`, token: guest.token, ...refused },
      { name: 'anonymous', path: `/api/v4/registry/repositories/${closed.id}`, status: 404, body: { message: '404 Not found' } },
      { name: 'anonymous', path: `/api/v4/registry/repositories/${open.id}`, status: 200, has: { id: open.id } },
      { name: 'reporter', path: `/api/v4/registry/repositories/${closed.id}`, token: reporter.token, status: 200 },
      { name: 'elsewhere', path: at(shown, `/${closed.id}/tags`), token: owner.token, status: 404 },
      { name: 'reporter', method: 'POST', path: at(shown), json: { name: 'x' }, token: reporter.token, ...refused },
      { name: 'reporter', method: 'POST', path: tags, json: { name: 'x' }, token: reporter.token, ...refused },
      { name: 'reporter', method: 'DELETE', path: `${tags}/a`, token: reporter.token, ...refused },
      { name: 'developer', method: 'POST', path: tags, json: { name: 'c' }, token: developer.token, status: 201 },
      { name: 'developer', method: 'DELETE', path: `${tags}/a`, token: developer.token, status: 200 },
      { name: 'gone', path: `${tags}/a`, status: 404, body: { message: '404 Tag Not Found' } },
      { name: 'developer', method: 'DELETE', path: `${tags}?name_regex_delete=.*`, token: developer.token, ...refused },
      { name: 'developer', method: 'DELETE', path: at(shown, `/${open.id}`), token: developer.token, ...refused },
      {
        name: 'owner',
        method: 'DELETE',
        path: at(shown, `/${open.id}`),
        token: owner.token,
        status: 202,
        body: { message: '202 Accepted' },
      },
      { name: 'gone', path: `/api/v4/registry/repositories/${open.id}`, token: owner.token, status: 404 },
    ]);
  });

  it('the container registry API returns locations, numbers of tags and sizes', async () => {
    const found = projectWith(server.platform, owner, { name: 'Boxes' });
    createContainerRepository(server.platform, found, '');
    const repository = createContainerRepository(server.platform, found, 'web/app');
    const digest = `sha256:${'d'.repeat(64)}`;
    writeContainerTag(server.platform, repository, { name: 'v1', digest, totalSize: 70 });
    writeContainerTag(server.platform, repository, { name: 'latest', digest, totalSize: 70 });
    writeContainerTag(server.platform, repository, { name: 'v2', totalSize: 5 });
    const { host } = new URL(server.origin);
    const path = 'ada/boxes/web/app';
    const tag = (name: string) => ({ name, path: `${path}:${name}`, location: `${host}/${path}:${name}` });
    const one = {
      id: repository.id,
      name: 'web/app',
      path,
      project_id: found.project.id,
      location: `${host}/${path}`,
      created_at: '2026-01-02T03:04:05.000Z',
      cleanup_policy_started_at: null,
      status: null,
    };
    assert.deepEqual(await names(at(found)), ['', 'web/app']);
    await check([
      {
        name: 'all',
        path: `/api/v4/registry/repositories/${repository.id}?tags=true&tags_count=true&size=true`,
        token: owner.token,
        status: 200,
        body: { ...one, tags_count: 3, tags: [tag('v2'), tag('v1'), tag('latest')], size: 75 },
      },
      {
        name: 'without optional members',
        path: `/api/v4/registry/repositories/${repository.id}`,
        token: owner.token,
        status: 200,
        body: one,
      },
      {
        name: 'a tag',
        path: at(found, `/${repository.id}/tags/v1`),
        token: owner.token,
        status: 200,
        has: { ...tag('v1'), digest, total_size: 70, created_at: '2026-01-02T03:04:05.000Z' },
      },
    ]);
  });

  it('the container registry API lists the repositories of a group’s projects whose code the caller can read', async () => {
    const { platform } = server;
    const group = createGroup(platform, owner.user, { name: 'Signals', path: 'signals', visibility: 'public' });
    const inner = createGroup(platform, owner.user, { name: 'Inner', path: 'inner', visibility: 'public', parent: group });
    const of = (name: string, namespaceId: number, visibility: 'public' | 'private') =>
      createContainerRepository(platform, createProject(platform, owner.user, { name, namespaceId, visibility }), name);
    of('open', group.group.id, 'public');
    of('closed', group.group.id, 'private');
    of('deep', inner.group.id, 'public');
    const path = '/api/v4/groups/signals/registry/repositories';
    assert.deepEqual(await names(path, guest), ['open', 'deep']);
    assert.deepEqual(await names(path), ['open', 'closed', 'deep']);
  });

  it('the container registry API lists tags by name, with keyset pagination in both directions for tokens', async () => {
    const repository = images(shown, 'b', 'c', 'a');
    const path = at(shown, `/${repository.id}/tags`);
    for (const [query, expected] of [
      ['', ['a', 'b', 'c']],
      ['sort=desc', ['c', 'b', 'a']],
      ['pagination=keyset&order_by=name&sort=asc', ['a', 'b', 'c']],
      ['pagination=keyset&order_by=name&sort=desc&last=c', ['b', 'a']],
      ['pagination=keyset&last=b', ['c']],
    ] as const) {
      assert.deepEqual(await names(`${path}?${query}`), expected, query);
    }
    await check([
      { name: 'anonymous', path: `${path}?pagination=keyset`, status: 200, responseHeaders: { 'x-total': '3' } },
      { name: 'by digest', path: `${path}?pagination=keyset&order_by=digest`, token: owner.token, status: 405 },
    ]);
  });

  it('the container registry API deletes tags in bulk by name, number and age, but never the latest', async () => {
    const at_ = (hours: number): number => NIGHT - hours * HOUR;
    const many = (): ContainerRepository =>
      images(
        shown,
        { name: 'latest', createdAt: at_(9) },
        { name: 'v1', createdAt: at_(8) },
        { name: 'v2', createdAt: at_(6) },
        { name: 'v3', createdAt: at_(1) },
        { name: 'main', createdAt: at_(7) },
      );
    for (const [query, left] of [
      ['name_regex_delete=.*', ['latest']],
      ['name_regex=v.', ['latest', 'main']],
      ['name_regex=main&name_regex_delete=v1', ['latest', 'main', 'v2', 'v3']],
      ['name_regex_delete=.*&name_regex_keep=v[12]', ['latest', 'v1', 'v2']],
      ['name_regex_delete=v.*&keep_n=2', ['latest', 'main', 'v2', 'v3']],
      ['name_regex_delete=.*&older_than=6h30min', ['latest', 'v2', 'v3']],
      ['name_regex_delete=v', ['latest', 'main', 'v1', 'v2', 'v3']],
    ] as const) {
      const repository = many();
      const path = at(shown, `/${repository.id}/tags`);
      const response = await server.request('DELETE', `${path}?${query}`, { token: owner.token });
      assert.deepEqual([response.status, response.json()], [202, { message: '202 Accepted' }], query);
      assert.deepEqual(await names(path), left, query);
    }
  });

  it('the container registry API refuses bulk deletions with missing or invalid parameters, or too soon after the last one', async () => {
    const repository = images(shown, 'a'.repeat(120));
    const path = at(shown, `/${repository.id}/tags`);
    const send = (query: string) => ({ name: query, method: 'DELETE', path: `${path}?${query}`, token: owner.token });
    await check([
      {
        ...send('keep_n=1'),
        status: 400,
        body: { error: 'name_regex, name_regex_delete are missing, at least one parameter must be provided' },
      },
      { ...send('name_regex_delete=('), status: 400, body: { error: 'name_regex_delete is an invalid regexp' } },
      { ...send('name_regex=.*&name_regex_keep=%5B'), status: 400, body: { error: 'name_regex_keep is an invalid regexp' } },
      { ...send('name_regex=.*&older_than=soon'), status: 400, body: { error: 'older_than is invalid' } },
      { ...send('name_regex=(a%2B)%2Bb'), status: 400, body: { message: 'The regular expression takes too long to match.' } },
      { ...send('name_regex=b'), status: 202 },
      {
        ...send('name_regex=b'),
        status: 400,
        body: {
          message: 'This request has already been made. You can run this at most once an hour for a given container repository',
        },
      },
    ]);
    server.platform.clock.advance(HOUR);
    await check([{ ...send('name_regex=b'), status: 202 }]);
    server.platform.clock.freeze(NIGHT);
  });

  it('the container registry API refuses invalid names, digests and sizes', async () => {
    const repository = images(shown);
    const add = (json: object) => ({ name: JSON.stringify(json), method: 'POST', path: at(shown), json, token: owner.token });
    const tag = (json: object) => ({ ...add(json), path: at(shown, `/${repository.id}/tags`) });
    await check([
      { ...add({ name: 'Web' }), status: 400, body: { message: { name: ['is invalid'] } } },
      { ...add({ name: repository.name }), status: 400, body: { message: { name: ['has already been taken'] } } },
      {
        ...tag({ name: 'a/b', digest: 'x', total_size: -1 }),
        status: 400,
        body: {
          message: { name: ['is invalid'], digest: ['is invalid'], total_size: ['must be greater than or equal to 0'] },
        },
      },
    ]);
  });
});

it('registry tags have keyset pagination in the first release', async () => {
  await using server = await startTestServer({ profile: { release: '15.1' } });
  const ada = actor(server.platform, 'ada');
  const repository = createContainerRepository(server.platform, projectWith(server.platform, ada, { name: 'Old' }), 'a');
  writeContainerTag(server.platform, repository, { name: 'v1' });
  const path = `/api/v4/projects/${repository.project_id}/registry/repositories/${repository.id}/tags?pagination=keyset`;
  const response = await server.request('GET', path, { token: ada.token });
  assert.equal(response.status, 200, response.text);
  assert.equal(response.headers.get('x-total'), null);
  assert.match(response.headers.get('link') ?? '', /last=v1.*rel="next"/);
});
