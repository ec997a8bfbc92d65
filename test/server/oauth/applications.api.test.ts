import assert from 'node:assert/strict';
import { EXTENSION_CLIENT_ID } from '../../../src/contract/product.ts';
import type { User } from '../../../server/core/caller.ts';
import { createUser, findUser, findUserByName, setPassword } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { applicationById, createApplication } from '../../../server/features/oauth/applications.ts';
import { deviceCodes, decide, poll, refresh, signedIn, extension, token, type Tokens } from './support.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, type TestResponse, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

interface Shown {
  readonly id: number;
  readonly application_id: string;
  readonly secret: string | null;
}

function person(server: TestServer, username: string): User {
  const user = createUser(server.platform, { username, name: username, email: `${username}@example.com` });
  assert.ok(typeof user === 'object');
  return user;
}

/** Returns true if the client can authenticate with the secret. */
async function isClient(server: TestServer, client_id: string, client_secret: string): Promise<boolean> {
  const { status } = await server.request('POST', '/oauth/authorize_device', { form: { client_id, client_secret } });
  assert.ok(status === 200 || status === 401);
  return status === 200;
}

describe('the API of applications', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());

  const input = { name: 'Lamp board', redirect_uri: 'https://lamps.example/callback', scopes: 'api read_user' };
  const post = { method: 'POST', path: '/api/v4/applications', token: admin };

  scenarios(
    () => server,
    [
      {
        ...post,
        name: 'an application is confidential by default',
        json: { ...input, confidential: null },
        status: 201,
        has: { application_name: 'Lamp board', callback_url: input.redirect_uri, confidential: true },
      },
      {
        ...post,
        name: 'a public application has no secret',
        json: { ...input, confidential: false },
        status: 201,
        has: { confidential: false, secret: null },
      },
      {
        ...post,
        name: 'an application can have several redirect URIs',
        json: { ...input, redirect_uri: 'https://a.example/\nvscode://a.b/c' },
        status: 201,
        has: { callback_url: 'https://a.example/\nvscode://a.b/c' },
      },
      {
        ...post,
        name: 'missing parameters are reported',
        json: {},
        status: 400,
        body: { error: 'name is missing, redirect_uri is missing, scopes is missing, scopes is empty' },
      },
      { ...post, name: 'refuses blank scopes', json: { ...input, scopes: ' ' }, status: 400, body: { error: 'scopes is empty' } },
      {
        ...post,
        name: 'a scope is unknown',
        json: { ...input, scopes: 'api everything' },
        status: 400,
        body: { message: { scopes: ["doesn't match configured on the server."] } },
      },
      {
        ...post,
        name: 'a redirect URI would run code in the browser',
        json: { ...input, redirect_uri: 'https://a.example/ javascript:alert(1)' },
        status: 400,
        body: { message: { redirect_uri: ['is forbidden by the server.'] } },
      },
      {
        ...post,
        name: 'a blank name and a relative redirect URI are reported together',
        json: { ...input, name: ' ', redirect_uri: '/callback' },
        status: 400,
        body: { message: { name: ["can't be blank"], redirect_uri: ['must be an absolute URI.'] } },
      },
      { name: 'a token is required', path: '/api/v4/applications', status: 401 },
      {
        ...post,
        name: 'the application does not exist',
        path: '/api/v4/applications/99/renew-secret',
        status: 404,
        body: { message: '404 Application Not Found' },
      },
      {
        method: 'DELETE',
        token: admin,
        name: 'the application to delete does not exist',
        path: '/api/v4/applications/99',
        status: 404,
        body: { message: '404 Application Not Found' },
      },
    ],
  );

  it('the API of applications requires an administrator', async () => {
    const { token: mine } = issuePersonalToken(server.platform, person(server, 'ada'), {
      name: 'n',
      scopes: ['api'],
      expiresAt: null,
    });
    for (const [method, path] of [
      ['GET', '/api/v4/applications'],
      ['POST', '/api/v4/applications'],
      ['DELETE', '/api/v4/applications/1'],
      ['POST', '/api/v4/applications/1/renew-secret'],
    ] as const) {
      const response = await server.request(method, path, method === 'POST' ? { token: mine, json: input } : { token: mine });
      assert.equal(response.status, 403, `${method} ${path}`);
    }
  });

  it('the list of applications contains all IDs and never a secret', async () => {
    const made = (await server.request('POST', '/api/v4/applications', { token: admin, json: input })).json() as Shown;
    assert.match(made.secret ?? '', /^gloas-[0-9a-f]{64}$/);
    const list = await server.request('GET', '/api/v4/applications', { token: admin });
    assert.deepEqual(
      (list.json() as Shown[]).map(({ application_id }) => application_id),
      [EXTENSION_CLIENT_ID, made.application_id],
    );
    assert.deepEqual((list.json() as Shown[])[1], {
      id: made.id,
      application_id: made.application_id,
      application_name: 'Lamp board',
      callback_url: input.redirect_uri,
      confidential: true,
    });
    assert.equal(list.headers.get('x-total'), '2');
    assert.ok(!list.text.includes('secret'));
  });

  it('renewing the secret of an application invalidates the old one', async () => {
    const made = (await server.request('POST', '/api/v4/applications', { token: admin, json: input })).json() as Shown;
    const response = await server.request('POST', `/api/v4/applications/${made.id}/renew-secret`, { token: admin });
    assert.equal(response.status, 201);
    const renewed = response.json() as Shown;
    assert.deepEqual({ ...renewed, secret: '' }, { ...made, secret: '' });
    assert.equal(await isClient(server, made.application_id, made.secret ?? ''), false);
    assert.equal(await isClient(server, made.application_id, renewed.secret ?? ''), true);
    const open = (
      await server.request('POST', '/api/v4/applications', { token: admin, json: { ...input, confidential: false } })
    ).json() as Shown;
    assert.equal((await server.request('POST', `/api/v4/applications/${open.id}/renew-secret`, { token: admin })).status, 400);
  });

  it('deleting an application deletes its tokens, but the application of the extension cannot be deleted', async () => {
    const { application, secret = '' } = createApplication(server.platform, { name: 'n', scopes: ['api'], confidential: true });
    const client = { client_id: application.uid, client_secret: secret };
    const codes = await deviceCodes(server, client);
    await decide(server, codes);
    const { access_token } = (await poll(server, codes, client)).json() as Tokens;
    const use = async (): Promise<number> => (await server.request('GET', '/api/v4/user', { token: access_token })).status;
    assert.equal(await use(), 200);
    assert.equal((await server.request('DELETE', `/api/v4/applications/${application.id}`, { token: admin })).status, 204);
    assert.equal(await use(), 401);
    assert.equal((await server.request('DELETE', '/api/v4/applications/1', { token: admin })).status, 403);
    assert.ok(applicationById(server.platform, 1));
  });
});

