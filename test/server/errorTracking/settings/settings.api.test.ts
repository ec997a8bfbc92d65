import assert from 'node:assert/strict';
import { readErrorTrackingSettings } from '../../../../src/contract/errorTracking.ts';
import { type Actor, actor, projectWith } from '../../projects/cast.ts';
import { checkScenario, type Scenario } from '../../../support/scenarios.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../../support/server.ts';

type Who = 'owner' | 'maintainer' | 'developer' | 'reporter' | 'stranger' | 'nobody' | 'root' | 'reader';

const settings = (active: boolean, integrated: boolean): object => ({
  active,
  project_name: null,
  tracker_external_url: null,
  api_url: null,
  integrated,
});
const unset = { message: '404 Error Tracking Setting Not Found' };
const unservable = { message: { api_url: ['is a required field'] } };
const on = { active: true, integrated: true };

interface Row extends Pick<Scenario, 'method' | 'status' | 'body' | 'json' | 'form'> {
  /** Name of the step. */
  readonly name: string;
  readonly as?: Who;
  /** Settings before the step, set by PUT. */
  readonly before?: { readonly active: boolean; readonly integrated: boolean };
  /** Settings after the step. Undefined if unchanged. */
  readonly after?: object;
}

const table: readonly Row[] = [
  { name: 'a project has no error tracking settings until somebody sets them', status: 404, body: unset },
  { name: 'GET: tells what was set', before: on, status: 200, body: settings(true, true) },
  {
    name: 'PUT: creates them, with null for what another backend would have',
    method: 'PUT',
    json: on,
    status: 200,
    body: settings(true, true),
    after: settings(true, true),
  },
  {
    name: 'PUT: replaces them',
    method: 'PUT',
    before: on,
    json: { active: false, integrated: true },
    status: 200,
    body: settings(false, true),
    after: settings(false, true),
  },
  {
    name: 'PUT: takes a form and the spellings of booleans',
    method: 'PUT',
    form: 'active=1&integrated=yes',
    status: 200,
    body: settings(true, true),
    after: settings(true, true),
  },
  {
    name: 'PUT stores error tracking settings that are neither active nor integrated',
    method: 'PUT',
    json: { active: false, integrated: false },
    status: 200,
    body: settings(false, false),
    after: settings(false, false),
  },
  {
    name: 'PUT refuses active tracking by another backend, and creates no settings',
    method: 'PUT',
    json: { active: true, integrated: false },
    status: 400,
    body: unservable,
    after: unset,
  },
  {
    name: 'PUT refuses active tracking by another backend, and leaves existing settings',
    method: 'PUT',
    before: on,
    json: { active: true, integrated: false },
    status: 400,
    body: unservable,
  },
  {
    name: 'PUT: active is required',
    method: 'PUT',
    json: { integrated: true },
    status: 400,
    body: { error: 'active is missing' },
  },
  {
    name: 'PUT: integrated is required',
    method: 'PUT',
    json: { active: true },
    status: 400,
    body: { error: 'integrated is missing' },
    after: unset,
  },
  {
    name: 'PUT: complains of both at once',
    method: 'PUT',
    json: {},
    status: 400,
    body: { error: 'active is missing, integrated is missing' },
  },
  {
    name: 'PUT: active is a boolean',
    method: 'PUT',
    json: { active: 'perhaps', integrated: true },
    status: 400,
    body: { error: 'active is invalid' },
  },
  {
    name: 'PUT: integrated is a boolean',
    method: 'PUT',
    json: { active: true, integrated: [true] },
    status: 400,
    body: { error: 'integrated is invalid' },
  },
  {
    name: 'PUT: active is not blank',
    method: 'PUT',
    json: { active: '', integrated: true },
    status: 400,
    body: { error: 'active is empty' },
  },
  { name: 'PATCH: never creates', method: 'PATCH', json: { active: true }, status: 404, body: unset, after: unset },
  {
    name: 'PATCH: never creates, also with both members',
    method: 'PATCH',
    json: on,
    status: 404,
    body: unset,
    after: unset,
  },
  {
    name: 'PATCH with active=false makes error tracking inactive and leaves the rest',
    method: 'PATCH',
    before: on,
    json: { active: false },
    status: 200,
    body: settings(false, true),
    after: settings(false, true),
  },
  {
    name: 'PATCH with active=true makes error tracking active',
    method: 'PATCH',
    before: { active: false, integrated: true },
    json: { active: true },
    status: 200,
    body: settings(true, true),
    after: settings(true, true),
  },
  {
    name: 'PATCH: integrated is optional and changes when it is sent',
    method: 'PATCH',
    before: { active: false, integrated: false },
    json: on,
    status: 200,
    body: settings(true, true),
    after: settings(true, true),
  },
  {
    name: 'PATCH: refuses to be active by another backend',
    method: 'PATCH',
    before: { active: false, integrated: false },
    json: { active: true },
    status: 400,
    body: unservable,
  },
  {
    name: 'PATCH: active is required',
    method: 'PATCH',
    before: on,
    json: { integrated: true },
    status: 400,
    body: { error: 'active is missing' },
  },
  {
    name: 'PATCH: active is a boolean',
    method: 'PATCH',
    before: on,
    json: { active: 2 },
    status: 400,
    body: { error: 'active is invalid' },
  },
  {
    name: 'PATCH: active is not blank',
    method: 'PATCH',
    before: on,
    json: { active: '' },
    status: 400,
    body: { error: 'active is empty' },
  },
  { name: 'an owner may read error tracking settings', as: 'owner', before: on, status: 200, body: settings(true, true) },
  { name: 'an administrator may read error tracking settings', as: 'root', before: on, status: 200, body: settings(true, true) },
  ...(['GET', 'PUT', 'PATCH'] as const).flatMap((method): Row[] => {
    const sent = method === 'GET' ? {} : { json: { active: false, integrated: false } };
    const forbidden = { status: 403, body: { message: '403 Forbidden' } };
    return [
      {
        name: `${method} of error tracking settings is refused to developers`,
        as: 'developer',
        method,
        before: on,
        ...sent,
        ...forbidden,
      },
      {
        name: `${method} of error tracking settings is refused to reporters`,
        as: 'reporter',
        method,
        before: on,
        ...sent,
        ...forbidden,
      },
      {
        name: `${method} of error tracking settings without a token is refused`,
        as: 'nobody',
        method,
        before: on,
        ...sent,
        status: 401,
        body: { message: '401 Unauthorized' },
      },
      {
        name: `${method} of error tracking settings by somebody who does not see the project is 404`,
        as: 'stranger',
        method,
        before: on,
        ...sent,
        status: 404,
        body: { message: '404 Project Not Found' },
      },
    ];
  }),
  { name: 'scopes: read_api reads them', as: 'reader', before: on, status: 200, body: settings(true, true) },
  {
    name: 'scopes: read_api changes nothing',
    as: 'reader',
    method: 'PUT',
    before: on,
    json: { active: false, integrated: false },
    status: 403,
    body: {
      error: 'insufficient_scope',
      error_description: 'The request requires higher privileges than provided by the access token.',
      scope: 'api',
    },
  },
];

