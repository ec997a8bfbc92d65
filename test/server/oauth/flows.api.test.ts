import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Flow, type FlowStep, type FlowSummary, readFlow } from '../../../src/contract/oauthFlows.ts';
import { createUser, findUserByName } from '../../../server/features/users/accounts.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { cheapHash } from '../../support/passwords.ts';
import { startTestServer, type TestServer, TEST_ADMIN_TOKEN } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import {
  addressOf,
  CALLBACK,
  codeClient,
  codeFor,
  decideOn,
  exchangeCode,
  person,
  requestOf,
  returned,
  VERIFIER,
} from './codes.ts';
import {
  basic,
  confidentialClient,
  decide,
  type DeviceCodes,
  deviceCodes,
  poll,
  publicClient,
  refresh,
  signedIn,
  token,
  type Tokens,
  userStatus,
} from './support.ts';

const SECOND = 1000;

async function flowsOf(server: TestServer): Promise<readonly FlowSummary[]> {
  const response = await server.request('GET', '/_local/oauth/flows', { token: TEST_ADMIN_TOKEN });
  assert.equal(response.status, 200, response.text);
  return response.json() as readonly FlowSummary[];
}

/** Returns the newest flow as the extension reads it. */
async function latest(server: TestServer): Promise<Flow> {
  const [summary] = await flowsOf(server);
  const response = await server.request('GET', `/_local/oauth/flows/${summary?.id}`, { token: TEST_ADMIN_TOKEN });
  const flow = readFlow(response.json());
  assert.ok(flow, response.text);
  assert.deepEqual(flow, response.json(), 'the extension reads every member');
  return flow;
}

function stepsOf(flow: Flow): readonly string[] {
  return flow.steps.map(
    ({ title, verdict, count }) => `${title}${count > 1 ? ` ×${count}` : ''}${verdict === 'passed' ? '' : `: ${verdict}`}`,
  );
}

function lastStep(flow: Flow): FlowStep {
  const step = flow.steps.at(-1);
  assert.ok(step);
  return step;
}

/** Returns the checks of a step; those that did not pass with their verdict. */
function verdicts({ checks }: FlowStep): readonly string[] {
  return checks.map(({ verdict, words: text }) => (verdict === 'passed' ? text : `${verdict}: ${text}`));
}

