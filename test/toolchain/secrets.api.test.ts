import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PageClient } from '../support/pages.ts';
import { createSecrets, collectFetchedSecrets } from '../support/secrets.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { codeClient, codeFor, exchangeCode, requestOf, VERIFIER } from '../server/oauth/codes.ts';
import { deviceCodes, publicClient, type Tokens } from '../server/oauth/support.ts';

/** Ways to obtain a secret, by the name of the secret. */
const issuers: Readonly<Record<string, (server: TestServer) => Promise<string>>> = {
  access_token: async (server) => (await tokens(server)).access_token,
  refresh_token: async (server) => (await tokens(server)).refresh_token,
  code: (server) => codeFor(server, requestOf(codeClient(server))),
  device_code: async (server) => (await deviceCodes(server, publicClient(server))).device_code,
  user_code: async (server) => (await deviceCodes(server, publicClient(server))).user_code,
  token: async (server) => (await create(server, '/api/v4/users/1/personal_access_tokens', { name: 'a', scopes: ['api'] })).token,
  url: async (server) => (await create(server, '/_local/sign-in-links', { username: 'root' })).url.split('/').at(-1) ?? '',
  _signalbox_session: async (server) => {
    const person = new PageClient(server);
    await person.signIn();
    return person.cookie() ?? '';
  },
  code_verifier: async (server) => {
    const client = codeClient(server);
    await exchangeCode(server, 'wrong', client, { code_verifier: VERIFIER });
    return VERIFIER;
  },
};

async function tokens(server: TestServer): Promise<Tokens> {
  const client = codeClient(server);
  return (
    await exchangeCode(server, await codeFor(server, requestOf(client)), client, { code_verifier: VERIFIER })
  ).json() as Tokens;
}

async function create(server: TestServer, path: string, json: object): Promise<{ readonly token: string; readonly url: string }> {
  return (await server.request('POST', path, { token: server.adminToken, json })).json() as { token: string; url: string };
}

describe('the search for secrets after every test', () => {
  for (const [name, issue] of Object.entries(issuers)) {
    it(`finds a ${name} stored in plain text, without repeating it in the message`, async () => {
      const server = await startTestServer();
      const value = await issue(server);
      server.platform.store.run("UPDATE users SET name = 'a ' || $value || ' b'", { value });
      await assert.rejects(server.close(), (error: Error) => {
        assert.equal(error.message, `the database contains a secret (${name}) in plain text`);
        return true;
      });
    });
  }

  it('finds a secret in a column of bytes', async () => {
    const server = await startTestServer();
    const { token } = await create(server, '/api/v4/users/1/personal_access_tokens', { name: 'a', scopes: ['api'] });
    const { store } = server.platform;
    store.run('CREATE TABLE bytes (value BLOB)');
    store.run('INSERT INTO bytes VALUES ($value)', { value: Buffer.from(`a ${token} b`) });
    await assert.rejects(server.close(), /the database contains a secret \(token\) in plain text/);
  });

  it('searches the log and the request log', async () => {
    const lines: string[] = [];
    const server = await startTestServer({ log: (line) => lines.push(line) });
    server.platform.log.info(`signed in with ${server.adminToken}`);
    assert.equal(lines.length, 1);
    await assert.rejects(server.close(), /^AssertionError.*the log contains a secret \(admin token\) in plain text/);
    const other = await startTestServer();
    await other.request('GET', `/api/v4/version?name=${other.adminToken}`);
    await assert.rejects(other.close(), /the request log contains a secret \(admin token\) in plain text/);
  });

  it('ignores a password that is also a path segment, but finds every issued token there', () => {
    const secrets = createSecrets();
    secrets.addResponse('{"token":"glpat-0123456789abcdef"}');
    secrets.addRequestValues({ password: 'constructor' });
    secrets.addPath('/api/v4/projects/constructor/glpat-0123456789abcdef');
    secrets.assertAbsentFrom('this', '/projects/constructor');
    assert.throws(() => secrets.assertAbsentFrom('this', 'glpat-0123456789abcdef'), /contains a secret \(token\) in plain text/);
  });

  it('collects secrets from what the process fetches from one origin', async () => {
    const received = createServer((_request, response) => response.end('{"access_token":"0123456789abcdef"}'));
    await new Promise<void>((resolve) => received.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(received.address() as AddressInfo).port}`;
    const secrets = createSecrets();
    const reading = collectFetchedSecrets(origin, secrets);
    await (await fetch(origin)).text();
    reading.stop();
    received.close();
    assert.throws(
      () => secrets.assertAbsentFrom('this', 'x 0123456789abcdef x'),
      /this contains a secret \(access_token\) in plain text/,
    );
    secrets.assertAbsentFrom('this', 'nothing');
  });
});