describe('error tracking settings', function () {
  let server: TestServer;
  let cast: Readonly<Record<Exclude<Who, 'nobody' | 'root'>, Actor>>;
  let count = 0;

  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    cast = {
      owner: actor(platform, 'owner'),
      maintainer: actor(platform, 'maintainer'),
      developer: actor(platform, 'developer'),
      reporter: actor(platform, 'reporter'),
      stranger: actor(platform, 'stranger'),
      reader: actor(platform, 'reader', { scopes: ['read_api'] }),
    };
  });
  after(() => server.close());

  const project = (): { readonly id: number; readonly path: string } => {
    const { owner, maintainer, developer, reporter, reader } = cast;
    const { project: made } = projectWith(server.platform, owner, { name: `Lamps ${(count += 1)}`, visibility: 'private' }, [
      [maintainer, 40],
      [developer, 30],
      [reporter, 20],
      [reader, 40],
    ]);
    return { id: made.id, path: made.full_path };
  };
  const call = (id: number | string, row: Pick<Row, 'method' | 'json' | 'form' | 'as'> = {}): Promise<TestResponse> => {
    const { as = 'maintainer', method = 'GET', json, form } = row;
    const token = as === 'nobody' ? undefined : as === 'root' ? server.adminToken : cast[as].token;
    return server.request(method, `/api/v4/projects/${encodeURIComponent(id)}/error_tracking/settings`, {
      ...(token === undefined ? {} : { token }),
      ...(json === undefined ? {} : { json }),
      ...(form === undefined ? {} : { form }),
    });
  };

  for (const row of table) {
    it(row.name, async () => {
      const { id } = project();
      if (row.before !== undefined) assert.equal((await call(id, { method: 'PUT', json: row.before })).status, 200);
      const before = (await call(id)).json();
      checkScenario(await call(id, row), { path: '', ...row });
      assert.deepEqual((await call(id)).json(), row.after ?? before);
    });
  }

  it('error tracking settings are found by number and path of the project, also by a former path', async () => {
    const { id, path } = project();
    await call(id, { method: 'PUT', json: on });
    assert.deepEqual((await call(path)).json(), settings(true, true));
    const renamed = await server.request('PUT', `/api/v4/projects/${id}`, {
      token: server.adminToken,
      json: { path: 'renamed' },
    });
    assert.equal(renamed.status, 200);
    assert.deepEqual((await call('owner/renamed')).json(), settings(true, true));
    const moved = await call(path);
    assert.equal(moved.status, 301);
    assert.equal(moved.headers.get('location'), `${server.origin}/api/v4/projects/${id}/error_tracking/settings`);
  });

  it('error tracking settings remain when the project is transferred to a group, and are deleted with it', async () => {
    const { id } = project();
    await call(id, { method: 'PUT', json: on });
    const { id: group } = Object(
      (await server.request('POST', '/api/v4/groups', { token: server.adminToken, json: { name: 'G', path: 'g' } })).json(),
    );
    const path = `/api/v4/projects/${id}/transfer`;
    assert.equal((await server.request('PUT', path, { token: server.adminToken, json: { namespace: group } })).status, 200);
    assert.deepEqual((await call(id, { as: 'root' })).json(), settings(true, true));
    await server.request('DELETE', `/api/v4/projects/${id}`, { token: server.adminToken });
    const left = server.platform.store.get('SELECT 1 FROM error_tracking_settings WHERE project_id = $id', { id });
    assert.equal(left, undefined);
  });

  it('PUT of error tracking settings exists in the oldest release', async () => {
    await using oldest = await startTestServer({ profile: { release: '15.1' } });
    const token = oldest.adminToken;
    const { id } = Object((await oldest.request('POST', '/api/v4/projects', { token, json: { name: 'Lamps' } })).json());
    const put = await oldest.request('PUT', `/api/v4/projects/${id}/error_tracking/settings`, { token, json: on });
    assert.deepEqual([put.status, put.json()], [200, settings(true, true)]);
  });

  it('error tracking settings have sentry_external_url in the observed dialect', async () => {
    await using observed = await startTestServer({ profile: { dialect: 'observed' } });
    const token = observed.adminToken;
    const { id } = Object((await observed.request('POST', '/api/v4/projects', { token, json: { name: 'Lamps' } })).json());
    for (const [method, json] of [
      ['PUT', on],
      ['PATCH', { active: true }],
      ['GET', undefined],
    ] as const) {
      const response = await observed.request(method, `/api/v4/projects/${id}/error_tracking/settings`, {
        token,
        ...(json === undefined ? {} : { json }),
      });
      const expected = { active: true, project_name: null, sentry_external_url: null, api_url: null, integrated: true };
      assert.deepEqual(response.json(), expected, method);
      assert.deepEqual(readErrorTrackingSettings(response.json()), settings(true, true));
    }
  });
});