describe('recorded OAuth flows', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(server.platform.clock.now());
  });
  afterEach(() => server.close());

  it('secrets in the path of the first API request are masked', async () => {
    const client = codeClient(server);
    const code = await codeFor(server, requestOf(client));
    const { access_token: sent } = (await exchangeCode(server, code, client)).json() as Tokens;
    const secret = '0123456789abcdef'.repeat(2);
    await server.request('GET', `/api/v4/projects/1/uploads/${secret}/lamp.txt`, { token: sent });
    const step = (await latest(server)).steps.find(({ title }) => title === 'First API request');
    assert.equal(step?.path, '/api/v4/projects/1/uploads/[masked]/lamp.txt');
  });

  it('an authorization code flow has every request from the first to the revocation', async () => {
    const client = codeClient(server);
    const browser = new PageClient(server);
    await browser.open(addressOf(requestOf(client)));
    assert.deepEqual((await flowsOf(server))[0]?.outcome, 'waiting');
    await browser.signIn();
    const consent = await browser.open(addressOf(requestOf(client)));
    const { code = '' } = returned(await browser.submit(consent, '/oauth/authorize'));
    const first = (await exchangeCode(server, code, client)).json() as Tokens;
    assert.equal((await flowsOf(server))[0]?.outcome, 'completed');
    await userStatus(server, first.access_token);
    await userStatus(server, first.access_token);
    const second = (await refresh(server, first.refresh_token, client)).json() as Tokens;
    await server.request('POST', '/oauth/revoke', { form: { ...client, token: second.access_token } });
    const flow = await latest(server);
    assert.deepEqual(stepsOf(flow), [
      'Authorization request',
      'Authorization request',
      'Decision',
      'Code exchange',
      'First API request',
      'Refresh',
      'Revocation',
    ]);
    assert.deepEqual(
      flow.steps.map(({ result }) => result),
      [
        'The sign-in page was shown.',
        'The consent page was shown to @root.',
        `@root approved the request. The browser was redirected to ${CALLBACK} with code, state, iss in the query.`,
        'Issued: access_token, refresh_token, with the scopes "api".',
        'The API accepted the access token for the first time.',
        'Issued: access_token, refresh_token, with the scopes "api".',
        'All tokens of this sign-in were revoked.',
      ],
    );
    const { application, grant, person: who, outcome, reason } = flow;
    assert.deepEqual(
      { application, grant, who, outcome, reason },
      {
        application: { name: 'Lamp board', client_id: client.client_id },
        grant: 'authorization_code_pkce',
        who: 'root',
        outcome: 'revoked',
        reason: null,
      },
    );
    assert.equal((await flowsOf(server)).length, 1);
  });

  it('an authorization request without state gets a warning that says what protects it instead', async () => {
    const browser = new PageClient(server);
    await browser.signIn();
    const warningsOf = async (request: Readonly<Record<string, string>>): Promise<readonly string[]> => {
      const { state: _left, ...withoutState } = request;
      await browser.open(addressOf(withoutState));
      return (await latest(server)).steps.flatMap(({ warnings }) => warnings);
    };
    const withPkce = requestOf(codeClient(server));
    assert.deepEqual(await warningsOf(withPkce), [
      'The request has no state. PKCE keeps others from signing the user in with a code of theirs, but the client cannot tell which request a response belongs to (RFC 9700 §2.1.1).',
    ]);
    const {
      code_challenge: _challenge,
      code_challenge_method: _method,
      ...plain
    } = requestOf(codeClient(server, { confidential: true }));
    assert.deepEqual(await warningsOf(plain), [
      'The request has neither state nor PKCE. Another site can send the browser to the client with a code of its own, and the user is then signed in to a foreign account (RFC 6749 §10.12). Send a random state and compare it with the one of the response.',
    ]);
    await browser.open(addressOf(requestOf(codeClient(server))));
    assert.deepEqual(lastStep(await latest(server)).warnings, []);
    const list = await browser.open('/_local/oauth');
    const [, path = ''] = [...list.text.matchAll(/href="(\/_local\/oauth\/[0-9a-f]{8})"/g)].map(([, href]) => href);
    assert.match(textOf((await browser.open(path)).text), /The request has neither state nor PKCE\./);
  });

  it('a flow shows the value of each parameter, or only the length if it may be a secret', async () => {
    const client = codeClient(server, { confidential: true });
    const code = await codeFor(server, requestOf(client));
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER, made_up: 'x' };
    await server.request('POST', '/oauth/token', { form, headers: basic(client) });
    const { steps } = await latest(server);
    assert.deepEqual(steps[0]?.parameters, [
      { name: 'client_id', value: client.client_id },
      { name: 'redirect_uri', value: CALLBACK },
      { name: 'response_type', value: 'code' },
      { name: 'scope', value: 'api' },
      { name: 'state', value: '3 characters' },
      { name: 'code_challenge', value: '43 characters' },
      { name: 'code_challenge_method', value: 'S256' },
    ]);
    assert.deepEqual(steps.at(-1)?.parameters, [
      { name: 'Authorization', value: 'Basic, with client ID and secret' },
      { name: 'grant_type', value: 'authorization_code' },
      { name: 'code', value: '64 characters' },
      { name: 'redirect_uri', value: CALLBACK },
      { name: 'code_verifier', value: '48 characters' },
      { name: 'made_up', value: '1 character' },
    ]);
    assert.deepEqual(
      steps.at(-1)?.checks.map(({ words }) => words),
      [
        'the parameters are readable and not repeated',
        'code and redirect_uri were sent',
        'the application is known and its secret is correct',
        'the code was issued by this server',
        'the code was issued to this application',
        'the code was not used before',
        'the code is not older than ten minutes',
        'redirect_uri matches the authorization request',
        'code_verifier matches the code_challenge of the authorization request',
        'the account is active',
      ],
    );
  });

  it('a flow shows where a redirect URI differs, at the authorization endpoint and at the exchange', async () => {
    const client = codeClient(server);
    const browser = await person(server);
    await browser.open(addressOf(requestOf(client, { redirect_uri: 'https://lamps.example/Callback' })));
    const refused = await latest(server);
    assert.equal(refused.outcome, 'refused');
    assert.deepEqual(lastStep(refused).difference, { sent: 'https://lamps.example/Callback', expected: CALLBACK, at: 23 });
    assert.match(refused.reason ?? '', /differs from .* at character 23: "C" was sent, "c" was expected$/);
    assert.deepEqual(verdicts(lastStep(refused)), [
      'the parameters are readable and not repeated',
      'the application is known',
      'refused: redirect_uri is registered for the application',
    ]);

    const code = await codeFor(server, requestOf(client));
    await exchangeCode(server, code, client, { redirect_uri: `${CALLBACK}/` });
    const exchanged = await latest(server);
    assert.deepEqual(lastStep(exchanged).difference, { sent: `${CALLBACK}/`, expected: CALLBACK, at: 31 });
    assert.equal(exchanged.outcome, 'refused');
    await exchangeCode(server, code, client);
    assert.deepEqual(stepsOf(await latest(server)).slice(-2), ['Code exchange: refused', 'Code exchange']);
    assert.equal((await latest(server)).outcome, 'completed');
    assert.equal((await flowsOf(server)).length, 2);
  });

  it('a flow shows an error that was returned by redirect, and a denial by the user', async () => {
    const client = codeClient(server);
    const browser = await person(server);
    await browser.open(addressOf(requestOf(client, { scope: 'sudo' })));
    const refused = await latest(server);
    assert.equal(refused.outcome, 'refused');
    assert.match(
      lastStep(refused).result,
      /redirected to .* with error=invalid_scope, error_description, state, iss in the query/,
    );
    assert.match(refused.reason ?? '', /its scopes are "api read_user"/);
    await decideOn(browser, requestOf(client), 'deny');
    const denied = await latest(server);
    assert.deepEqual([denied.outcome, denied.reason], ['denied', 'the user chose Deny on the page']);
    assert.match(lastStep(denied).result, /^@root denied the request\. /);
    await decideOn(browser, requestOf(client), 'approve');
    const outcomes = (await flowsOf(server)).map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['waiting', 'denied', 'refused'], 'the same request, sent again, is another flow');
  });

  it('a flow shows a wrong verifier without its hash, and a code that was used twice', async () => {
    const client = codeClient(server);
    await exchangeCode(server, await codeFor(server, requestOf(client)), client, { code_verifier: 'v'.repeat(43) });
    assert.match(
      (await latest(server)).reason ?? '',
      /^code_verifier does not match: its SHA-256, as base64url without padding, is not/,
    );
    const padded = await codeFor(server, requestOf(client, { state: 'padded' }));
    for (const reason of [
      /^code_verifier must be .* with the padding = at the end/,
      /^the code was used up .* with the padding = at the end/,
    ]) {
      await exchangeCode(server, padded, client, { code_verifier: `${'v'.repeat(43)}=` });
      assert.match((await latest(server)).reason ?? '', reason);
    }
    const guessed = await codeFor(server, requestOf(client, { state: 'guessed' }));
    for (let attempt = 1; attempt <= 2; attempt += 1) {
      await exchangeCode(server, guessed, client, { code_verifier: 'v'.repeat(43) });
    }
    const { reason: twice } = await latest(server);
    assert.match(twice ?? '', /^the code was used up .* wrong, too: code_verifier does not match: its SHA-256/);
    assert.doesNotMatch(twice ?? '', /its S256 challenge is/);
    const code = await codeFor(server, requestOf(client, { state: 'other' }));
    await exchangeCode(server, code, client);
    await exchangeCode(server, code, client);
    const replayed = await latest(server);
    assert.equal(replayed.outcome, 'refused');
    assert.match(replayed.reason ?? '', /the tokens issued for it are now revoked/);
    assert.deepEqual(verdicts(lastStep(replayed)).slice(3, -1), [
      'the code was issued by this server',
      'the code was issued to this application',
    ]);
    await exchangeCode(
      server,
      await codeFor(server, requestOf(client, { state: 'third' })),
      { client_id: client.client_id },
      { code_verifier: '' },
    );
    assert.equal((await latest(server)).reason, 'send the parameter code_verifier in the body');
    assert.equal(verdicts(lastStep(await latest(server))).length, 9);
  });

  it('two concurrent flows of one client are recorded separately', async () => {
    const client = codeClient(server);
    const [one, other] = [await person(server), await person(server)];
    const pages = [
      await one.open(addressOf(requestOf(client, { state: 'one' }))),
      await other.open(addressOf(requestOf(client, { state: 'two' }))),
    ];
    const second = returned(await other.submit(pages[1] ?? assert.fail(), '/oauth/authorize', { _method: 'delete' }));
    const first = returned(await one.submit(pages[0] ?? assert.fail(), '/oauth/authorize'));
    assert.equal(second['error'], 'access_denied');
    await exchangeCode(server, first['code'] ?? '', client);
    const outcomes = (await flowsOf(server)).map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['denied', 'completed']);
  });

  it('identical authorization requests of two users are recorded as two flows', async () => {
    createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    const client = codeClient(server);
    const request = requestOf(client, { state: undefined });
    const [root, ada] = [await person(server), await person(server, 'ada')];
    const page = await root.open(addressOf(request));
    await ada.open(addressOf(request));
    await root.submit(page, '/oauth/authorize');
    const users = (await flowsOf(server)).map(({ person: who }) => who);
    assert.deepEqual(users, ['ada', 'root']);
    assert.equal((await latest(server)).steps.length, 1);
  });

  it('a device code flow groups its polls and shows their intervals', async () => {
    const client = publicClient(server);
    const codes = await deviceCodes(server, client);
    for (const pause of [5, 6, 5]) {
      await poll(server, codes, client);
      server.platform.clock.advance(pause * SECOND);
    }
    await poll(server, codes, client);
    await poll(server, codes, client);
    await poll(server, codes, client);
    await decide(server, codes);
    await poll(server, codes, client);
    const flow = await latest(server);
    assert.deepEqual(stepsOf(flow), [
      'Device authorization request',
      'Poll ×4: waiting',
      'Poll ×2: refused',
      'User code page',
      'Decision',
      'Poll',
    ]);
    assert.deepEqual(flow.steps[1]?.intervals, [5, 6]);
    assert.match(flow.steps[2]?.refusal?.reason ?? '', /the interval of this device code is now 15 seconds/);
    assert.equal(flow.steps[2]?.checks.at(-1)?.words, 'the client waited for the polling interval');
    assert.equal(flow.steps[1]?.checks.at(-1)?.verdict, 'waiting');
    assert.deepEqual([flow.outcome, flow.person, flow.grant], ['completed', 'root', 'device_code']);
    assert.equal(flow.requests, 10);
  });

  it('a device code flow can end as denied or expired', async () => {
    const client = publicClient(server);
    const denied = await deviceCodes(server, client);
    await decide(server, denied, 'deny');
    assert.equal((await latest(server)).outcome, 'denied');
    await poll(server, denied, client);
    assert.match((await latest(server)).reason ?? '', /the user denied the request/);
    const forgotten = await deviceCodes(server, client);
    assert.equal((await latest(server)).outcome, 'waiting');
    server.platform.clock.advance(300 * SECOND);
    assert.equal((await latest(server)).outcome, 'expired');
    await poll(server, forgotten, client);
    assert.match((await latest(server)).reason ?? '', /has expired/);
    assert.deepEqual(
      (await flowsOf(server)).map(({ outcome }) => outcome),
      ['expired', 'denied'],
    );
  });

  it('client credentials, password and unknown grants are recorded as flows, including refusals', async () => {
    const client = confidentialClient(server);
    const isPublic = publicClient(server);
    await token(server, { grant_type: 'client_credentials', ...client });
    const own = await latest(server);
    assert.deepEqual([own.grant, own.outcome, own.person], ['client_credentials', 'completed', null]);
    await token(server, { grant_type: 'client_credentials', ...isPublic });
    assert.match((await latest(server)).reason ?? '', /public application cannot use this grant/);
    await token(server, { grant_type: 'client_credentials', ...client, client_secret: 'wrong' });
    assert.deepEqual(verdicts(lastStep(await latest(server))), [
      'the parameters are readable and not repeated',
      'refused: the application is known and authenticated',
    ]);
    assert.equal((await latest(server)).reason, 'the client secret is wrong');

    const root = findUserByName(server.platform, 'root');
    const hash = cheapHash('lamps and lanterns');
    server.platform.store.run('UPDATE users SET password_hash = $hash WHERE id = $id', { hash, id: root?.id ?? 0 });
    await token(server, { grant_type: 'password', username: 'root', password: 'lamps and lanterns', ...client });
    const password = await latest(server);
    assert.deepEqual([password.grant, password.outcome, password.person], ['password', 'completed', 'root']);
    await token(server, { grant_type: 'password', username: 'root', password: 'wrong', ...client });
    assert.equal((await latest(server)).outcome, 'refused');

    for (const grant of ['implicit', 'constructor', '__proto__']) {
      const before = (await flowsOf(server))[0]?.id;
      await token(server, { grant_type: grant, ...client, state: grant });
      const unknown = await latest(server);
      assert.notEqual(unknown.id, before, grant);
      assert.deepEqual([unknown.grant, unknown.outcome], ['unknown', 'refused'], grant);
      assert.match(unknown.reason ?? '', /^this server supports the grant types authorization_code, /, grant);
    }
  });

  it('a refresh whose sign-in was not recorded starts a flow of refreshes', async () => {
    using folder = temporaryFolder();
    const file = `${folder.path}/signalbox.sqlite3`;
    const before = await startTestServer({ file });
    const client = publicClient(before);
    const { refresh_token } = await signedIn(before, client);
    await before.close();
    await using after = await startTestServer({ file });
    const renewed = (await refresh(after, refresh_token, client)).json() as Tokens;
    await refresh(after, renewed.refresh_token, client, { scope: 'read_user' });
    const flow = await latest(after);
    assert.deepEqual([flow.grant, flow.outcome, flow.person], ['refresh_token', 'refused', 'root']);
    assert.deepEqual(stepsOf(flow), ['Refresh', 'Refresh: refused']);
    assert.equal(flow.application?.name, 'Public');
    assert.equal((await flowsOf(after)).length, 1);
  });

  it('introspection, user info and token info are added to a flow without changing its outcome', async () => {
    const client = confidentialClient(server, ['api', 'openid']);
    const codes = await deviceCodes(server, client, 'openid');
    await decide(server, codes);
    const { access_token } = (await poll(server, codes, client)).json() as Tokens;
    await server.request('POST', '/oauth/introspect', { form: { ...client, token: access_token } });
    await server.request('GET', '/oauth/userinfo', { token: access_token });
    await server.request('GET', '/oauth/token/info', { token: access_token });
    server.platform.clock.advance(7200 * SECOND);
    await server.request('GET', '/oauth/userinfo', { token: access_token });
    const flow = await latest(server);
    assert.deepEqual(stepsOf(flow).slice(-4), ['Introspection', 'User info', 'Token info', 'User info: refused']);
    assert.equal(flow.outcome, 'completed');
    assert.equal(lastStep(flow).status, 401);
    assert.equal(flow.reason, 'the token has expired');
  });

  it('a flow of an unknown client shows only the beginning of its client ID', async () => {
    await token(server, { grant_type: 'authorization_code', code: 'c', redirect_uri: CALLBACK, client_id: 'f'.repeat(64) });
    const flow = await latest(server);
    assert.deepEqual([flow.application, flow.client_id], [null, 'ffffffff… (64 characters)']);
    assert.equal(flow.reason, 'no application has this client_id');
  });

  it('identical refused requests are one flow, and at most 100 flows are kept', async () => {
    for (let count = 0; count < 3; count += 1) await token(server, { grant_type: 'x' });
    assert.deepEqual(stepsOf(await latest(server)), ['Token request ×3: refused']);
    for (let count = 0; count < 101; count += 1) await token(server, { grant_type: `grant_${count}` });
    const list = await flowsOf(server);
    assert.equal(list.length, 100);
    const response = await server.request('GET', '/_local/oauth/flows/00000000', { token: TEST_ADMIN_TOKEN });
    assert.equal(response.status, 404);
  });

  it('further polls of a dropped flow start no new flow, so that they displace no others', async () => {
    const client = publicClient(server);
    const device = await deviceCodes(server, client);
    for (let count = 0; count < 100; count += 1) await token(server, { grant_type: `grant_${count}` });
    const before = (await flowsOf(server)).map(({ id }) => id);
    assert.equal((await poll(server, device, client)).status, 400);
    assert.deepEqual(
      (await flowsOf(server)).map(({ id }) => id),
      before,
    );
  });

  it('a flow with many steps keeps the first and the latest ones', async () => {
    const client = publicClient(server);
    let tokens = await signedIn(server, client);
    for (let count = 0; count < 50; count += 1) {
      server.platform.clock.advance(SECOND);
      tokens = (await refresh(server, tokens.refresh_token, client, count % 2 === 0 ? {} : { scope: 'api' })).json() as Tokens;
    }
    const flow = await latest(server);
    assert.equal(flow.steps.length, 40);
    assert.equal(flow.steps_left_out, 14);
    assert.equal(flow.steps[0]?.title, 'Device authorization request');
  });

  it('reading flows requires the admin token', async () => {
    assert.equal((await server.request('GET', '/_local/oauth/flows')).status, 401);
    assert.equal((await server.request('GET', '/_local/oauth/flows/1')).status, 401);
  });
});

