import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { EXTENSION_CLIENT_ID, EXTENSION_CLIENT_NAME } from '../../../src/contract/product.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { codeClient, codeFor, exchangeCode, requestOf, VERIFIER } from './codes.ts';
import {
  confidentialClient,
  decide,
  deviceCodes,
  extension,
  poll,
  publicClient,
  refresh,
  signedIn,
  token,
  type Tokens,
} from './support.ts';

const DAY = 86_400_000;

describe('stored secrets', () => {
  let folder: string;
  let server: TestServer;
  let lines: string[];
  beforeEach(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-oauth-'));
    lines = [];
    server = await startTestServer({ file: path.join(folder, 'signalbox.sqlite'), log: (line) => lines.push(line) });
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true });
  });

  it('no OAuth secret is in plain text in the database, the request log or the log', async () => {
    const client = confidentialClient(server);
    const password = 'a long enough password';
    const person = new PageClient(server);
    const setUp = await person.openSetUp();
    const byLink = person.cookie();
    await person.submit(setUp, '/users/set_up', { password, password_confirmation: password });
    const codes = await deviceCodes(server, client, 'api');
    await person.open(`/oauth/device?user_code=${codes.user_code}`);
    await decide(server, codes);
    const first = (await poll(server, codes, client)).json() as Tokens;
    const second = (await refresh(server, first.refresh_token, client)).json() as Tokens;
    await server.request('GET', `/oauth/token/info?access_token=${second.access_token}`);
    await server.request('POST', `/oauth/token?refresh_token=${second.refresh_token}&code_verifier=${second.access_token}`);
    await token(server, { grant_type: 'refresh_token', refresh_token: 'wrong', ...client });
    const board = codeClient(server, { confidential: true, scopes: ['openid', 'api'] });
    const code = await codeFor(server, requestOf(board, { scope: 'openid' }));
    const exchanged = (await exchangeCode(server, code, board, { code_verifier: VERIFIER })).json() as Tokens & {
      id_token: string;
    };
    await exchangeCode(server, code, board, { code_verifier: VERIFIER });
    await server.request(
      'GET',
      `/oauth/authorize?client_id=${board.client_id}&code=${code}&client_secret=${board.client_secret}`,
    );
    const byPassword = (await token(server, { grant_type: 'password', username: 'root', password })).json() as Tokens;
    const ofItself = (await token(server, { grant_type: 'client_credentials', ...board, scope: 'api' })).json() as Tokens;
    await server.request('POST', '/oauth/introspect', { form: { ...board, token: exchanged.access_token } });
    await server.request('GET', `/oauth/userinfo?access_token=${exchanged.access_token}`);
    const linkResponse = await server.request('POST', '/_local/sign-in-links', {
      token: server.adminToken,
      json: { username: 'root', return_to: `/oauth/device?user_code=${codes.user_code}` },
    });
    const link = (linkResponse.json() as { url: string }).url;
    await server.request('HEAD', link);

    const secrets = {
      password,
      'device code': codes.device_code,
      'user code': codes.user_code,
      'user code without dash': codes.user_code.replace('-', ''),
      'access token': first.access_token,
      'refresh token': first.refresh_token,
      'second access token': second.access_token,
      'second refresh token': second.refresh_token,
      'client secret': client.client_secret ?? '',
      'authorization code': code,
      'code verifier': VERIFIER,
      'ID token': exchanged.id_token,
      'access token of a code': exchanged.access_token,
      'refresh token of a code': exchanged.refresh_token,
      'secret of a second client': board.client_secret ?? '',
      'access token of a password': byPassword.access_token,
      'refresh token of a password': byPassword.refresh_token,
      'access token of an application': ofItself.access_token,
      session: person.cookie() ?? '',
      'session of a set-up link': byLink ?? '',
      link: link.split('/').at(-1) ?? '',
      'admin token': server.adminToken,
    };
    const files = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'latin1'));
    assert.ok(files.join('').includes(EXTENSION_CLIENT_ID), 'the files are not those of the database');
    const stored = {
      database: files.join('\n'),
      requestLog: JSON.stringify(server.platform.requestLog.list(500)),
      log: lines.join('\n'),
    };
    for (const [location, text] of Object.entries(stored)) {
      for (const [name, value] of Object.entries(secrets)) {
        assert.ok(value.length >= 8, `${name} is missing`);
        assert.ok(!text.includes(value), `the ${location} contains the ${name}`);
      }
    }
  });
});

