import assert from 'node:assert/strict';
import { createUser } from '../../../server/features/users/accounts.ts';
import { textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { addressOf, codeClient, decideOn, exchangeCode, leadsTo, OUT_OF_BAND, person, requestOf, returned } from './codes.ts';
import type { Client } from './support.ts';

describe('out-of-band redirect URIs', () => {
  let server: TestServer;
  let client: Client;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(server.platform.clock.now());
    client = codeClient(server, { redirectUris: [OUT_OF_BAND, `${OUT_OF_BAND}:auto`] });
  });
  afterEach(() => server.close());
  const ask = (more: Record<string, string> = {}) => requestOf(client, { redirect_uri: OUT_OF_BAND, ...more });

  for (const redirect_uri of [OUT_OF_BAND, `${OUT_OF_BAND}:auto`]) {
    it(`the code for ${redirect_uri} is shown on a page for copying`, async () => {
      const root = await person(server);
      const consent = await root.open(addressOf(ask({ redirect_uri })));
      assert.match(textOf(consent.text), /You will get a code/);
      const granted = await root.submit(consent, '/oauth/authorize');
      assert.match(granted.headers.get('location') ?? '', /^\/oauth\/authorize\/native\?code=[0-9a-f]{64}$/);
      const page = await root.follow(granted);
      assert.equal(page.status, 200);
      const { code = '' } = returned(granted);
      assert.ok(page.text.includes(`value="${code}"`), page.text);
      assert.equal((await exchangeCode(server, code, client, { redirect_uri })).status, 200);
      assert.equal((await root.follow(granted)).status, 404, 'not shown once it is used');
    });
  }

  it('an out-of-band code is shown only to the user who approved it, for ten minutes', async () => {
    createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    const root = await person(server);
    const path = (await decideOn(root, ask())).headers.get('location') ?? '';
    for (const response of [await (await person(server, 'ada')).open(path), await server.request('GET', path)]) {
      assert.equal(response.status, 404);
      assert.ok(!response.text.includes(path.slice(-64)) && !(response.headers.get('location') ?? '').includes(path.slice(-64)));
    }
    assert.equal((await root.open('/oauth/authorize/native?code=made-up')).status, 404);
    assert.equal((await root.open(path)).status, 200);
    server.platform.clock.advance(600_000);
    assert.equal((await root.open(path)).status, 404);
  });

  it('a code with another redirect URI is not shown on the page', async () => {
    const other = codeClient(server);
    const root = await person(server);
    const { code } = returned(await decideOn(root, requestOf(other)));
    assert.equal((await root.open(`/oauth/authorize/native?code=${code}`)).status, 404);
  });

  it('out-of-band errors and denials are shown to the user', async () => {
    const root = await person(server);
    const denied = await decideOn(root, ask(), 'deny');
    assert.equal(denied.status, 200);
    assert.match(textOf(denied.text), /Access denied .* was not granted access/);
    const refused = await root.open(addressOf(ask({ scope: 'sudo' })));
    assert.equal(refused.status, 400);
    assert.match(textOf(refused.text), /invalid_scope .* its scopes are/);
  });

  it('the out-of-band page is shown without consent for a trusted application', async () => {
    const trusted = codeClient(server, { confidential: true, trusted: true, redirectUris: [OUT_OF_BAND] });
    const root = await person(server);
    const response = await root.open(addressOf(requestOf(trusted, { redirect_uri: OUT_OF_BAND, response_mode: 'form_post' })));
    assert.equal(leadsTo(response), '');
    assert.equal((await root.follow(response)).status, 200);
  });

  it('an out-of-band code is in no request log entry, and its flow shows the result', async () => {
    const root = await person(server);
    const granted = await decideOn(root, ask());
    await root.follow(granted);
    await server.request('GET', granted.headers.get('location') ?? '');
    const { code = '?' } = returned(granted);
    assert.ok(!JSON.stringify(server.platform.requestLog.list(100)).includes(code));
    const now = server.platform.clock.now();
    const [flow] = server.platform.flows.list(now);
    const result = server.platform.flows.get(flow?.id ?? '', now)?.steps.at(-1)?.result;
    assert.equal(result, '@root approved the request. The code was shown on a page, to be copied into the application.');
  });
});