describe('the page of applications', () => {
  const page = '/user_settings/applications';
  let server: TestServer;
  let client: PageClient;
  beforeEach(async () => {
    server = await startTestServer();
    person(server, 'ada');
    client = new PageClient(server);
    await client.signIn('ada');
  });
  afterEach(() => server.close());

  const register = async (fields: Readonly<Record<string, string>>): Promise<TestResponse> =>
    client.submit(await client.open(page), page, { name: 'Lamp board', redirect_uri: '', ...fields });
  const secretOn = (response: TestResponse): string => /value="(gloas-[^"]+)"/.exec(response.text)?.[1] ?? '';
  const uidOn = (response: TestResponse): string => /[0-9a-f]{64}(?=<\/dd>)/.exec(response.text)?.[0] ?? '';
  const actionOn = (response: TestResponse, end: string): string =>
    formsOf(response.text).find(({ action }) => action.endsWith(`/${end}`))?.action ?? '';

  it('the page of applications registers a confidential application and shows its secret once', async () => {
    const made = await register({
      kind: 'confidential',
      redirect_uri: 'https://lamps.example/callback',
      'scopes[read_user]': '1',
      'scopes[api]': '1',
    });
    assert.equal(made.status, 200, made.text);
    assert.equal(await isClient(server, uidOn(made), secretOn(made)), true);
    const list = await client.open(page);
    assert.match(
      textOf(list.text),
      /Lamp board confidential Application ID [0-9a-f]{64} Redirect URIs https:\/\/lamps\.example\/callback Scopes api read_user/,
    );
    assert.ok(!list.text.includes(secretOn(made)));
    assert.ok(!list.text.includes('in clear'));
    const owner = server.platform.store.get('SELECT owner_id, trusted FROM oauth_applications WHERE uid = $uid', {
      uid: uidOn(made),
    });
    assert.deepEqual(owner, { owner_id: 2, trusted: 0 });
  });

  it('the page of applications offers the scope read, with which an application can request it', async () => {
    const made = await register({ kind: 'public', 'scopes[read]': '1' });
    assert.equal(made.status, 200, made.text);
    assert.equal((await deviceCodes(server, { client_id: uidOn(made) }, 'read')).interval, 5);
  });

  it('the page of applications registers a public one without secret and without redirect URI', async () => {
    const made = await register({ kind: 'public', 'scopes[api]': '1' });
    assert.match(textOf(made.text), /This application is public and has no secret/);
    assert.equal(secretOn(made), '');
    assert.equal((await deviceCodes(server, { client_id: uidOn(made) })).interval, 5);
    assert.equal(actionOn(made, 'renew'), '');
  });

  it('the page of applications accepts redirect URIs that receive codes in plain text, with a warning', async () => {
    const made = await register({
      kind: 'public',
      'scopes[api]': '1',
      redirect_uri: 'http://lamps.example/c\nhttp://127.0.0.1/c',
    });
    assert.equal(textOf(made.text).match(/Authorization codes sent to http:\/\/lamps\.example\/c are not encrypted/g)?.length, 2);
    assert.match(textOf((await client.open(page)).text), /are not encrypted and can be intercepted/);
  });

  it('the page of applications shows validation errors at each field and keeps the input', async () => {
    const wrong = await register({ name: '<b>', redirect_uri: 'javascript:alert(1)', 'scopes[read_api]': '1' });
    assert.equal(wrong.status, 422);
    assert.match(textOf(wrong.text), /A redirect URI is forbidden by the server\./);
    assert.match(textOf(wrong.text), /The client type must be selected\./);
    const stored = formsOf(wrong.text).find(({ action }) => action === page)?.fields;
    assert.deepEqual([stored?.['name'], stored?.['scopes[read_api]'], stored?.['kind']], ['<b>', '1', undefined]);
    assert.match(wrong.text, />javascript:alert\(1\)<\/textarea>/);
    const empty = await register({ name: ' ', kind: 'public' });
    assert.match(textOf(empty.text), /The name can't be blank\./);
    assert.match(textOf(empty.text), /The application must have at least one scope\./);
    assert.match(textOf((await client.open(page)).text), /No applications yet\./);
  });

  it('the page of applications renews a secret and deletes an application', async () => {
    const made = await register({ kind: 'confidential', 'scopes[api]': '1' });
    const renewed = await client.submit(made, actionOn(made, 'renew'));
    assert.notEqual(secretOn(renewed), secretOn(made));
    assert.equal(await isClient(server, uidOn(made), secretOn(made)), false);
    assert.equal(await isClient(server, uidOn(made), secretOn(renewed)), true);
    const deleted = await client.follow(await client.submit(renewed, actionOn(renewed, 'delete')));
    assert.match(textOf(deleted.text), /Application deleted\./);
    assert.equal(await isClient(server, uidOn(made), secretOn(renewed)), false);
  });

  it('the page of applications cannot change the applications of other users', async () => {
    const root = findUser(server.platform, 1);
    assert.ok(root);
    const { application, secret = '' } = createApplication(server.platform, {
      name: 'of root',
      scopes: ['api'],
      confidential: true,
      owner: root,
    });
    const list = await client.open(page);
    assert.ok(!list.text.includes('of root'));
    const authenticity_token = formsOf(list.text)[0]?.fields['authenticity_token'] ?? '';
    for (const id of [application.id, 1, 'x'])
      for (const end of ['renew', 'delete', 'revoke']) {
        assert.equal((await client.post(`${page}/${id}/${end}`, { authenticity_token })).status, 404, `${id} ${end}`);
      }
    assert.equal(await isClient(server, application.uid, secret), true);
  });

  it('the page of applications lists authorized applications and revokes the access of one user only', async () => {
    const codes = await deviceCodes(server);
    await decide(server, codes, 'approve', 'ada');
    const mine = (await poll(server, codes)).json() as Tokens;
    const next = (await refresh(server, mine.refresh_token, extension)).json() as Tokens;
    const ofRoot = await signedIn(server);
    const waiting = await deviceCodes(server);
    await decide(server, waiting, 'approve', 'ada');
    const list = await client.open(page);
    assert.match(textOf(list.text), /Authorized applications .* api Granted less than a minute ago/);
    assert.equal(formsOf(list.text).filter(({ action }) => action.endsWith('/revoke')).length, 1);
    const done = await client.follow(await client.submit(list, actionOn(list, 'revoke')));
    assert.match(textOf(done.text), /The application can no longer use your account\./);
    assert.match(textOf(done.text), /Authorized applications No authorized applications\./);
    assert.equal((await server.request('GET', '/api/v4/user', { token: next.access_token })).status, 401);
    assert.equal((await refresh(server, next.refresh_token, extension)).status, 400);
    assert.deepEqual((await poll(server, waiting)).json(), {
      error: 'access_denied',
      error_description: 'The resource owner or authorization server denied the request.',
    });
    assert.equal((await server.request('GET', '/api/v4/user', { token: ofRoot.access_token })).status, 200);
  });

  it('the page of applications lists password grants without an application and revokes only those', async () => {
    const grants: Tokens[] = [];
    for (const username of ['ada', 'root']) {
      const user = findUserByName(server.platform, username);
      assert.ok(user);
      await setPassword(server.platform, user, 'a long pass phrase');
      const form = { grant_type: 'password', username, password: 'a long pass phrase' };
      grants.push((await token(server, form)).json() as Tokens);
    }
    const [mine, ofRoot] = grants;
    assert.ok(mine !== undefined && ofRoot !== undefined);
    const codes = await deviceCodes(server);
    await decide(server, codes, 'approve', 'ada');
    const ofApplication = (await poll(server, codes)).json() as Tokens;
    const list = await client.open(page);
    assert.match(
      textOf(list.text),
      /Clients without an application ID They got their tokens with your username and password\. api/,
    );
    const done = await client.follow(await client.submit(list, `${page}/none/revoke`));
    assert.ok(!textOf(done.text).includes('Clients without an application ID'));
    const statusOf = async ({ access_token }: Tokens): Promise<number> =>
      (await server.request('GET', '/api/v4/user', { token: access_token })).status;
    assert.deepEqual([await statusOf(mine), await statusOf(ofRoot), await statusOf(ofApplication)], [401, 200, 200]);
    const again = await token(server, { grant_type: 'refresh_token', refresh_token: mine.refresh_token });
    assert.equal(again.status, 400);
    assert.equal((await client.submit(list, `${page}/none/revoke`)).status, 404, 'there is nothing more');
  });

  it('the page of applications still lists a sign-in whose access token has expired, because it can be renewed', async () => {
    const codes = await deviceCodes(server);
    await decide(server, codes, 'approve', 'ada');
    await poll(server, codes);
    server.platform.clock.advance(3 * 3_600_000);
    assert.notEqual(actionOn(await client.open(page), 'revoke'), '');
  });
});
