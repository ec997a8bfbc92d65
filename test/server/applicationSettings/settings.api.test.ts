import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { User } from '../../../server/core/caller.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import type { Profile } from '../../../server/core/profile.ts';
import { refusalOf } from '../oauth/codes.ts';
import { checkError, confidentialClient, token } from '../oauth/support.ts';
import { PageClient } from '../../support/pages.ts';
import { cheapHash } from '../../support/passwords.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const password = 'a long pass phrase';
const address = '/api/v4/application/settings';
const usual = {
  password_authentication_enabled_for_git: true,
  ropc_without_client_credentials: true,
  throttle_unauthenticated_api_enabled: false,
  throttle_authenticated_api_enabled: false,
  offset_pagination_limit: 50_000,
  throttle_unauthenticated_api_requests_per_period: 3600,
  throttle_unauthenticated_api_period_in_seconds: 3600,
  throttle_authenticated_api_requests_per_period: 7200,
  throttle_authenticated_api_period_in_seconds: 3600,
  push_event_activities_limit: 3,
  push_event_hooks_limit: 3,
  max_attachment_size: 100,
  scan_execution_policies_action_limit: 10,
  error_tracking_requests_per_minute: 1_000_000,
  error_tracking_stream_project_id: 0,
  repository_storages_weighted: { default: 100 },
  smtp_url: '',
};

function namesBut(...absent: readonly string[]): readonly string[] {
  return Object.keys(usual).filter((name) => !absent.includes(name));
}

