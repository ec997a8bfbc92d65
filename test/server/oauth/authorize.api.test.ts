import assert from 'node:assert/strict';
import { createUser } from '../../../server/features/users/accounts.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createApplication } from '../../../server/features/oauth/oauth.ts';
import { unmatchedPasswordHash } from '../../../server/core/secrets.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { rootOf } from '../projects/cast.ts';
import {
  addressOf,
  CALLBACK,
  CHALLENGE,
  codeClient,
  decideOn,
  exchangeCode,
  leadsTo,
  person,
  refusalOf,
  requestOf,
  returned,
} from './codes.ts';
import { type Client, clientOf, extension, type Tokens, userStatus } from './support.ts';

const SECOND = 1000;

describe('GET /oauth/authorize', () => {
  let server: TestServer;
  let client: Client;
  let browser: PageClient;
  before(async () => {
    server = await startTestServer();
    client = codeClient(server);
    // One user has a password, so that the sign-in page shows its form.
    server.platform.store.run('UPDATE users SET password_hash = $hash WHERE id = 1', { hash: unmatchedPasswordHash() });
  });
  after(() => server.close());
  beforeEach(async () => {
    browser = await person(server);
  });

  const open = (more: Readonly<Record<string, string | undefined>> = {}, of: Client = client) =>
    browser.open(addressOf(requestOf(of, more)));

  describe('consent page', () => {
    it('the authorization page shows application, owner, scopes, redirect host and account', async () => {
      const ada = createUser(server.platform, { username: 'ada', name: 'Ada Lovelace', email: 'ada@signalbox.example' });
      assert.ok(typeof ada === 'object');
      const owned = codeClient(server, { name: 'Board <of> "lamps"', owner: ada });
      const page = await open({ scope: 'api read_user' }, owned);
      assert.equal(page.status, 200);
      const text = textOf(page.text);
      for (const message of [
        'Authorize Board <of> "lamps"?',
        'It was registered by Ada Lovelace @ada',
        'Full access to the API api',
        'Read your profile and activity read_user',
        'You will be redirected to lamps.example',
        'Signed in as Administrator @root',
        'Not you?',
      ]) {
        assert.ok(text.includes(message), `${message}\n${text}`);
      }
      assert.ok(!text.includes('not encrypted'));
    });

    it('the authorization page shows that an application has no owner and that a redirect URI is not encrypted', async () => {
      const open = codeClient(server, { redirectUris: ['http://lamps.example/'] });
      const request = requestOf(open, { redirect_uri: 'http://lamps.example/' });
      const text = textOf((await browser.open(addressOf(request))).text);
      assert.match(text, /available to all users of this instance/);
      assert.match(text, /not encrypted/);
    });

    it('the authorization page offers to switch the account and then continues the request', async () => {
      const page = await open({ state: 'a b&c' });
      const notYou = formsOf(page.text).find(({ fields }) => fields['return_to'] !== undefined);
      const signedOut = await browser.post('/users/sign_out', notYou?.fields ?? {});
      const entry = await browser.follow(signedOut);
      assert.match(textOf(entry.text), /^Sign in/);
      const returnTo = formsOf(entry.text).at(-1)?.fields['return_to'] ?? '';
      await browser.signIn();
      assert.match(textOf((await browser.open(returnTo)).text), /^Authorize Lamp board\?/);
      assert.equal(new URLSearchParams(returnTo.split('?')[1]).get('state'), 'a b&c');
    });

    it('the authorization page cannot be framed, sends no referrer, is not cached and loads nothing from other origins', async () => {
      const page = await open();
      assert.equal(
        page.headers.get('content-security-policy'),
        "default-src 'none';style-src 'self';img-src 'self';form-action 'self' https://lamps.example;frame-ancestors 'none';base-uri 'none'",
      );
      assert.equal(page.headers.get('x-frame-options'), 'DENY');
      assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
      assert.equal(page.headers.get('cache-control'), 'no-store');
    });

    it('the authorization page cannot be read by pages of other sites', async () => {
      browser.headers['Origin'] = 'https://elsewhere.example';
      assert.equal((await open()).headers.get('access-control-allow-origin'), null);
    });

    it('the authorization page names the top-level group of root_namespace_id and ignores other values', async () => {
      const root = rootOf(server.platform);
      const group = createGroup(server.platform, root, { name: 'Signal works', path: 'signal-works' });
      const below = createGroup(server.platform, root, { name: 'Night shift', path: 'night', parent: group });
      const text = /requests access for the group Signal works/;
      assert.match(textOf((await open({ root_namespace_id: String(group.group.id) })).text), text);
      for (const id of [String(below.group.id), '1', '999999', 'signal-works', '-1', '']) {
        const page = await open({ root_namespace_id: id });
        assert.equal(page.status, 200, id);
        assert.doesNotMatch(textOf(page.text), /for the group/, id);
      }
    });
  });

  describe('errors without redirect', () => {
    it('errors before client and redirect URI are verified are shown on a page, without a redirect', async () => {
      const none = clientOf(createApplication(server.platform, { name: 'None', scopes: ['api'], confidential: false }));
      const rows: [Readonly<Record<string, string | undefined>>, RegExp][] = [
        [{ client_id: undefined }, /client_id/],
        [{ client_id: 'nobody' }, /no application has this client_id/],
        [{ redirect_uri: undefined }, /send redirect_uri; registered for the application: https:\/\/lamps\.example\/callback/],
        [{ redirect_uri: 'https://elsewhere.example/' }, /differs from "https:\/\/lamps\.example\/callback" at character 9: "e"/],
        [{ client_id: none.client_id }, /no registered redirect URI/],
        [{ client_id: extension.client_id }, /differs from "http:\/\/127\.0\.0\.1\/oauth\/callback" at character 5: "s"/],
      ];
      for (const signedIn of [true, false]) {
        if (!signedIn) browser = new PageClient(server);
        for (const [more, reason] of rows) {
          const page = await open({ ...more, response_type: 'token' });
          assert.equal(page.status, 400, JSON.stringify(more));
          assert.equal(page.headers.get('location'), null);
          assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
          assert.match(refusalOf(server).rule, /^authorize\./);
          assert.match(refusalOf(server).reason, reason);
          assert.match(textOf(page.text), reason, 'the page shows the reason to developers');
          assert.doesNotMatch(page.text, /href="(?:https:\/\/elsewhere|javascript)/);
        }
      }
    });

    it('a client_id or redirect_uri that is sent twice or as a list is refused on a page', async () => {
      for (const more of [
        `&client_id=${client.client_id}`,
        `&redirect_uri=${encodeURIComponent(CALLBACK)}`,
        '&redirect_uri[]=a',
      ]) {
        assert.equal((await browser.open(`${addressOf(requestOf(client))}${more}`)).status, 400, more);
        assert.match(refusalOf(server).rule, /parameters\.single/);
      }
    });

    it('an authorization request whose query is not valid UTF-8 is refused', async () => {
      assert.equal((await browser.open(`${addressOf(requestOf(client))}&state=%ff`)).status, 400);
    });
  });

  describe('the authorization endpoint compares the redirect URI with the registered ones', () => {
    const registered = [
      'https://lamps.example/cb?tenant=1',
      'http://127.0.0.1/cb',
      'http://[::1]:9/cb',
      'http://localhost:8080/cb',
      'lamps://back',
      'vscode://lamps.board/did-sign-in',
    ];
    const good = [
      ...registered,
      'http://127.0.0.1:49152/cb',
      'http://127.0.0.1:1/cb',
      'http://[::1]/cb',
      'http://[::1]:50000/cb',
    ];
    const bad = [
      'https://lamps.example/cb',
      'https://lamps.example/cb?tenant=1&more=2',
      'https://lamps.example/cb?tenant=2',
      'https://LAMPS.example/cb?tenant=1',
      'https://lamps.example:443/cb?tenant=1',
      'https://user@lamps.example/cb?tenant=1',
      'https://lamps.example/cb/?tenant=1',
      'https://lamps.example/x/../cb?tenant=1',
      'https://lamps.example/%63b?tenant=1',
      'https://lamps.example/cb?tenant=1#',
      'https://lamps.example.evil.example/cb?tenant=1',
      'http://lamps.example/cb?tenant=1',
      'https://127.0.0.1/cb',
      'http://127.0.0.1:8080/cb/deeper',
      'http://127.0.0.1:8080/cb?a=1',
      'http://127.0.0.1:8080@evil.example/cb',
      'http://127.0.0.1.evil.example/cb',
      'http://127.0.0.2/cb',
      'http://localhost/cb',
      'http://localhost:8081/cb',
      'http://localhost.evil.example:8080/cb',
      'lamps://back/',
      'javascript:alert(1)',
    ];
    let several: Client;
    before(() => {
      several = codeClient(server, { redirectUris: registered });
    });

    for (const redirect_uri of good) {
      it(`the redirect URI ${redirect_uri} matches`, async () => {
        const response = await decideOn(browser, requestOf(several, { redirect_uri }));
        const location = response.headers.get('location') ?? '';
        const mark = redirect_uri.includes('?') ? '&' : '?';
        assert.ok(location.startsWith(`${redirect_uri}${mark}code=`), location);
      });
    }

    for (const redirect_uri of bad) {
      it(`the redirect URI ${redirect_uri} is refused`, async () => {
        assert.equal((await open({ redirect_uri }, several)).status, 400);
        assert.match(refusalOf(server).reason, /differs from ".*" at character \d+/);
      });
    }

    it('the authorization endpoint never redirects to a scheme that runs code or to a fragment, even if it was registered', async () => {
      const uris = ['javascript:alert(1)', 'data:text/html,x', 'vbscript:x', 'https://lamps.example/#', '/relative', 'lamps'];
      const odd = codeClient(server, { redirectUris: uris });
      for (const redirect_uri of uris) {
        assert.equal((await open({ redirect_uri }, odd)).status, 400, redirect_uri);
        assert.match(refusalOf(server).reason, /absolute URI without a fragment/);
      }
    });
  });

  describe('errors with redirect', () => {
    it('other authorization errors are returned to the client with state and iss, signed in or not', async () => {
      const confidential = codeClient(server, { confidential: true });
      const rows: [Readonly<Record<string, string | undefined>>, string, RegExp][] = [
        [{ response_type: undefined }, 'invalid_request', /response_type/],
        [{ response_type: 'token' }, 'unsupported_response_type', /implicit/],
        [{ response_type: 'code token' }, 'unsupported_response_type', /only response_type=code/],
        [{ response_type: 'id_token' }, 'unsupported_response_type', /only response_type=code/],
        [{ response_mode: 'web_message' }, 'unsupported_response_mode', /form_post/],
        [{ scope: 'everything' }, 'invalid_scope', /scope .* does not exist/],
        [{ scope: 'sudo' }, 'invalid_scope', /may not request sudo/],
        [{ scope: 'api\tread_user' }, 'invalid_scope', /scope .* does not exist/],
        [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request', /public: send code_challenge/],
        [{ code_challenge_method: undefined }, 'invalid_code_challenge_method', /would mean plain/],
        [{ code_challenge_method: 'plain' }, 'invalid_code_challenge_method', /S256/],
        [{ code_challenge: 'short' }, 'invalid_request', /43 characters .* but 5 were sent/],
        [{ code_challenge: `${CHALLENGE}=` }, 'invalid_request', /43 characters/],
        [{ client_id: confidential.client_id, code_challenge: undefined }, 'invalid_request', /code_challenge/],
        [{ client_secret: 'gloas-secret' }, 'invalid_request', /client_secret must not/],
      ];
      for (const signedIn of [true, false]) {
        if (!signedIn) browser = new PageClient(server);
        for (const [more, error, reason] of rows) {
          const response = await open(more);
          assert.ok(response.headers.get('location')?.startsWith(`${CALLBACK}?error=`), response.text);
          const { error_description, ...rest } = returned(response);
          assert.deepEqual(rest, { error, state: 'xyz', iss: server.origin }, JSON.stringify(more));
          assert.ok(error_description);
          assert.match(refusalOf(server).reason, reason);
        }
      }
    });

    it('a public client must use PKCE with S256, and a confidential one may', async () => {
      const without = { code_challenge: undefined, code_challenge_method: undefined };
      assert.equal(returned(await open(without))['error'], 'invalid_request');
      assert.equal(returned(await open({ code_challenge_method: 'plain' }))['error'], 'invalid_code_challenge_method');
      const confidential = codeClient(server, { confidential: true });
      assert.equal((await open(without, confidential)).status, 200);
      assert.equal((await open({}, confidential)).status, 200);
    });

    it('the authorization endpoint returns only codes through the browser', async () => {
      for (const response_type of ['token', 'id_token token', 'code id_token', 'none']) {
        assert.equal(returned(await open({ response_type }))['error'], 'unsupported_response_type');
      }
    });

    it('other authorization parameters that are sent twice or as a list are refused with a redirect', async () => {
      for (const more of [
        '&scope=api',
        '&state=other',
        '&scope[]=api',
        '&response_mode=query&response_mode=fragment',
        '&nonce=a&nonce=b',
      ]) {
        const { error, iss } = returned(await browser.open(`${addressOf(requestOf(client))}${more}`));
        assert.deepEqual([error, iss], ['invalid_request', server.origin], more);
      }
    });

    it('authorization errors are returned in the requested response_mode', async () => {
      const response = await open({ response_mode: 'fragment', scope: 'sudo' });
      assert.ok(response.headers.get('location')?.startsWith(`${CALLBACK}#error=invalid_scope&`));
      assert.equal(returned(response, '#')['state'], 'xyz');
    });

    it('the authorization endpoint returns the state unchanged', async () => {
      for (const state of ['ä€😀 +&=%#?/"<>\'', 'line\nbreak\r\nand\ttab', '%2B+%20', 'x'.repeat(2500), '{"a":[1]}']) {
        const request = requestOf(client, { state });
        assert.equal(returned(await decideOn(browser, request))['state'], state);
        assert.equal(returned(await decideOn(browser, request, 'deny'))['state'], state);
        assert.equal(returned(await open({ state, scope: 'sudo' }))['state'], state);
      }
      assert.equal(returned(await decideOn(browser, requestOf(client, { state: undefined })))['state'], undefined);
    });
  });

  describe('responses to the application', () => {
    it('approval redirects by 303 with code, state and iss', async () => {
      const response = await decideOn(browser, requestOf(client));
      const { code, ...rest } = returned(response);
      assert.match(code ?? '', /^[0-9a-f]{64}$/);
      assert.deepEqual(rest, { state: 'xyz', iss: server.origin });
    });

    it('denial redirects with access_denied, state and iss', async () => {
      const response = await decideOn(browser, requestOf(client), 'deny');
      const { error_description, ...rest } = returned(response);
      assert.deepEqual(rest, { error: 'access_denied', state: 'xyz', iss: server.origin });
      assert.equal(error_description, 'The resource owner or authorization server denied the request.');
      assert.match(refusalOf(server).reason, /chose Deny/);
    });

    it('DELETE with the form token in a header denies the request', async () => {
      const page = await open();
      const token = formsOf(page.text)[0]?.fields['authenticity_token'] ?? '';
      assert.equal((await browser.open(addressOf(requestOf(client)), 'DELETE')).status, 403);
      browser.headers['X-CSRF-Token'] = token;
      assert.equal(returned(await browser.open(addressOf(requestOf(client)), 'DELETE'))['error'], 'access_denied');
      browser.headers['Sec-Fetch-Site'] = 'cross-site';
      assert.equal((await browser.open(addressOf(requestOf(client)), 'DELETE')).status, 403);
    });

    it('approval needs the form token and is refused for pages of other sites', async () => {
      const page = await open();
      const fields = formsOf(page.text).find(({ action }) => action === '/oauth/authorize')?.fields ?? {};
      assert.equal((await browser.post('/oauth/authorize', { ...fields, authenticity_token: '' })).status, 403);
      assert.equal((await (await person(server)).post('/oauth/authorize', fields)).status, 403);
      browser.headers['Origin'] = 'https://elsewhere.example';
      assert.equal((await browser.post('/oauth/authorize', fields)).status, 403);
    });

    it('approval of a form with a changed redirect URI is refused, and signed out it leads to sign-in', async () => {
      const page = await open();
      const fields = formsOf(page.text).find(({ action }) => action === '/oauth/authorize')?.fields ?? {};
      const request = new URLSearchParams(fields['authorization_request']);
      request.set('redirect_uri', 'https://elsewhere.example/');
      const changed = await browser.post('/oauth/authorize', { ...fields, authorization_request: request.toString() });
      assert.equal(changed.status, 400);
      assert.equal(changed.headers.get('location'), null);
      const signedOut = new PageClient(server);
      const entry = await signedOut.open('/users/sign_in');
      const token = formsOf(entry.text)[0]?.fields['authenticity_token'] ?? '';
      const sent = await signedOut.post('/oauth/authorize', { ...fields, authenticity_token: token });
      assert.equal(sent.headers.get('location'), addressOf(requestOf(client)));
    });

    it('response_mode=fragment returns the code in the fragment', async () => {
      const response = await decideOn(browser, requestOf(client, { response_mode: 'fragment' }));
      assert.match(
        response.headers.get('location') ?? '',
        /^https:\/\/lamps\.example\/callback#code=[0-9a-f]{64}&state=xyz&iss=/,
      );
    });

    it('response_mode=form_post returns the code in a form with a script and a button', async () => {
      const response = await decideOn(browser, requestOf(client, { response_mode: 'form_post', state: 'a"b\'<c>' }));
      assert.equal(response.status, 200);
      const { code, ...rest } = formsOf(response.text).find(({ action }) => action === CALLBACK)?.fields ?? {};
      assert.match(code ?? '', /^[0-9a-f]{64}$/);
      assert.deepEqual(rest, { state: 'a"b\'<c>', iss: server.origin });
      assert.match(response.text, /<button type="submit">Continue<\/button>/);
      const [, script = ''] = /<script src="([^"]+)" defer><\/script>/.exec(response.text) ?? [];
      const file = await server.request('GET', script);
      assert.equal(file.headers.get('content-type'), 'text/javascript; charset=utf-8');
      assert.match(
        response.headers.get('content-security-policy') ?? '',
        /script-src 'self';.*form-action 'self' https:\/\/lamps\.example;/,
      );
      const refused = await open({ response_mode: 'form_post', scope: 'sudo' });
      assert.equal(formsOf(refused.text).find(({ action }) => action === CALLBACK)?.fields['error'], 'invalid_scope');
    });
  });

  describe('skipping consent', () => {
    it('consent is skipped for a trusted confidential application and never for a public one', async () => {
      const trusted = codeClient(server, { confidential: true, trusted: true });
      const page = await open({}, trusted);
      assert.equal(page.status, 200);
      const location = leadsTo(page);
      assert.ok(location.startsWith(`${CALLBACK}?code=`), page.text);
      const code = new URL(location).searchParams.get('code') ?? '';
      const tokens = (await exchangeCode(server, code, trusted, { code_verifier: 'Az09-._~'.repeat(6) })).json() as Tokens;
      assert.equal(await userStatus(server, tokens.access_token), 200);
      const native = codeClient(server, { trusted: true });
      assert.match(textOf((await open({}, native)).text), /^Authorize/);
    });

    it('consent is skipped for scopes that a confidential application was granted before, until they are revoked', async () => {
      const confidential = codeClient(server, { confidential: true });
      const { code = '' } = returned(await decideOn(browser, requestOf(confidential, { scope: 'api read_user' })));
      const more = { code_verifier: 'Az09-._~'.repeat(6) };
      const tokens = (await exchangeCode(server, code, confidential, more)).json() as Tokens;
      assert.notEqual(leadsTo(await open({ scope: 'read_user api' }, confidential)), '');
      assert.equal(leadsTo(await open({ scope: 'api' }, confidential)), '');
      await server.request('POST', '/oauth/revoke', { form: { ...confidential, token: tokens.refresh_token } });
      assert.equal(leadsTo(await open({ scope: 'read_user api' }, confidential)), '');
    });
  });

  describe('prompt and max_age', () => {
    let known: Client;
    before(() => {
      known = codeClient(server, { confidential: true, trusted: true, scopes: ['openid', 'api'] });
    });
    const openid = (more: Readonly<Record<string, string>>, of: Client = known) => open({ scope: 'openid', ...more }, of);

    it('prompt=none never shows a page', async () => {
      assert.match(returned(await openid({ prompt: 'none' }))['code'] ?? '', /^[0-9a-f]{64}$/);
      const stranger = codeClient(server, { confidential: true, scopes: ['openid'] });
      const refusal = returned(await openid({ prompt: 'none' }, stranger));
      assert.deepEqual([refusal['error'], refusal['state']], ['consent_required', 'xyz']);
      browser = new PageClient(server);
      assert.equal(returned(await openid({ prompt: 'none' }))['error'], 'login_required');
    });

    it('prompt=consent and select_account show the consent page, and prompt=login the sign-in page', async () => {
      for (const prompt of ['consent', 'select_account', 'create consent']) {
        assert.match(textOf((await openid({ prompt })).text), /^Authorize/, prompt);
      }
      const entry = await openid({ prompt: 'login consent' });
      assert.match(textOf(entry.text), /^Sign in/);
      const returnTo = formsOf(entry.text).at(-1)?.fields['return_to'] ?? '';
      assert.equal(new URLSearchParams(returnTo.split('?')[1]).get('prompt'), 'consent');
    });

    it('an unknown prompt, none combined with others, and a max_age that is not a number are refused', async () => {
      for (const more of [{ prompt: 'force' }, { prompt: 'none login' }, { max_age: 'soon' }]) {
        assert.equal(returned(await openid(more))['error'], 'invalid_request', JSON.stringify(more));
      }
      assert.match(
        textOf((await open({ prompt: 'force', max_age: 'soon' })).text),
        /^Authorize/,
        'they have no effect without openid',
      );
    });

    it('a sign-in older than max_age leads to the sign-in page', async () => {
      const { clock } = server.platform;
      clock.freeze(clock.now());
      const recent = await person(server);
      clock.advance(60 * SECOND);
      const request = addressOf(requestOf(known, { scope: 'openid', max_age: '60', prompt: 'consent' }));
      assert.match(textOf((await recent.open(request)).text), /^Authorize/);
      clock.advance(1);
      assert.match(textOf((await recent.open(request)).text), /^Sign in/);
      const silent = requestOf(known, { scope: 'openid', max_age: '60', prompt: 'none' });
      assert.equal(returned(await recent.open(addressOf(silent)))['error'], 'login_required');
      clock.reset();
    });
  });

  it('a foreign return address in the sign-in detour is not followed', async () => {
    for (const elsewhere of [
      'https://elsewhere.example/',
      '//elsewhere.example/',
      '/\\\\elsewhere.example/',
      'javascript:alert(1)',
    ]) {
      const notYou = formsOf((await open()).text).find(({ fields }) => fields['return_to'] !== undefined);
      const signedOut = await browser.post('/users/sign_out', { ...notYou?.fields, return_to: elsewhere });
      assert.equal(signedOut.headers.get('location'), '/', elsewhere);
      await browser.signIn();
    }
  });

  it('opening and denying the consent page create no code', async () => {
    const count = () => server.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM oauth_authorization_codes')?.n;
    const before = count();
    await open();
    await decideOn(browser, requestOf(client), 'deny');
    assert.equal(count(), before);
  });
});
