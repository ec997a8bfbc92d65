import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, type JWTPayload, jwtVerify } from 'jose';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { User } from '../../../server/core/caller.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { rootOf } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addressOf, codeClient, codeFor, decideOn, exchangeCode, person, refusalOf, requestOf, returned } from './codes.ts';
import { checkError, type Client, deviceCodes, decide, poll, refresh, signedIn, token, type Tokens } from './support.ts';

const SCOPES = ['openid', 'profile', 'email', 'api'];
type OpenIdTokens = Tokens & { readonly id_token?: string };

describe('OpenID Connect', () => {
  let server: TestServer;
  let client: Client;
  let ada: User;
  before(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(Math.floor(Date.now() / 1000) * 1000);
    client = codeClient(server, { scopes: SCOPES });
    const { platform } = server;
    const user = createUser(platform, { username: 'ada', name: 'Ada Lovelace', email: 'ada@signalbox.example' });
    assert.ok(typeof user === 'object');
    ada = user;
    const root = rootOf(platform);
    const works = createGroup(platform, root, { name: 'Works', path: 'works' });
    createGroup(platform, root, { name: 'Night', path: 'night', parent: works });
    const yard = createGroup(platform, root, { name: 'Yard', path: 'yard' });
    createGroup(platform, root, { name: 'Elsewhere', path: 'elsewhere' });
    addGroupMember(platform, works.group, ada, { level: 40 }, { user: root });
    addGroupMember(platform, yard.group, ada, { level: 20 }, { user: root });
  });
  after(() => server.close());

  async function tokensOf(scope: string, more: Readonly<Record<string, string>> = {}, username = 'ada'): Promise<OpenIdTokens> {
    const response = await decideOn(await person(server, username), requestOf(client, { scope, ...more }));
    return (await exchangeCode(server, returned(response)['code'] ?? '', client)).json() as OpenIdTokens;
  }

  async function verified(idToken: string | undefined): Promise<JWTPayload> {
    const keys = createRemoteJWKSet(new URL(`${server.origin}/oauth/discovery/keys`));
    const options = { issuer: server.origin, audience: client.client_id, currentDate: new Date(server.platform.clock.now()) };
    return (await jwtVerify(idToken ?? '', keys, options)).payload;
  }

  it('the scope openid gives an ID token, signed with the published key', async () => {
    const { id_token } = await tokensOf('openid email', { nonce: 'n-0S6_WzA2Mj"ä' });
    const { keys } = (await server.request('GET', '/oauth/discovery/keys')).json() as { keys: { kid: string }[] };
    assert.deepEqual(decodeProtectedHeader(id_token ?? ''), { typ: 'JWT', kid: keys[0]?.kid, alg: 'RS256' });
    const now = server.platform.clock.now() / 1000;
    const { sub_legacy, ...claims } = await verified(id_token);
    assert.match(String(sub_legacy), /^[0-9a-f]{64}$/);
    assert.deepEqual(claims, {
      iss: server.origin,
      sub: String(ada.id),
      aud: client.client_id,
      exp: now + 120,
      iat: now,
      nonce: 'n-0S6_WzA2Mj"ä',
      auth_time: now,
      name: 'Ada Lovelace',
      nickname: 'ada',
      preferred_username: 'ada',
      email: 'ada@signalbox.example',
      email_verified: true,
      profile: `${server.origin}/ada`,
      groups_direct: ['works', 'yard'],
    });
  });

  it('there is no ID token without the scope openid, and no email in it without the scope email', async () => {
    assert.equal('id_token' in (await tokensOf('api')), false);
    const claims = await verified((await tokensOf('openid')).id_token);
    assert.equal(claims['email'], undefined);
    assert.equal(claims['nonce'], undefined);
  });

  it('a refresh returns a new ID token of the same sign-in, without nonce', async () => {
    const signedInAt = server.platform.clock.now() / 1000;
    const first = await tokensOf('openid', { nonce: 'once' });
    server.platform.clock.advance(3_600_000);
    const second = (await refresh(server, first.refresh_token, client)).json() as OpenIdTokens;
    const claims = await verified(second.id_token);
    assert.deepEqual([claims.iat, claims['auth_time'], claims['nonce']], [signedInAt + 3600, signedInAt, undefined]);
    const third = (await refresh(server, second.refresh_token, client, { scope: 'openid' })).json() as OpenIdTokens;
    assert.equal((await verified(third.id_token)).sub, String(ada.id));
  });

  it('the device grant returns an ID token, and client credentials do not', async () => {
    const codes = await deviceCodes(server, client, 'openid');
    await decide(server, codes);
    const { id_token } = (await poll(server, codes, client)).json() as OpenIdTokens;
    assert.equal(decodeJwt(id_token ?? '').sub, '1');
    const own = codeClient(server, { confidential: true, scopes: ['openid'] });
    const response = (await token(server, { grant_type: 'client_credentials', scope: 'openid', ...own })).json() as OpenIdTokens;
    assert.equal(response.id_token, undefined);
    const info = await server.request('GET', '/oauth/userinfo', { token: response.access_token });
    assert.equal(info.status, 401);
  });

  it('the published keys contain no private member', async () => {
    const response = await server.request('GET', '/oauth/discovery/keys');
    const { keys } = response.json() as { keys: Record<string, string>[] };
    assert.equal(keys.length, 1);
    assert.deepEqual(Object.keys(keys[0] ?? {}).toSorted(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);
    assert.equal(response.headers.get('cache-control'), 'max-age=86400, public, must-revalidate, no-transform');
  });

  describe('/oauth/userinfo', () => {
    it('userinfo describes the user, by GET and POST, with the token in the header or as a parameter', async () => {
      const { access_token } = await tokensOf('openid email');
      for (const response of [
        await server.request('GET', '/oauth/userinfo', { token: access_token }),
        await server.request('POST', '/oauth/userinfo', { token: access_token }),
        await server.request('GET', `/oauth/userinfo?access_token=${access_token}`),
        await server.request('POST', '/oauth/userinfo', { form: { access_token } }),
        await server.request('POST', '/oauth/userinfo', { form: { bearer_token: access_token } }),
      ]) {
        assert.equal(response.status, 200, response.text);
        const { sub_legacy, ...claims } = response.json() as Record<string, unknown>;
        assert.match(String(sub_legacy), /^[0-9a-f]{64}$/);
        assert.deepEqual(claims, {
          sub: String(ada.id),
          name: 'Ada Lovelace',
          nickname: 'ada',
          preferred_username: 'ada',
          email: 'ada@signalbox.example',
          email_verified: true,
          profile: `${server.origin}/ada`,
          groups: ['works', 'works/night', 'yard'],
          'https://gitlab.org/claims/groups/maintainer': ['works', 'works/night'],
        });
      }
    });

    it('userinfo returns only the public email without the scope email', async () => {
      const { access_token } = await tokensOf('openid');
      const open = (await server.request('GET', '/oauth/userinfo', { token: access_token })).json() as object;
      assert.equal('email' in open, false);
      assert.equal('email_verified' in open, false);
    });

    it('userinfo reports an invalid token or a missing scope only in the challenge', async () => {
      const dead = await tokensOf('openid');
      await refresh(server, dead.refresh_token, client);
      const narrow = await tokensOf('api');
      const own = await tokensOf('openid');
      const late = await tokensOf('openid');
      const check = async (bearer: string | undefined, status: number, challenge: RegExp): Promise<void> => {
        const response = await server.request('GET', '/oauth/userinfo', bearer === undefined ? {} : { token: bearer });
        assert.deepEqual([response.status, response.text], [status, '']);
        assert.match(response.headers.get('www-authenticate') ?? '', challenge);
        assert.equal(response.headers.get('cache-control'), 'no-store');
        assert.notEqual(refusalOf(server).reason, '');
      };
      await check(
        undefined,
        401,
        /^Bearer realm="Doorkeeper", error="invalid_token", error_description="The access token is invalid"$/,
      );
      await check('unknown', 401, /is invalid"$/);
      await check(server.adminToken, 401, /is invalid"$/);
      await check(dead.access_token, 401, /was revoked"$/);
      await check(narrow.access_token, 403, /error="insufficient_scope".*scope="openid"$/);
      await server.request('POST', `/api/v4/users/${ada.id}/block`, { token: server.adminToken });
      await check(own.access_token, 401, /is invalid"$/);
      await server.request('POST', `/api/v4/users/${ada.id}/unblock`, { token: server.adminToken });
      server.platform.clock.advance(7200_000);
      await check(late.access_token, 401, /expired"$/);
    });

    it('userinfo refuses a token that is sent in two ways', async () => {
      const { access_token } = await tokensOf('openid');
      const response = await server.request('GET', `/oauth/userinfo?access_token=${access_token}`, { token: access_token });
      checkError(response, 400, 'invalid_request');
    });
  });

  describe('metadata', () => {
    it('the metadata lists every endpoint under the requested address, identically on both paths', async () => {
      const responses = await Promise.all(
        ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'].map((where) =>
          server.request('GET', where),
        ),
      );
      for (const response of responses) {
        assert.equal(response.status, 200);
        assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
        assert.equal(response.headers.get('content-security-policy'), null);
        const { scopes_supported, claims_supported, ...rest } = response.json() as Record<string, unknown>;
        for (const scope of ['api', 'openid', 'profile', 'email']) assert.ok((scopes_supported as string[]).includes(scope));
        for (const claim of ['iss', 'sub', 'aud', 'groups']) assert.ok((claims_supported as string[]).includes(claim));
        const at = (where: string): string => `${server.origin}${where}`;
        assert.deepEqual(rest, {
          issuer: server.origin,
          authorization_endpoint: at('/oauth/authorize'),
          token_endpoint: at('/oauth/token'),
          revocation_endpoint: at('/oauth/revoke'),
          introspection_endpoint: at('/oauth/introspect'),
          userinfo_endpoint: at('/oauth/userinfo'),
          jwks_uri: at('/oauth/discovery/keys'),
          device_authorization_endpoint: at('/oauth/authorize_device'),
          response_types_supported: ['code'],
          response_modes_supported: ['query', 'fragment', 'form_post'],
          grant_types_supported: [
            'authorization_code',
            'password',
            'client_credentials',
            'urn:ietf:params:oauth:grant-type:device_code',
            'device_code',
            'refresh_token',
          ],
          token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          claim_types_supported: ['normal'],
          code_challenge_methods_supported: ['S256'],
          authorization_response_iss_parameter_supported: true,
        });
      }
    });

    it('the configured public URL is in the metadata, the authorization response and the ID token', async () => {
      await using behind = await startTestServer({ publicUrl: 'https://signalbox.example/' });
      const metadata = (await behind.request('GET', '/.well-known/openid-configuration')).json() as Record<string, unknown>;
      assert.equal(metadata['issuer'], 'https://signalbox.example');
      assert.equal(metadata['jwks_uri'], 'https://signalbox.example/oauth/discovery/keys');
      const there = codeClient(behind, { scopes: SCOPES });
      const response = returned(await decideOn(await person(behind), requestOf(there, { scope: 'openid' })));
      assert.equal(response['iss'], 'https://signalbox.example');
      const { id_token = '' } = (await exchangeCode(behind, response['code'] ?? '', there)).json() as OpenIdTokens;
      assert.equal(decodeJwt(id_token).iss, 'https://signalbox.example');
    });

    it('the metadata omits what the release does not support', async () => {
      const namesOf = async (release: '17.0' | '19.0'): Promise<Record<string, unknown>> => {
        await using other = await startTestServer({ profile: { release } });
        return (await other.request('GET', '/.well-known/openid-configuration')).json() as Record<string, unknown>;
      };
      const old = await namesOf('17.0');
      assert.equal(old['device_authorization_endpoint'], undefined);
      assert.deepEqual(old['grant_types_supported'], ['authorization_code', 'password', 'client_credentials', 'refresh_token']);
      assert.ok(!((await namesOf('19.0'))['grant_types_supported'] as string[]).includes('password'));
    });

    it('the protected resource metadata names the issuer', async () => {
      const response = await server.request('GET', '/.well-known/webfinger?resource=acct%3Aada%40signalbox.example');
      assert.deepEqual(response.json(), {
        subject: 'acct:ada@signalbox.example',
        links: [{ rel: 'http://openid.net/specs/connect/1.0/issuer', href: server.origin }],
      });
      checkError(await server.request('GET', '/.well-known/webfinger'), 400, 'invalid_request');
    });
  });
});

describe('ID token signing key', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-key-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const start = (): Promise<TestServer> => startTestServer({ file: path.join(folder, 'signalbox.sqlite'), dataFolder: folder });
  const kidOf = async (server: TestServer): Promise<string | undefined> =>
    ((await server.request('GET', '/oauth/discovery/keys')).json() as { keys: { kid: string }[] }).keys[0]?.kid;

  it('the signing key is created once, also by concurrent requests, and survives a restart', async () => {
    const server = await start();
    const file = path.join(folder, 'signing-key.pem');
    assert.equal(existsSync(file), false, 'the key is created before it is needed');
    const kids = await Promise.all(Array.from({ length: 10 }, () => kidOf(server)));
    assert.equal(new Set(kids).size, 1);
    await server.close();
    await using again = await start();
    assert.equal(await kidOf(again), kids[0]);
  });

  it('an unreadable signing key fails the exchange without using up the code', async () => {
    const lines: string[] = [];
    await using server = await startTestServer({
      file: path.join(folder, 'signalbox.sqlite'),
      dataFolder: folder,
      log: (line) => lines.push(line),
    });
    const client = codeClient(server, { scopes: SCOPES });
    const code = await codeFor(server, requestOf(client, { scope: 'openid' }));
    const file = path.join(folder, 'signing-key.pem');
    mkdirSync(file);
    checkError(await exchangeCode(server, code, client), 500, 'server_error');
    assert.match(lines.join(''), /EISDIR/);
    rmSync(file, { recursive: true });
    const response = await exchangeCode(server, code, client);
    assert.equal(response.status, 200, response.text);
    assert.ok('id_token' in (response.json() as OpenIdTokens));
  });

  it('the signing key is in a file for its owner only, and not in the database or its copies', async () => {
    await using server = await start();
    const client = codeClient(server, { scopes: SCOPES });
    await signedIn(server, client, 'openid');
    const response = await server.request('POST', '/_local/snapshots', { token: server.adminToken, json: { name: 'copy' } });
    assert.equal(response.status, 201, response.text);
    const pem = readFileSync(path.join(folder, 'signing-key.pem'), 'utf8');
    if (process.platform !== 'win32') assert.equal(statSync(path.join(folder, 'signing-key.pem')).mode & 0o777, 0o600);
    const secret = pem.split('\n')[3] ?? '';
    assert.ok(secret.length > 32);
    const others = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.name !== 'signing-key.pem',
    );
    assert.ok(others.some(({ name }) => name.startsWith('copy')));
    for (const { parentPath, name } of others) {
      const bytes = readFileSync(path.join(parentPath, name), 'latin1');
      assert.ok(!bytes.includes(secret) && !bytes.includes('PRIVATE KEY'), name);
    }
  });
});

describe('consent page with openid', () => {
  it('the consent page describes the scope openid', async () => {
    await using server = await startTestServer();
    const client = codeClient(server, { scopes: SCOPES });
    const page = await (await person(server)).open(addressOf(requestOf(client, { scope: 'openid profile email' })));
    for (const text of ['Sign you in with OpenID Connect', 'Read your primary email address']) {
      assert.ok(page.text.includes(text), text);
    }
  });
});