describe('instance settings', () => {
  let hash: string;
  let server: TestServer;
  before(() => {
    hash = cheapHash(password);
  });
  async function start(profile: Partial<Profile> = {}): Promise<User> {
    server = await startTestServer({ profile });
    const made = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@example.com', passwordHash: hash });
    assert.ok(typeof made === 'object');
    return made;
  }
  afterEach(() => server.close());

  const put = (json: unknown): Promise<TestResponse> => server.request('PUT', address, { token: server.adminToken, json });
  const get = async (): Promise<unknown> => (await server.request('GET', address, { token: server.adminToken })).json();
  const grant = (more: Readonly<Record<string, string>> = {}): Promise<TestResponse> =>
    token(server, { grant_type: 'password', username: 'ada', password, ...more });

  it('settings have default values and can be changed separately', async () => {
    await start();
    assert.deepEqual(await get(), usual);
    const changed = await put({ ropc_without_client_credentials: false });
    assert.equal(changed.status, 200);
    assert.deepEqual(changed.json(), { ...usual, ropc_without_client_credentials: false });
    await put({ offset_pagination_limit: 100 });
    assert.deepEqual(await get(), { ...usual, ropc_without_client_credentials: false, offset_pagination_limit: 100 });
    await put({ ropc_without_client_credentials: true });
    assert.deepEqual(await get(), { ...usual, offset_pagination_limit: 100 });
  });

  it('settings cannot exceed the integer columns of GitLab', async () => {
    await start();
    for (const name of ['offset_pagination_limit', 'throttle_unauthenticated_api_period_in_seconds']) {
      const response = await put({ [name]: 2 ** 31 });
      assert.deepEqual(
        [response.status, response.json()],
        [400, { message: { [name]: ['must be less than or equal to 2147483647'] } }],
      );
      assert.equal((await put({ [name]: 2 ** 31 - 1 })).status, 200);
    }
  });

  it('the size of uploads cannot exceed what the server keeps in memory', async () => {
    await start();
    for (const [size, text] of [
      [0, 'must be greater than 0'],
      [101, 'must be less than or equal to 100'],
    ] as const) {
      const response = await put({ max_attachment_size: size });
      assert.deepEqual([response.status, response.json()], [400, { message: { max_attachment_size: [text] } }]);
    }
    assert.deepEqual((await put({ max_attachment_size: 1 })).json(), { ...usual, max_attachment_size: 1 });
  });

  it('settings are stored across a restart', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-settings-'));
    try {
      const file = path.join(folder, 'signalbox.sqlite');
      server = await startTestServer({ file });
      await put({ offset_pagination_limit: 7 });
      await server.close();
      server = await startTestServer({ file });
      assert.deepEqual(await get(), { ...usual, offset_pagination_limit: 7 });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('invalid and missing settings are refused with the messages of GitLab, and unknown ones are ignored beside known ones', async () => {
    await start();
    const names = [...Object.keys(usual), 'smtp_password'].join(', ');
    const missing = { error: `${names} are missing, at least one parameter must be provided` };
    for (const [json, body] of [
      [{ ropc_without_client_credentials: 'perhaps' }, { error: 'ropc_without_client_credentials is invalid' }],
      [{ offset_pagination_limit: 'many' }, { error: 'offset_pagination_limit is invalid' }],
      [{ offset_pagination_limit: -1 }, { message: { offset_pagination_limit: ['must be greater than or equal to 0'] } }],
      [{}, missing],
      [{ signup_enabled: false }, missing],
    ] as const) {
      const response = await put(json);
      assert.equal(response.status, 400, JSON.stringify(json));
      assert.deepEqual(response.json(), body);
    }
    const response = await put({ signup_enabled: false, max_attachment_size: 100 });
    assert.deepEqual([response.status, response.json()], [200, usual]);
  });

  it('settings require an administrator', async () => {
    const ada = await start();
    const own = issuePersonalToken(server.platform, ada, { name: 'own', scopes: ['api'], expiresAt: null }).token;
    for (const method of ['GET', 'PUT']) {
      assert.equal((await server.request(method, address)).status, 401);
      assert.equal((await server.request(method, address, { token: own })).status, 403);
    }
  });

  it('disabling password authentication for Git also disables the password grant', async () => {
    await start();
    await put({ password_authentication_enabled_for_git: false });
    const [right, wrong] = [await grant(), await grant({ password: 'wrong' })];
    checkError(right, 400, 'invalid_grant');
    assert.equal(refusalOf(server).rule, 'setting.password_authentication_enabled_for_git');
    assert.equal(right.text, wrong.text);
    checkError(await grant({ ...confidentialClient(server) }), 400, 'invalid_grant');
    const browser = new PageClient(server);
    const page = await browser.open('/users/sign_in');
    assert.equal((await browser.submit(page, '/users/sign_in', { login: 'ada', password })).status, 303);
    await put({ password_authentication_enabled_for_git: true });
    assert.equal((await grant()).status, 200);
  });

  it('a setting makes the password grant require an application', async () => {
    await start();
    const client = confidentialClient(server);
    await put({ ropc_without_client_credentials: false });
    checkError(await grant(), 401, 'invalid_client');
    assert.match(refusalOf(server).reason, /instance settings require an application/);
    assert.equal((await grant({ ...client })).status, 200);
    await put({ ropc_without_client_credentials: true });
    assert.equal((await grant()).status, 200);
  });

  it('the hosted offering always requires an application for the password grant', async () => {
    await start({ offering: 'multi-tenant' });
    await put({ ropc_without_client_credentials: true });
    checkError(await grant(), 401, 'invalid_client');
  });

  it('a setting limits the offset of lists that support keyset pagination', async () => {
    await start();
    const list = (type: string, bearer?: string): Promise<TestResponse> =>
      server.request('GET', `/api/v4/${type}?page=11&per_page=10`, bearer === undefined ? {} : { token: bearer });
    const statuses = async (): Promise<readonly number[]> =>
      Promise.all(
        [list('users', server.adminToken), list('projects', server.adminToken), list('groups')].map(
          async (one) => (await one).status,
        ),
      );
    assert.deepEqual(await statuses(), [200, 200, 200]);
    await put({ offset_pagination_limit: 100 });
    assert.deepEqual(await statuses(), [405, 405, 405]);
    const refused = await list('projects', server.adminToken);
    assert.match(refused.text, /maximum allowed offset of 100 for requests that return objects of type Project/);
    await put({ offset_pagination_limit: 110 });
    assert.deepEqual(await statuses(), [200, 200, 200]);
    await put({ offset_pagination_limit: 0 });
    const far = await server.request('GET', '/api/v4/projects?page=9000000', { token: server.adminToken });
    assert.equal(far.status, 200, 'zero is no limit');
    assert.deepEqual(await get(), { ...usual, offset_pagination_limit: 0 });
  });

  for (const [release, names] of [
    ['17.10', namesBut('ropc_without_client_credentials')],
    ['17.11', namesBut()],
    ['19.0', namesBut('ropc_without_client_credentials')],
  ] as const) {
    it(`the settings are those of release ${release}`, async () => {
      await start({ release });
      assert.deepEqual(Object.keys((await get()) as object), names);
      const response = await put({ ropc_without_client_credentials: 'perhaps', offset_pagination_limit: 9 });
      assert.equal(response.status, release === '17.11' ? 400 : 200, 'a parameter that is not there is ignored');
    });
  }

  for (const offering of ['multi-tenant', 'dedicated'] as const) {
    it(`the maximum offset cannot be configured on the offering ${offering}`, async () => {
      await start({ offering });
      server.platform.store.run("INSERT INTO instance_settings VALUES ('offset_pagination_limit', 10)");
      assert.deepEqual(
        Object.keys((await get()) as object),
        namesBut('offset_pagination_limit', 'scan_execution_policies_action_limit'),
      );
      await put({ offset_pagination_limit: 20, push_event_activities_limit: 3 });
      const list = async (page: number) =>
        (await server.request('GET', `/api/v4/projects?per_page=100&page=${page}`, { token: server.adminToken })).status;
      assert.deepEqual([await list(500), await list(501)], [200, 405]);
    });
  }

  it('stored settings that the emulated release does not have are ignored', async () => {
    await start({ release: '17.10' });
    server.platform.store.run("INSERT INTO instance_settings VALUES ('ropc_without_client_credentials', 0)");
    assert.equal((await grant()).status, 200);
  });
});