describe('built-in application', () => {
  it('the built-in application exists on a new server and is unchanged after a restart', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-oauth-'));
    const file = path.join(folder, 'signalbox.sqlite');
    try {
      const before = await startTestServer({ file });
      const { refresh_token } = await signedIn(before);
      await before.close();
      await using again = await startTestServer({ file });
      assert.equal((await refresh(again, refresh_token, extension)).status, 200);
      const rows = again.platform.store.all<{ name: string; confidential: number }>(
        'SELECT name, confidential FROM oauth_applications',
      );
      assert.deepEqual(rows, [{ name: EXTENSION_CLIENT_NAME, confidential: 0 }]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('clean-up', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(server.platform.clock.now());
  });
  after(() => server.close());

  it('grants, links, sessions and attempts are removed a day after their end by the server clock', async () => {
    const { platform } = server;
    await deviceCodes(server, publicClient(server));
    const person = new PageClient(server);
    await person.signIn();
    await person.submit(await person.open('/oauth/device'), '/oauth/device', { user_code: 'BBBB-BBBB' });
    await server.request('POST', '/_local/sign-in-links', { token: server.adminToken, json: { username: 'root' } });
    const count = (): Record<string, number> =>
      Object.fromEntries(
        ['oauth_device_grants', 'sign_in_links', 'web_sessions', 'attempts'].map((table) => [
          table,
          platform.store.get<{ n: number }>(`SELECT count(*) AS n FROM ${table}`)?.n ?? -1,
        ]),
      );
    // A wrong code counts against the account; loopback addresses are not counted.
    const full = { oauth_device_grants: 1, sign_in_links: 1, web_sessions: 1, attempts: 1 };
    assert.deepEqual(count(), full);
    platform.clock.advance(DAY - 1);
    assert.deepEqual(count(), full);
    platform.clock.advance(1);
    assert.deepEqual(count(), { ...full, attempts: 0 });
    platform.clock.advance(300_000);
    assert.deepEqual(count(), { oauth_device_grants: 0, sign_in_links: 0, web_sessions: 1, attempts: 0 });
    platform.clock.advance(15 * DAY);
    assert.deepEqual(Object.values(count()), [0, 0, 0, 0]);
  });

  describe('of sign-ins', () => {
    const rows = (of: TestServer): number =>
      of.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM oauth_tokens')?.n ?? -1;
    let own: TestServer;
    beforeEach(async () => {
      own = await startTestServer();
      own.platform.clock.freeze(Date.UTC(2030, 0, 1));
    });
    afterEach(() => own.close());

    it('the tokens of an active sign-in are all kept, so that one spent long ago still ends it', async () => {
      const first = await signedIn(own);
      const second = (await refresh(own, first.refresh_token, extension)).json() as Tokens;
      own.platform.clock.advance(1000 * DAY);
      assert.equal(rows(own), 2);
      assert.equal((await refresh(own, first.refresh_token, extension)).status, 400);
      assert.equal((await refresh(own, second.refresh_token, extension)).status, 400, 'the whole sign-in has not ended');
    });

    it('a revoked sign-in is removed after 90 days, and no other', async () => {
      const first = await signedIn(own);
      const second = (await refresh(own, first.refresh_token, extension)).json() as Tokens;
      const other = await signedIn(own);
      own.platform.clock.advance(DAY);
      const form = { ...extension, token: second.refresh_token };
      assert.equal((await own.request('POST', '/oauth/revoke', { form })).status, 200);
      own.platform.clock.advance(90 * DAY - 1);
      assert.equal(rows(own), 3);
      assert.equal((await refresh(own, second.refresh_token, extension)).status, 400);
      const reason = (): string | undefined => own.platform.requestLog.list(1)[0]?.refusal?.rule;
      assert.equal(reason(), 'refresh_token.alive');
      own.platform.clock.advance(1);
      assert.equal(rows(own), 1);
      assert.equal((await refresh(own, second.refresh_token, extension)).status, 400);
      assert.equal(reason(), 'refresh_token');
      assert.equal((await refresh(own, other.refresh_token, extension)).status, 200);
    });

    it('the 90 days start when a replayed token ends the sign-in, not at later attempts', async () => {
      const first = await signedIn(own);
      await refresh(own, first.refresh_token, extension);
      own.platform.clock.advance(60_000);
      await refresh(own, first.refresh_token, extension);
      own.platform.clock.advance(89 * DAY);
      await refresh(own, first.refresh_token, extension);
      own.platform.clock.advance(DAY);
      assert.equal(rows(own), 0);
    });
  });
});
