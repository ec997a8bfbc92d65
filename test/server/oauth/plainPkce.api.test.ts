import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addressOf, codeClient, codeFor, exchangeCode, person, refusalOf, requestOf, returned, VERIFIER } from './codes.ts';
import { checkError, refresh, type Tokens } from './support.ts';

describe('PKCE method plain', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer({ allowPlainPkce: true });
  });
  afterEach(() => server.close());
  const plain = { code_challenge: VERIFIER, code_challenge_method: 'plain' };

  it('PKCE method plain is accepted if the server allows it, also for refreshes', async () => {
    const client = codeClient(server);
    const response = await exchangeCode(server, await codeFor(server, requestOf(client, plain)), client);
    assert.equal(response.status, 200, response.text);
    const { refresh_token } = response.json() as Tokens;
    assert.equal((await refresh(server, refresh_token, client, { code_verifier: VERIFIER })).status, 200);
  });

  it('a wrong verifier is refused with PKCE method plain', async () => {
    const client = codeClient(server);
    const code = await codeFor(server, requestOf(client, plain));
    checkError(await exchangeCode(server, code, client, { code_verifier: `${VERIFIER}x` }), 400, 'invalid_grant');
  });

  it('a plain challenge is not stored or logged in plain text', async () => {
    const client = codeClient(server);
    await codeFor(server, requestOf(client, plain));
    const rows = server.platform.store.all('SELECT * FROM oauth_authorization_codes');
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes(VERIFIER));
    const entries = JSON.stringify(server.platform.requestLog.list(100));
    assert.ok(entries.includes('code_challenge=[masked]') && !entries.includes(encodeURIComponent(VERIFIER)), entries);
  });

  it('a plain challenge must have the form of a verifier', async () => {
    const client = codeClient(server);
    const response = await (await person(server)).open(addressOf(requestOf(client, { ...plain, code_challenge: 'short' })));
    assert.equal(returned(response)['error'], 'invalid_request');
    assert.match(refusalOf(server).reason, /43 to 128 characters .*, but 5 were sent/);
  });

  it('PKCE method plain is not the default and is not in the metadata', async () => {
    const client = codeClient(server);
    const response = await (await person(server)).open(
      addressOf(requestOf(client, { ...plain, code_challenge_method: undefined })),
    );
    assert.equal(returned(response)['error'], 'invalid_code_challenge_method');
    assert.equal(returned(response)['error_description'], 'The code_challenge_method must be one of plain, S256.');
    const metadata = (await server.request('GET', '/.well-known/openid-configuration')).json() as object;
    assert.deepEqual('code_challenge_methods_supported' in metadata ? metadata.code_challenge_methods_supported : [], ['S256']);
  });
});