it('no flow, list or page contains a secret or the hash of one', async () => {
  await using server = await startTestServer();
  const secrets: string[] = [];
  const remember = <Value extends object>(values: Value): Value => {
    for (const [name, value] of Object.entries(values)) {
      if (/_token$|^code$|_code$|secret|password|verifier/.test(name) && typeof value === 'string') secrets.push(value);
    }
    return values;
  };
  const root = findUserByName(server.platform, 'root');
  const { password } = remember({ password: 'lanterns-of-the-yard' });
  const hash = cheapHash(password);
  server.platform.store.run('UPDATE users SET password_hash = $hash WHERE id = $id', { hash, id: root?.id ?? 0 });
  const client = remember(codeClient(server, { confidential: true }));
  secrets.push(VERIFIER);

  const request = requestOf(client, { state: 'a-state-of-a-session', nonce: 'a-nonce-of-a-session' });
  secrets.push('a-state-of-a-session', 'a-nonce-of-a-session');
  const code = await codeFor(server, request);
  secrets.push(code);
  const swapped = { client_id: client.client_secret ?? '', client_secret: client.client_id };
  const address = `${CALLBACK}?code=${code}&state=xyz`;
  await exchangeCode(server, code, client, { redirect_uri: address });
  await exchangeCode(server, code, client, { redirect_uri: `${CALLBACK}/${code}` });
  const itself = { ...client, grant_type: 'client_credentials', redirect_uri: `${CALLBACK}/${client.client_secret}` };
  remember((await token(server, itself)).json() as Tokens);
  await exchangeCode(server, code, { ...client, ...swapped });
  await (await person(server)).open(addressOf({ ...request, redirect_uri: address }));
  await token(server, { [code]: '', grant_type: 'authorization_code' });
  await token(server, { ...client, grant_type: code, scope: code });
  await token(server, { ...client, grant_type: 'client_credentials', scope: code });
  const tokens = remember((await exchangeCode(server, code, client, { code_verifier: VERIFIER })).json() as Tokens);
  await userStatus(server, tokens.access_token);
  const renewed = remember((await refresh(server, tokens.refresh_token, client)).json() as Tokens);
  await refresh(server, tokens.refresh_token, client);
  await server.request('POST', `/oauth/token?refresh_token=${renewed.refresh_token}`, { form: client as never });
  await server.request('GET', `/oauth/token/info?access_token=${renewed.access_token}`);
  await server.request('POST', '/oauth/introspect', {
    form: { ...client, token: renewed.refresh_token },
    headers: basic(client),
  });
  await server.request('POST', '/oauth/token', { json: { ...client, grant_type: 'password', username: 'root', password } });
  await server.request('POST', '/oauth/token', {
    form: { grant_type: 'password', username: password, password: 'x', ...client },
  });
  await server.request('POST', '/oauth/token', { form: `${renewed.refresh_token}&scope[]=${renewed.refresh_token}` });
  await server.request('POST', '/oauth/revoke', { form: { ...client, token: renewed.access_token } });

  const device: DeviceCodes = remember(await deviceCodes(server, client));
  await poll(server, device, client);
  await (await person(server)).open(`/oauth/device?user_code=${device.user_code}`);
  await decide(server, device);
  remember((await poll(server, device, client)).json() as Tokens);

  const browser = await person(server);
  const texts = [(await browser.open('/_local/oauth')).text];
  for (const { id } of await flowsOf(server)) {
    texts.push((await browser.open(`/_local/oauth/${id}`)).text);
    texts.push((await server.request('GET', `/_local/oauth/flows/${id}`, { token: TEST_ADMIN_TOKEN })).text);
  }
  texts.push((await server.request('GET', '/_local/oauth/flows', { token: TEST_ADMIN_TOKEN })).text);
  const everything = texts.join('\n');
  const forms = secrets.flatMap((secret) => {
    const sha = (encoding: 'hex' | 'base64url' | 'base64'): string => createHash('sha256').update(secret).digest(encoding);
    return [secret, secret.replace('-', ''), encodeURIComponent(secret), sha('hex'), sha('base64url'), sha('base64')];
  });
  assert.ok(secrets.length >= 13 && texts.length > 15);
  for (const form of forms) assert.ok(!everything.includes(form), `a flow contains ${form}`);
});

