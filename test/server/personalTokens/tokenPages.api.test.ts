import assert from 'node:assert/strict';
import type { User } from '../../../server/core/caller.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { formsOf, PageClient, textOf } from '../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const page = '/user_settings/personal_access_tokens';

describe('personal access tokens page', () => {
  let server: TestServer;
  let ada: User;
  let person: PageClient;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(Date.UTC(2030, 0, 1, 12));
    const made = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@example.com' });
    assert.ok(typeof made === 'object');
    ada = made;
    person = new PageClient(server);
    await person.signIn('ada');
  });
  afterEach(() => server.close());

  const make = async (fields: Readonly<Record<string, string>>): Promise<TestResponse> =>
    person.submit(await person.open(page), page, fields);
  /** Returns the token value that the page shows once. */
  const valueOn = (response: TestResponse): string => /value="(glpat-[^"]+)"/.exec(response.text)?.[1] ?? '';

  it('the page of personal access tokens requires a session and is linked from every page', async () => {
    const stranger = await new PageClient(server).open(page);
    assert.equal(stranger.status, 303);
    assert.equal(stranger.headers.get('location'), `/users/sign_in?return_to=${encodeURIComponent(page)}`);
    const settings = /class="who" href="(\/user_settings[^"]+)"/.exec((await person.open('/')).text)?.[1] ?? '';
    assert.ok((await person.open(settings)).text.includes(`href="${page}"`));
    assert.match(textOf((await person.open(page)).text), /Active tokens No active tokens\./);
  });

  it('the page of personal access tokens creates a token, shows it once and then lists it without its value', async () => {
    const made = await make({ name: 'laptop', description: 'for <git>', 'scopes[api]': '1', 'scopes[read_user]': '1' });
    assert.equal(made.status, 200, made.text);
    assert.equal(made.headers.get('cache-control'), 'no-store');
    const token = valueOn(made);
    const known = await server.request('GET', '/api/v4/personal_access_tokens/self', { token });
    assert.partialDeepStrictEqual(known.json(), {
      user_id: ada.id,
      name: 'laptop',
      description: 'for <git>',
      expires_at: '2030-01-31',
    });
    assert.deepEqual((known.json() as { scopes: unknown }).scopes, ['api', 'read_user']);
    const again = await person.open(page);
    assert.match(textOf(again.text), /laptop for <git> api read_user Created less than a minute ago/);
    assert.ok(!again.text.includes(token));
    assert.ok(!JSON.stringify(server.platform.requestLog.list(20)).includes(token));
  });

  it('the page of personal access tokens has the values of a link in its form, and has the address that it has on GitLab', async () => {
    const query = '?name=Lamp+board%22%3E&description=of+Ada&scopes=read_user,api,sudo,unknown';
    const response = await person.open(`/-${page}${query}`);
    assert.deepEqual([response.status, response.headers.get('location')], [303, `${page}${query}`]);
    const shown = await person.open(`${page}${query}`);
    assert.match(shown.text, /name="name"[^>]*value="Lamp board&quot;&gt;"/);
    assert.match(shown.text, /name="description"[^>]*value="of Ada"/);
    const checked = [...shown.text.matchAll(/<input[^>]*name="scopes\[(\w+)\]"[^>]*>/g)].filter(([input]) =>
      input.includes('checked'),
    );
    assert.deepEqual(
      checked.map(([, scope]) => scope),
      ['api', 'read_user'],
    );
    const stranger = await new PageClient(server).open(`/-${page}?scopes=api`);
    assert.equal(stranger.headers.get('location'), `/users/sign_in?return_to=${encodeURIComponent(`/-${page}?scopes=api`)}`);
  });

  it('the page of personal access tokens shows validation errors at each field and keeps the input', async () => {
    const wrong = await make({
      name: ' ',
      description: '"><b>x'.repeat(50),
      expires_at: '2031-01-02',
    });
    assert.equal(wrong.status, 422);
    const text = textOf(wrong.text);
    assert.match(text, /The name can't be blank\./);
    assert.match(text, /The description is too long \(maximum is 255 characters\)\./);
    assert.match(text, /The expiration date must be before 2031-01-01\./);
    assert.match(text, /The token must have at least one scope\./);
    assert.ok(!wrong.text.includes('"><b>x'));
    for (const [expires_at, problem] of [
      ['2030-01-01', /The expiration date must be in the future\./],
      ['', /The expiration date is not a valid date\./],
      ['2030-02-30', /The expiration date is not a valid date\./],
    ] as const) {
      const response = await make({ name: 'kept', 'scopes[api]': '1', expires_at });
      assert.match(textOf(response.text), problem);
      const stored = formsOf(response.text).find(({ action }) => action === page)?.fields;
      assert.equal(stored?.['name'], 'kept');
      assert.equal(stored?.['scopes[api]'], '1');
      assert.equal(stored?.['scopes[read_api]'], undefined);
    }
    assert.match(textOf((await person.open(page)).text), /No active tokens\./);
  });

  it('the page of personal access tokens offers administrator scopes to administrators only', async () => {
    assert.ok(!(await person.open(page)).text.includes('scopes[sudo]'));
    const refused = await make({ name: 'wide', 'scopes[sudo]': '1' });
    assert.equal(refused.status, 422);
    const root = new PageClient(server);
    await root.signIn();
    assert.ok((await root.open(page)).text.includes('scopes[sudo]'));
  });

  it('the page of personal access tokens rotates a token with the same lifetime, and revokes a token', async () => {
    const old = valueOn(await make({ name: 'laptop', 'scopes[api]': '1', expires_at: '2030-04-11' }));
    server.platform.clock.advance(10 * 86_400_000);
    const list = await person.open(page);
    const forms = formsOf(list.text).map(({ action }) => action);
    const [rotate = '', revoke = ''] = ['rotate', 'revoke'].map((end) => forms.find((action) => action.endsWith(`/${end}`)));
    const replaced = await person.submit(list, rotate);
    assert.match(textOf(replaced.text), /It expires on 2030-04-21\./);
    const token = valueOn(replaced);
    const works = async (value: string): Promise<number> =>
      (await server.request('GET', '/api/v4/user', { token: value })).status;
    assert.deepEqual([await works(old), await works(token)], [401, 200]);
    const late = await person.post(revoke, { authenticity_token: formsOf(list.text)[0]?.fields['authenticity_token'] ?? '' });
    assert.equal(late.status, 303, 'a revoked token stays revoked');
    const twice = await person.submit(list, rotate);
    assert.equal(twice.status, 409);
    assert.match(textOf(twice.text), /Create a new token instead/);
    assert.equal(await works(token), 200);
    const next = await person.open(page);
    const gone = await person.submit(next, formsOf(next.text).find(({ action }) => action.endsWith('/revoke'))?.action ?? '');
    assert.match(textOf((await person.follow(gone)).text), /Token revoked\./);
    assert.equal(await works(token), 401);
  });

  it('the page of personal access tokens cannot rotate or revoke the tokens of other users', async () => {
    const root = server.platform.store.get<User>('SELECT * FROM users WHERE id = 1');
    assert.ok(root);
    const { row, token } = issuePersonalToken(server.platform, root, { name: 'of root', scopes: ['api'], expiresAt: null });
    const authenticity_token = formsOf((await person.open(page)).text)[0]?.fields['authenticity_token'] ?? '';
    for (const action of ['rotate', 'revoke']) {
      assert.equal((await person.post(`${page}/${row.id}/${action}`, { authenticity_token })).status, 404);
    }
    assert.equal((await server.request('GET', '/api/v4/user', { token })).status, 200);
    assert.ok(!(await person.open(page)).text.includes('of root'));
  });
});
