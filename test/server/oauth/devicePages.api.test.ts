import assert from 'node:assert/strict';
import { createUser, findUserByName } from '../../../server/features/users/accounts.ts';
import { decide, findByUserCode } from '../../../server/features/oauth/deviceGrants.ts';
import { createApplication } from '../../../server/features/oauth/oauth.ts';
import { recordAttempt } from '../../../server/features/attempts/failedAttempts.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { checkError, clientOf, deviceCodes, extension, poll } from './support.ts';

const MINUTE = 60_000;
const password = 'correct horse battery';

describe('device pages', () => {
  let server: TestServer;
  let person: PageClient;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(server.platform.clock.now());
    person = new PageClient(server);
  });
  afterEach(() => server.close());
  const enter = async (user_code: string) => person.submit(await person.open('/oauth/device'), '/oauth/device', { user_code });

  it('the device pages of a new server explain its setup and continue with the code afterwards', async () => {
    const codes = await deviceCodes(server);
    const address = new URL(codes.verification_uri_complete);
    const page = address.pathname + address.search;
    const first = await person.open(page);
    assert.equal(first.status, 200);
    assert.match(textOf(first.text), /Set up this server.*prints a link/);
    assert.match(first.text, new RegExp(`<a href="[^"]*user_code=${codes.user_code}">continue</a>`));
    await person.setUp(password);
    const entry = await person.open(page);
    assert.equal(formsOf(entry.text).find(({ action }) => action === '/oauth/device')?.fields['user_code'], codes.user_code);
    const consent = await person.submit(entry, '/oauth/device');
    assert.match(textOf(consent.text), /Approve Signalbox for VS Code\?/);
  });

  it('the device pages lead through sign-in if a user has a password, and keep the code out of every logged address', async () => {
    await person.setUp(password);
    const other = new PageClient(server);
    const codes = await deviceCodes(server);
    const signIn = await other.open(`/oauth/device?user_code=${codes.user_code.toLowerCase()}`);
    assert.match(textOf(signIn.text), /Sign in/);
    const done = await other.submit(signIn, '/users/sign_in', { login: 'root', password });
    assert.equal(done.headers.get('location'), `/oauth/device?user_code=${codes.user_code}`);
    assert.ok((await other.follow(done)).text.includes(codes.user_code));
    assert.ok(!JSON.stringify(server.platform.requestLog.list(100)).toUpperCase().includes(codes.user_code));
  });

  it('the device pages accept the code in any case, with or without the dash', async () => {
    await person.signIn();
    const { user_code } = await deviceCodes(server);
    for (const typed of [user_code, user_code.toLowerCase(), user_code.replace('-', ''), ` ${user_code.replace('-', ' ')} `]) {
      assert.match(textOf((await enter(typed)).text), /Approve Signalbox for VS Code\?/, typed);
      const prefilled = await person.open(`/oauth/device?user_code=${encodeURIComponent(typed)}`);
      assert.ok(prefilled.text.includes(`value="${user_code}"`), typed);
    }
  });

  it('the device pages show application, account, scopes, code, age and address, with Approve and Deny', async () => {
    await person.signIn();
    const codes = await deviceCodes(server, extension, 'read_user api');
    server.platform.clock.advance(2 * MINUTE);
    const consent = await enter(codes.user_code);
    assert.equal(consent.status, 200);
    const text = textOf(consent.text);
    for (const part of [
      'Signalbox for VS Code wants to access your account',
      'Signed in as Administrator @root Not you?',
      'Read your profile and activity read_user',
      'Full access to the API api',
      codes.user_code,
      'Requested 2 minutes ago , from the machine that runs this server (127.0.0.1)',
      'Approve Deny',
    ]) {
      assert.ok(text.includes(part), `${part}\n${text}`);
    }
    assert.ok(!consent.text.includes(codes.device_code));
  });

  it('the device pages escape the name of the application', async () => {
    const name = '<img src=x onerror=alert(1)>" & \'';
    const application = createApplication(server.platform, { name, scopes: ['api'], confidential: false });
    await person.signIn();
    const { text } = await enter((await deviceCodes(server, clientOf(application))).user_code);
    assert.ok(!text.includes('<img src=x'));
    assert.ok(textOf(text).includes(name));
    assert.ok(!(await person.open('/oauth/device?user_code=%22%3E%3Cscript%3E')).text.includes('<script'));
  });

  it('the device pages redirect after approval and denial, so that a reload sends nothing again', async () => {
    await person.signIn();
    for (const [decision, path, text] of [
      ['approve', '/oauth/device/approved', /close this tab/],
      ['deny', '/oauth/device/denied', /not granted access/],
    ] as const) {
      const codes = await deviceCodes(server);
      const done = await person.submit(await enter(codes.user_code), '/oauth/device/confirm', { decision });
      assert.equal(done.status, 303);
      assert.equal(done.headers.get('location'), path);
      assert.match(textOf((await person.follow(done)).text), text);
      const response = await poll(server, codes);
      if (decision === 'approve') assert.equal(response.status, 200);
      else checkError(response, 400, 'access_denied');
    }
  });

  it('the device pages never approve by a GET or without a decision', async () => {
    await person.signIn();
    const codes = await deviceCodes(server);
    const query = `user_code=${codes.user_code}&decision=approve`;
    await person.open(`/oauth/device?${query}`);
    assert.equal((await person.open(`/oauth/device/confirm?${query}`)).status, 404);
    await person.open('/oauth/device/approved');
    const consent = await enter(codes.user_code);
    const undecided = await person.submit(consent, '/oauth/device/confirm');
    assert.match(textOf(undecided.text), /Approve Deny/);
    await person.submit(consent, '/oauth/device/confirm', { decision: 'perhaps' });
    checkError(await poll(server, codes), 400, 'authorization_pending');
  });

  it('the device pages never approve without the form token of the same session', async () => {
    await person.signIn();
    const codes = await deviceCodes(server);
    const consent = await enter(codes.user_code);
    const form = formsOf(consent.text).find(({ action }) => action === '/oauth/device/confirm')?.fields ?? {};
    const other = new PageClient(server);
    await other.signIn();
    const foreign = formsOf((await other.open('/oauth/device')).text).find(({ action }) => action === '/oauth/device');
    for (const authenticity_token of ['', 'wrong', foreign?.fields['authenticity_token'] ?? '']) {
      const refused = await person.post('/oauth/device/confirm', { ...form, authenticity_token, decision: 'approve' });
      assert.equal(refused.status, 403);
      assert.match(refused.text, /has expired/);
    }
    checkError(await poll(server, codes), 400, 'authorization_pending');
    assert.equal((await person.post('/oauth/device/confirm', { ...form, decision: 'approve' })).status, 303);
  });

  it('the device pages lead a user who has signed out in between back to the sign-in page', async () => {
    await person.setUp(password);
    const codes = await deviceCodes(server);
    const consent = await enter(codes.user_code);
    const out = await person.submit(consent, '/users/sign_out', { return_to: `/oauth/device?user_code=${codes.user_code}` });
    const signIn = await person.follow(out);
    assert.match(textOf(signIn.text), /^Sign in/);
    const done = await person.post('/oauth/device/confirm', {
      authenticity_token: formsOf(signIn.text)[0]?.fields['authenticity_token'] ?? '',
      user_code: codes.user_code,
      decision: 'approve',
    });
    assert.equal(done.headers.get('location'), `/oauth/device?user_code=${codes.user_code}`);
    checkError(await poll(server, codes), 400, 'authorization_pending');
  });

  it('“Not you?” on the device pages signs out and returns to the same code', async () => {
    await person.signIn();
    const codes = await deviceCodes(server);
    const consent = await enter(codes.user_code);
    const forms = formsOf(consent.text).filter(({ action }) => action === '/users/sign_out');
    const back = forms.map(({ fields }) => fields['return_to']).find((value) => value !== undefined);
    assert.equal(back, `/oauth/device?user_code=${codes.user_code}`);
  });

  it('the device pages show at the field if a code is wrong, used, expired or blank', async () => {
    await person.signIn();
    const used = await deviceCodes(server);
    await person.submit(await enter(used.user_code), '/oauth/device/confirm', { decision: 'approve' });
    const expired = await deviceCodes(server);
    server.platform.clock.advance(5 * MINUTE);
    const again = await deviceCodes(server);
    await person.submit(await enter(again.user_code), '/oauth/device/confirm', { decision: 'deny' });
    for (const [code, text] of [
      ['BBBB-BBBB', /This code does not exist/],
      ['short', /This code does not exist/],
      [again.user_code, /already been used/],
      [expired.user_code, /has expired/],
      ['', /Enter the code/],
      [' - ', /Enter the code/],
    ] as const) {
      const response = await enter(code);
      assert.equal(response.status, 422, code);
      assert.match(textOf(response.text), text);
      assert.match(response.text, /aria-invalid="true"/);
      assert.match(response.text, /aria-describedby="user_code-error user_code-hint"/);
      assert.match(response.text, /id="user_code-error"/);
    }
  });

  it('the device pages report a code that expired or was decided between the two pages', async () => {
    await person.signIn();
    const codes = await deviceCodes(server);
    const consent = await enter(codes.user_code);
    server.platform.clock.advance(5 * MINUTE);
    const late = await person.submit(consent, '/oauth/device/confirm', { decision: 'approve' });
    assert.equal(late.status, 422);
    assert.match(textOf(late.text), /has expired/);
    checkError(await poll(server, codes), 400, 'expired_token');
  });

  it('only one of many concurrent decisions about a device code counts', async () => {
    await person.signIn();
    const codes = await deviceCodes(server);
    const consent = await enter(codes.user_code);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        person.submit(consent, '/oauth/device/confirm', { decision: index % 2 === 0 ? 'deny' : 'approve' }),
      ),
    );
    assert.equal(responses.filter(({ status }) => status === 303).length, 1);
    assert.equal(responses.filter(({ status }) => status === 422).length, 19);
  });

  it('the store records no second decision for an outdated copy of a device grant', async () => {
    const codes = await deviceCodes(server);
    const { platform } = server;
    const now = platform.clock.now();
    const grant = findByUserCode(platform, codes.user_code, now);
    const user = findUserByName(platform, 'root');
    assert.ok(typeof grant === 'object' && user !== undefined);
    assert.equal(decide(platform, grant, { user, state: 'approved', now: now + 300_000 }), false, 'too late');
    assert.equal(decide(platform, grant, { user, state: 'denied', now }), true);
    assert.equal(decide(platform, grant, { user, state: 'approved', now }), false);
    checkError(await poll(server, codes), 400, 'access_denied');
  });

  it('the device pages lock code entry after ten wrong codes for ten minutes, also for the right code', async () => {
    await person.signIn();
    for (let count = 0; count < 10; count += 1) assert.equal((await enter('BBBB-BBBB')).status, 422);
    const codes = await deviceCodes(server);
    const locked = await enter(codes.user_code);
    assert.equal(locked.status, 429);
    assert.equal(locked.headers.get('retry-after'), '600');
    assert.match(textOf(locked.text), /Try again in 10 minutes/);
    const token = formsOf((await person.open('/oauth/device')).text)[0]?.fields['authenticity_token'] ?? '';
    const confirm = { authenticity_token: token, user_code: codes.user_code, decision: 'approve' };
    assert.equal((await person.post('/oauth/device/confirm', confirm)).status, 429);
    const user = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    assert.ok(typeof user === 'object');
    await person.signIn('ada');
    assert.equal((await enter(codes.user_code)).status, 200, 'other users on the same machine are not locked');
    await person.signIn();
    server.platform.clock.advance(10 * MINUTE);
    assert.equal((await enter((await deviceCodes(server)).user_code)).status, 200);
  });

  it('the device pages lock an account whatever address its wrong codes come from', async () => {
    for (let count = 0; count < 10; count += 1) recordAttempt(server.platform, 'user code', 'account 1');
    await person.signIn();
    assert.equal((await enter('BBBB-BBBB')).status, 429);
  });

  it('the device pages lock nobody for nine wrong codes, or for ten in more than ten minutes', async () => {
    await person.signIn();
    for (let count = 0; count < 9; count += 1) await enter('BBBB-BBBB');
    assert.equal((await enter((await deviceCodes(server)).user_code)).status, 200);
    server.platform.clock.advance(10 * MINUTE);
    for (let count = 0; count < 9; count += 1) await enter('BBBB-BBBB');
    assert.equal((await enter((await deviceCodes(server)).user_code)).status, 200);
  });
});