describe('OAuth flow pages', () => {
  it('OAuth flow pages are for administrators, and other users get an error page', async () => {
    await using server = await startTestServer();
    createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    const signedOut = await server.request('GET', '/_local/oauth');
    assert.equal(signedOut.status, 303);
    assert.equal(signedOut.headers.get('location'), '/users/sign_in?return_to=%2F_local%2Foauth');
    const ada = await person(server, 'ada');
    for (const path of ['/_local/oauth', '/_local/oauth/00000000']) {
      const refused = await ada.open(path);
      assert.equal(refused.status, 403);
      assert.match(textOf(refused.text), /Permission denied/);
      assert.match(refused.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    }
    assert.ok(!(await ada.open('/')).text.includes('/_local/oauth'));
    assert.ok((await (await person(server)).open('/')).text.includes('href="/_local/oauth"'));
  });

  it('OAuth flow pages explain an empty list and a flow that no longer exists', async () => {
    await using server = await startTestServer();
    const root = await person(server);
    assert.match(textOf((await root.open('/_local/oauth')).text), /Register an application at Applications/);
    const gone = await root.open('/_local/oauth/00000000');
    assert.equal(gone.status, 404);
    assert.match(textOf(gone.text), /Flow not found/);
  });

  it('OAuth flow pages list flows and show the sent value next to the expected one', async () => {
    await using server = await startTestServer();
    const client = codeClient(server);
    const root = await person(server);
    await root.open(addressOf(requestOf(client, { redirect_uri: 'https://lamps.example/Callback' })));
    const list = await root.open('/_local/oauth');
    assert.match(textOf(list.text), /Lamp board refused Authorization code with PKCE · @root .* was expected/);
    const path = /href="(\/_local\/oauth\/[0-9a-f]{8})"/.exec(list.text)?.[1] ?? '';
    const flow = await root.open(path);
    assert.equal(flow.status, 200);
    assert.ok(flow.text.includes('<dd class="mono">https://lamps.example/<mark>C</mark>allback</dd>'), flow.text);
    assert.ok(flow.text.includes('<dd class="mono">https://lamps.example/<mark>c</mark>allback</dd>'), flow.text);
  });
});
