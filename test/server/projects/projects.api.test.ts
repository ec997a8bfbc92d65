import assert from 'node:assert/strict';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestResponse, type TestServer } from '../../support/server.ts';
import { linkTo } from '../../../src/contract/pagination.ts';
import { type Actor, actor, projectWith, rootOf } from './cast.ts';

const TAKEN = {
  message: {
    'project_namespace.name': ['has already been taken'],
    name: ['has already been taken'],
    path: ['has already been taken'],
  },
};
const NOT_FOUND = { message: '404 Project Not Found' };
const UNAUTHORIZED = { message: '401 Unauthorized' };

interface Listed {
  readonly id: number;
  readonly path: string;
}

function names(response: TestResponse): string[] {
  assert.equal(response.status, 200, response.text);
  return (response.json() as Listed[]).map((project) => project.path);
}

describe('projects', () => {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;
  let eve: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    bob = actor(server.platform, 'bob');
    eve = actor(server.platform, 'eve', { external: true });
  });
  afterEach(() => server.close());

  describe('creating projects', () => {
    scenarios(
      () => server,
      [
        {
          name: 'a name is enough; the path is derived from it',
          method: 'POST',
          path: '/api/v4/projects',
          token: admin,
          json: { name: 'Signal Lamps' },
          status: 201,
          has: {
            id: 1,
            name: 'Signal Lamps',
            path: 'signal-lamps',
            path_with_namespace: 'root/signal-lamps',
            name_with_namespace: 'Administrator / Signal Lamps',
            description: null,
            visibility: 'private',
            default_branch: 'main',
            archived: false,
            issues_enabled: true,
            issues_access_level: 'enabled',
            merge_requests_enabled: true,
            can_create_merge_request_in: true,
            open_issues_count: 0,
            creator_id: 1,
            repository_storage: 'default',
            namespace: { id: 1, name: 'Administrator', path: 'root', kind: 'user', full_path: 'root', parent_id: null },
            owner: { id: 1, username: 'root' },
            permissions: { project_access: { access_level: 50 }, group_access: null },
          },
        },
        {
          name: 'a path is enough; it becomes the name',
          method: 'POST',
          path: '/api/v4/projects',
          token: admin,
          json: { path: 'Lamps.io', visibility: 'public', description: 'Lamps', issues_access_level: 'private' },
          status: 201,
          has: {
            name: 'Lamps.io',
            path: 'Lamps.io',
            visibility: 'public',
            description: 'Lamps',
            issues_access_level: 'private',
          },
        },
        {
          name: 'a name or a path is required',
          method: 'POST',
          path: '/api/v4/projects',
          token: admin,
          json: { description: 'x' },
          status: 400,
          body: { error: 'name, path are missing, at least one parameter must be provided' },
        },
        {
          name: 'a token is required, and checked before parameters',
          method: 'POST',
          path: '/api/v4/projects',
          json: {},
          status: 401,
          body: UNAUTHORIZED,
        },
        {
          name: 'names and paths are validated',
          method: 'POST',
          path: '/api/v4/projects',
          token: admin,
          json: { name: '<b>', path: 'a/b' },
          status: 400,
          body: {
            message: {
              name: [
                "can contain only letters, digits, emoji, '_', '.', '+', dashes, or spaces. It must start with a letter, digit, emoji, or '_'.",
              ],
              path: [
                "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'",
              ],
            },
          },
        },
        {
          name: 'an unknown visibility',
          method: 'POST',
          path: '/api/v4/projects',
          token: admin,
          json: { name: 'x', visibility: 'secret' },
          status: 400,
          body: { error: 'visibility does not have a valid value' },
        },
        {
          name: 'an unknown namespace',
          method: 'POST',
          path: '/api/v4/projects',
          token: admin,
          json: { name: 'x', namespace_id: 99 },
          status: 400,
          body: { message: { namespace: ['is not valid'] } },
        },
      ],
    );

    it('a name or path is taken within a namespace regardless of case', async () => {
      projectWith(server.platform, ada, { name: 'Lamps' });
      for (const json of [{ name: 'Lamps' }, { name: 'LAMPS', path: 'other' }, { name: 'Other', path: 'LAMPS' }]) {
        const response = await server.request('POST', '/api/v4/projects', { token: ada.token, json });
        assert.equal(response.status, 400);
        assert.deepEqual(response.json(), TAKEN);
      }
      const elsewhere = await server.request('POST', '/api/v4/projects', { token: bob.token, json: { name: 'Lamps' } });
      assert.equal(elsewhere.status, 201);
    });

    it('administrators can create projects in the namespaces of other users, who become their owners; others cannot', async () => {
      const json = { name: 'Lamps', namespace_id: 2 };
      assert.equal((await server.request('POST', '/api/v4/projects', { token: bob.token, json })).status, 400);
      const response = await server.request('POST', '/api/v4/projects', { token: admin, json });
      assert.equal(response.status, 201, response.text);
      assert.partialDeepStrictEqual(response.json(), {
        path_with_namespace: 'ada/lamps',
        creator_id: 1,
        owner: { username: 'ada' },
        permissions: { project_access: null },
      });
      const members = (await server.request('GET', '/api/v4/projects/1/members', { token: admin })).json();
      assert.ok(Array.isArray(members) && members.length === 1);
      assert.partialDeepStrictEqual(members, [{ username: 'ada', access_level: 50 }]);
    });

    it('external users cannot create projects', async () => {
      const response = await server.request('POST', '/api/v4/projects', { token: eve.token, json: { name: 'Lamps' } });
      assert.equal(response.status, 403);
      assert.deepEqual(response.json(), { message: '403 Forbidden' });
    });
  });

  describe('reading a project', () => {
    beforeEach(() => {
      projectWith(server.platform, ada, { name: 'Open', path: 'open.io', visibility: 'public' });
      projectWith(server.platform, ada, { name: 'Inside', visibility: 'internal' });
      projectWith(server.platform, ada, { name: 'Closed', visibility: 'private' });
    });
    const get = (path: string, rest: object) => ({ path, ...rest, name: `${path} ${JSON.stringify(rest)}` });

    scenarios(
      () => server,
      [
        { ...get('/api/v4/projects/1', {}), status: 200, has: { id: 1, path_with_namespace: 'ada/open.io' } },
        { ...get('/api/v4/projects/ada%2Fopen.io', {}), status: 200, has: { id: 1 } },
        { ...get('/api/v4/projects/ADA%2fOPEN.io', {}), status: 200, has: { id: 1 } },
        {
          ...get('/api/v4/projects/ada/open.io', {}),
          name: 'an unencoded path matches no endpoint',
          status: 404,
          body: { error: '404 Not Found' },
        },
        { ...get('/api/v4/projects/open.io', {}), name: 'text without a slash is not a project', status: 404, body: NOT_FOUND },
        { ...get('/api/v4/projects/99', { token: admin }), status: 404, body: NOT_FOUND },
        { ...get('/api/v4/projects/2', {}), name: 'an internal project without a token', status: 404, body: NOT_FOUND },
        {
          ...get('/api/v4/projects/ada%2Fclosed', {}),
          name: 'a private project is hidden from users who are not members',
          status: 404,
          body: NOT_FOUND,
          absent: ['Closed'],
        },
        {
          ...get('/api/v4/projects/3', { token: admin }),
          name: 'an administrator can read a private project',
          status: 200,
          has: { id: 3 },
        },
        {
          ...get('/api/v4/projects/1', { token: 'wrong' }),
          name: 'an invalid token is refused, even where none is required',
          status: 401,
          body: UNAUTHORIZED,
        },
      ],
    );

    it('reading a project depends on the visibility', async () => {
      const statuses = async (token?: string): Promise<number[]> =>
        Promise.all(
          [1, 2, 3].map(
            async (id) => (await server.request('GET', `/api/v4/projects/${id}`, token === undefined ? {} : { token })).status,
          ),
        );
      assert.deepEqual(await statuses(), [200, 404, 404]);
      assert.deepEqual(await statuses(bob.token), [200, 200, 404]);
      assert.deepEqual(await statuses(eve.token), [200, 404, 404]);
      assert.deepEqual(await statuses(ada.token), [200, 200, 200]);
    });

    it('reading a project includes the caller’s permissions, and none without a token', async () => {
      const own = (await server.request('GET', '/api/v4/projects/1', { token: ada.token })).json();
      assert.partialDeepStrictEqual(own, { permissions: { project_access: { access_level: 50 }, group_access: null } });
      const other = (await server.request('GET', '/api/v4/projects/1', { token: bob.token })).json();
      assert.partialDeepStrictEqual(other, { permissions: { project_access: null, group_access: null } });
      assert.ok(!('permissions' in ((await server.request('GET', '/api/v4/projects/1')).json() as object)));
    });

    it('reading a project counts open issues, confidential ones only for callers who can see them', async () => {
      for (const json of [{ title: 'One' }, { title: 'Two', confidential: true }, { title: 'Three' }]) {
        await server.request('POST', '/api/v4/projects/1/issues', { token: ada.token, json });
      }
      await server.request('PUT', '/api/v4/projects/1/issues/3', { token: ada.token, json: { state_event: 'close' } });
      const count = async (token?: string): Promise<unknown> =>
        (
          (await server.request('GET', '/api/v4/projects/1', token === undefined ? {} : { token })).json() as Record<
            string,
            unknown
          >
        )['open_issues_count'];
      assert.deepEqual([await count(ada.token), await count(bob.token), await count()], [2, 1, 1]);
    });
  });

  describe('listing projects', () => {
    beforeEach(() => {
      const { platform } = server;
      projectWith(platform, ada, { name: 'Beta', visibility: 'public', description: 'first' }, [[bob, 30]]);
      projectWith(platform, bob, { name: 'alpha', visibility: 'internal' });
      projectWith(platform, ada, { name: 'Gamma', visibility: 'private', issuesAccess: 'disabled' }, [[bob, 10]]);
      createProject(platform, rootOf(platform), { name: 'Delta', visibility: 'private' });
    });
    const list = (query: string, token?: string): Promise<TestResponse> =>
      server.request('GET', `/api/v4/projects${query}`, token === undefined ? {} : { token });

    it('the list of projects contains the visible projects, newest first', async () => {
      assert.deepEqual(names(await list('')), ['beta']);
      assert.deepEqual(names(await list('', eve.token)), ['beta']);
      assert.deepEqual(names(await list('', bob.token)), ['gamma', 'alpha', 'beta']);
      assert.deepEqual(names(await list('', admin)), ['delta', 'gamma', 'alpha', 'beta']);
    });

    it('the list of projects uses the short form without a token and with simple=true', async () => {
      const [anonymous] = (await list('')).json() as object[];
      const [simple] = (await list('?simple=true&search=beta', bob.token)).json() as object[];
      const [full] = (await list('?search=beta', bob.token)).json() as object[];
      assert.ok(anonymous !== undefined && !('archived' in anonymous) && 'namespace' in anonymous);
      assert.deepEqual(simple, anonymous);
      assert.ok(full !== undefined && 'archived' in full && 'permissions' in full);
    });

    for (const [query, wanted] of [
      ['?search=ALPH', ['alpha']],
      ['?search=bob', []],
      ['?search=bob&search_namespaces=true', ['alpha']],
      ['?search=%25', []],
      ['?visibility=private', ['gamma']],
      ['?membership=true', ['gamma', 'alpha', 'beta']],
      ['?owned=true', ['alpha']],
      ['?min_access_level=30', ['alpha', 'beta']],
      ['?membership=true&min_access_level=10&visibility=public', ['beta']],
      ['?with_issues_enabled=true', ['alpha', 'beta']],
      ['?with_merge_requests_enabled=true', ['gamma', 'alpha', 'beta']],
      ['?archived=true', []],
      ['?archived=false', ['gamma', 'alpha', 'beta']],
      ['?id_after=1', ['gamma', 'alpha']],
      ['?id_before=3', ['alpha', 'beta']],
      ['?order_by=name&sort=asc', ['beta', 'gamma', 'alpha']],
      ['?order_by=path&sort=asc', ['alpha', 'beta', 'gamma']],
      ['?order_by=id&sort=asc', ['beta', 'alpha', 'gamma']],
      ['?order_by=star_count&sort=asc', ['beta', 'alpha', 'gamma']],
      ['?last_activity_after=2000-01-01T00:00:00Z', ['gamma', 'alpha', 'beta']],
      ['?last_activity_before=2000-01-01T00:00:00Z', []],
      ['?updated_after=2000-01-01T00:00:00Z&order_by=updated_at&sort=asc', ['beta', 'alpha', 'gamma']],
      ['?starred=true', []],
    ] as const) {
      it(`the list of projects is correct when bob requests ${query}`, async () =>
        assert.deepEqual(names(await list(query, bob.token)), wanted));
    }

    it('anonymous callers own and star no projects', async () => {
      for (const query of ['?membership=true', '?owned=true', '?min_access_level=10']) {
        assert.deepEqual(names(await list(query)), [], query);
      }
    });

    scenarios(
      () => server,
      [
        {
          name: 'order_by is unknown',
          path: '/api/v4/projects?order_by=size',
          status: 400,
          body: { error: 'order_by does not have a valid value' },
        },
        {
          name: 'min_access_level is unknown',
          path: '/api/v4/projects?min_access_level=25',
          status: 400,
          body: { error: 'min_access_level does not have a valid value' },
        },
        {
          name: 'an update filter requires the matching order',
          path: '/api/v4/projects?updated_after=2000-01-01T00:00:00Z',
          status: 400,
          body: { message: '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired' },
        },
        {
          name: 'the offset is too large without keyset pagination',
          path: '/api/v4/projects?page=501&per_page=100',
          status: 405,
          body: {
            error:
              'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type Project. Remaining records can be retrieved using keyset pagination.',
          },
        },
        {
          name: 'keyset pagination does not support the order',
          path: '/api/v4/projects?pagination=keyset',
          status: 405,
          body: { error: 'Keyset pagination is not yet available for this type of request' },
        },
        {
          name: 'an unknown pagination type means offset pagination',
          path: '/api/v4/projects?pagination=other',
          status: 200,
          responseHeaders: { 'x-total': '1' },
        },
        {
          name: 'lists the projects of a user by username',
          path: '/api/v4/users/ada/projects',
          status: 200,
          has: [{ path: 'beta' }],
        },
        {
          name: 'lists the projects of a user by ID',
          path: '/api/v4/users/2/projects',
          status: 200,
          responseHeaders: { 'x-total': '1' },
        },
        {
          name: 'the user is unknown',
          path: '/api/v4/users/nobody/projects',
          status: 404,
          body: { message: '404 User Not Found' },
        },
        {
          name: 'HEAD returns the totals',
          method: 'HEAD',
          path: '/api/v4/projects',
          status: 200,
          responseHeaders: { 'x-total': '1' },
        },
      ],
    );

    it('the list of projects includes every parameter with its default in Link', async () => {
      const response = await list('?per_page=1&private_token=' + bob.token);
      assert.equal(response.headers.get('x-next-page'), '2');
      assert.equal(
        linkTo(response.headers.get('link') ?? undefined, 'next'),
        `${server.origin}/api/v4/projects?imported=false&membership=false&order_by=created_at&owned=false&page=2&per_page=1&simple=false&sort=desc&starred=false&with_issues_enabled=false&with_merge_requests_enabled=false`,
      );
      assert.ok(!response.headers.get('link')?.includes(bob.token));
    });

    for (const sort of ['asc', 'desc'] as const) {
      it(`the list of projects supports keyset pagination, ${sort}: Link on every page but the empty last one, and no other header`, async () => {
        const seen: string[] = [];
        let next: string | undefined = `/api/v4/projects?pagination=keyset&order_by=id&sort=${sort}&per_page=2`;
        let pages = 0;
        while (next !== undefined) {
          const response: TestResponse = await server.request('GET', next, { token: bob.token });
          const page = names(response);
          assert.equal(response.headers.get('x-total'), null);
          assert.equal(response.headers.get('x-next-page'), null);
          next = linkTo(response.headers.get('link') ?? undefined, 'next');
          assert.equal(next === undefined, page.length === 0);
          if (next !== undefined) assert.match(next, sort === 'asc' ? /[?&]id_after=\d/ : /[?&]id_before=\d/);
          seen.push(...page);
          pages += 1;
        }
        assert.equal(pages, 3);
        assert.deepEqual(seen, sort === 'asc' ? ['beta', 'alpha', 'gamma'] : ['gamma', 'alpha', 'beta']);
      });
    }
  });

  describe('updating a project', () => {
    beforeEach(() => {
      projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' }, [[bob, 40]]);
    });
    const put = (json: object, token: string): Promise<TestResponse> =>
      server.request('PUT', '/api/v4/projects/1', { token, json });

    it('updating a project requires the maintainer role, and keeps omitted values', async () => {
      const response = await put({ description: 'All lamps', default_branch: 'trunk', issues_enabled: false }, bob.token);
      assert.equal(response.status, 200, response.text);
      assert.partialDeepStrictEqual(response.json(), {
        name: 'Lamps',
        path: 'lamps',
        description: 'All lamps',
        default_branch: 'trunk',
        issues_enabled: false,
        issues_access_level: 'disabled',
        visibility: 'public',
      });
    });

    it('updating a project requires the owner role for the visibility', async () => {
      const refused = await put({ visibility: 'private' }, bob.token);
      assert.equal(refused.status, 403);
      assert.deepEqual(refused.json(), { message: '403 Forbidden' });
      assert.equal((await put({ visibility: 'public', name: 'Lamps 2' }, bob.token)).status, 200);
      assert.partialDeepStrictEqual((await put({ visibility: 'private' }, ada.token)).json(), { visibility: 'private' });
      assert.equal((await server.request('GET', '/api/v4/projects/1')).status, 404);
    });

    it('updating a project requires a parameter, and validates names', async () => {
      const nothing = await put({}, bob.token);
      assert.equal(nothing.status, 400);
      assert.deepEqual(nothing.json(), {
        error:
          'name, path, description, visibility, default_branch, issues_access_level, issues_enabled, topics, tag_list, ci_job_token_scope_enabled are missing, at least one parameter must be provided',
      });
      projectWith(server.platform, ada, { name: 'Other' });
      assert.deepEqual((await put({ path: 'OTHER' }, ada.token)).json(), TAKEN);
      assert.equal((await put({ path: 'Lamps' }, ada.token)).status, 200, 'its own path in a different case');
    });

    it('updating a project requires the maintainer role for every parameter', async () => {
      const carl = actor(server.platform, 'carl');
      assert.equal((await put({ description: 'x' }, carl.token)).status, 403);
      assert.equal((await server.request('PUT', '/api/v4/projects/1', { json: {} })).status, 401);
      assert.equal((await server.request('PUT', '/api/v4/projects/9', { token: ada.token, json: { name: 'x' } })).status, 404);
    });
  });

  describe('renaming the path of a project', () => {
    beforeEach(async () => {
      projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
      projectWith(server.platform, ada, { name: 'Hidden', visibility: 'private' });
      await server.request('PUT', '/api/v4/projects/1', { token: ada.token, json: { path: 'lanterns' } });
      await server.request('PUT', '/api/v4/projects/2', { token: ada.token, json: { path: 'dark' } });
    });

    it('reads of the old path of a renamed project redirect to the ID, with the rest of the path', async () => {
      const response = await server.request('GET', '/api/v4/projects/ada%2Flamps/events?per_page=5&action=joined');
      const location = `${server.origin}/api/v4/projects/1/events?per_page=5&action=joined`;
      assert.equal(response.status, 301);
      assert.equal(response.headers.get('location'), location);
      assert.match(response.headers.get('content-type') ?? '', /^text\/plain/);
      assert.equal(response.text, `This resource has been moved permanently to ${location}`);
      assert.equal((await server.request('GET', location)).status, 200);
    });

    for (const [method, path] of [
      ['POST', '/api/v4/projects/ADA%2Flamps/issues'],
      ['PUT', '/api/v4/projects/ada%2Flamps'],
      ['DELETE', '/api/v4/projects/ada%2Flamps'],
    ] as const) {
      it(`${method} to the old path of a renamed project is refused with the new location`, async () => {
        const response = await server.request(method, path, {
          token: ada.token,
          ...(method === 'DELETE' ? {} : { json: { title: 'x' } }),
        });
        assert.equal(response.status, 405);
        assert.deepEqual(response.json(), { message: 'Non GET methods are not allowed for moved projects' });
        assert.match(response.headers.get('location') ?? '', /^http:\/\/127\.0\.0\.1:\d+\/api\/v4\/projects\/1(?:\/issues)?$/);
      });
    }

    it('HEAD to the old path of a renamed project is refused without a body', async () => {
      const response = await server.request('HEAD', '/api/v4/projects/ada%2Flamps');
      assert.equal(response.status, 405);
      assert.equal(response.text, '');
      assert.ok(response.headers.get('location')?.endsWith('/projects/1'));
    });

    it('the old path of a renamed project reveals nothing to users who cannot see the project', async () => {
      const response = await server.request('GET', '/api/v4/projects/ada%2Fhidden', { token: bob.token });
      assert.equal(response.status, 404);
      assert.deepEqual(response.json(), NOT_FOUND);
      assert.equal(response.headers.get('location'), null);
    });

    it('a new project at the old path of a renamed project replaces the redirect', async () => {
      projectWith(server.platform, ada, { name: 'Lamps again', path: 'lamps', visibility: 'public' });
      const response = await server.request('GET', '/api/v4/projects/ada%2Flamps');
      assert.equal(response.status, 200);
      assert.partialDeepStrictEqual(response.json(), { id: 3 });
      await server.request('DELETE', '/api/v4/projects/3', { token: ada.token });
      assert.equal((await server.request('GET', '/api/v4/projects/ada%2Flamps')).status, 404, 'also after its deletion');
    });

    it('renaming a project back keeps both paths working', async () => {
      await server.request('PUT', '/api/v4/projects/1', { token: ada.token, json: { path: 'lamps' } });
      assert.equal((await server.request('GET', '/api/v4/projects/ada%2Flamps')).status, 200);
      assert.equal((await server.request('GET', '/api/v4/projects/ada%2Flanterns')).status, 301);
    });
  });

  describe('archiving and deleting a project', () => {
    beforeEach(async () => {
      projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' }, [[bob, 40]]);
      await server.request('POST', '/api/v4/projects/1/issues', { token: ada.token, json: { title: 'Dark' } });
      await server.request('POST', '/api/v4/projects/1/issues/1/notes', { token: ada.token, json: { body: 'Fuse' } });
    });

    it('an archived project is read-only, and listed with the filter archived=true', async () => {
      const archived = await server.request('POST', '/api/v4/projects/1/archive', { token: ada.token });
      assert.equal(archived.status, 201);
      assert.partialDeepStrictEqual(archived.json(), { archived: true });
      for (const [method, path, json] of [
        ['POST', '/api/v4/projects/1/issues', { title: 'x' }],
        ['PUT', '/api/v4/projects/1/issues/1', { title: 'x' }],
        ['POST', '/api/v4/projects/1/issues/1/notes', { body: 'x' }],
        ['PUT', '/api/v4/projects/1/issues/1/notes/1', { body: 'x' }],
        ['DELETE', '/api/v4/projects/1/issues/1', undefined],
      ] as const) {
        const response = await server.request(method, path, { token: ada.token, ...(json === undefined ? {} : { json }) });
        assert.equal(response.status, 403, `${method} ${path}`);
      }
      assert.deepEqual(names(await server.request('GET', '/api/v4/projects?archived=true')), ['lamps']);
      const back = await server.request('POST', '/api/v4/projects/1/unarchive', { token: ada.token });
      assert.partialDeepStrictEqual(back.json(), { archived: false });
    });

    it('deleting a project removes its issues, notes and events', async () => {
      const response = await server.request('DELETE', '/api/v4/projects/1', { token: ada.token });
      assert.equal(response.status, 202);
      assert.deepEqual(response.json(), { message: '202 Accepted' });
      assert.equal((await server.request('GET', '/api/v4/projects/1', { token: admin })).status, 404);
      assert.deepEqual((await server.request('GET', '/api/v4/events', { token: ada.token })).json(), []);
      for (const table of ['issues', 'notes', 'events', 'project_members']) {
        assert.deepEqual(server.platform.store.get(`SELECT count(*) AS n FROM ${table}`), { n: 0 }, table);
      }
    });

    it('archiving and deleting a project require the owner role', async () => {
      for (const [method, path] of [
        ['POST', '/api/v4/projects/1/archive'],
        ['DELETE', '/api/v4/projects/1'],
      ] as const) {
        assert.equal((await server.request(method, path, { token: bob.token })).status, 403, path);
        assert.equal((await server.request(method, path)).status, 401, path);
      }
    });
  });
});
