import assert from 'node:assert/strict';
import { createGroup, deleteGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { User } from '../../../server/core/caller.ts';
import { createUser, findUserByName } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { tryPassword } from '../../../server/features/signIn/passwordAttempts.ts';
import type { Profile } from '../../../server/core/profile.ts';
import { refusalOf } from '../oauth/codes.ts';
import { checkError, token } from '../oauth/support.ts';
import { rootOf } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { cheapHash } from '../../support/passwords.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const password = 'a long pass phrase';
const NOW = Date.UTC(2030, 0, 1, 12);
const setting = 'disable_password_authentication_for_enterprise_users';

describe('enterprise users', () => {
  let hash: string;
  let server: TestServer;
  let ada: User;
  let tidemark: FoundGroup;
  before(() => {
    hash = cheapHash(password);
  });
  async function start(profile: Partial<Profile> = {}): Promise<void> {
    server = await startTestServer({ profile });
    server.platform.clock.freeze(NOW);
    ada = person('ada');
    tidemark = createGroup(server.platform, rootOf(server.platform), { name: 'Tidemark', path: 'tidemark' });
  }
  beforeEach(() => start());
  afterEach(() => server.close());

  function person(username: string): User {
    const made = createUser(server.platform, { username, name: username, email: `${username}@example.com`, passwordHash: hash });
    assert.ok(typeof made === 'object');
    return made;
  }
  const tokenOf = (user: User): string =>
    issuePersonalToken(server.platform, user, { name: 'own', scopes: ['api'], expiresAt: null }).token;
  const asAdmin = (method: string, path: string, json?: unknown): Promise<TestResponse> =>
    server.request(method, `/api/v4${path}`, { token: server.adminToken, ...(json === undefined ? {} : { json }) });
  const location = (groupId: unknown, user = ada): Promise<TestResponse> =>
    asAdmin('PUT', `/users/${user.id}`, { enterprise_group_id: groupId });
  const refusePasswords = async (isOn = true): Promise<void> => {
    assert.equal((await asAdmin('PUT', `/groups/${tidemark.group.id}`, { [setting]: isOn })).status, 200);
  };
  const signIn = async (client = new PageClient(server), secret = password): Promise<TestResponse> =>
    client.submit(await client.open('/users/sign_in'), '/users/sign_in', { login: 'ada', password: secret });
  const grant = (): Promise<TestResponse> => token(server, { grant_type: 'password', username: 'ada', password });

  describe('placing users in a group', () => {
    const metadata = (response: TestResponse): unknown => {
      const { enterprise_group_id, enterprise_group_associated_at } = response.json() as Record<string, unknown>;
      return [enterprise_group_id, enterprise_group_associated_at];
    };

    it('administrators place users in a top-level group and remove them from it, and responses include group and time', async () => {
      assert.deepEqual(metadata(await asAdmin('GET', `/users/${ada.id}`)), [null, null]);
      const placed = await location(tidemark.group.id);
      assert.deepEqual(metadata(placed), [tidemark.group.id, '2030-01-01T12:00:00.000Z']);
      server.platform.clock.advance(1000);
      assert.deepEqual(metadata(await location(tidemark.group.id)), metadata(placed), 'the same group again changes nothing');
      assert.deepEqual(metadata(await asAdmin('PUT', `/users/${ada.id}`, { bio: 'Engines' })), metadata(placed));
      for (const nothing of ['', null]) {
        await location(tidemark.group.id);
        assert.deepEqual(metadata(await location(nothing)), [null, null]);
      }
    });

    it('users cannot be placed in a group that is missing or not at the top level', async () => {
      const inner = createGroup(server.platform, rootOf(server.platform), { name: 'Inner', path: 'inner', parent: tidemark });
      const refused = await location(inner.group.id);
      assert.equal(refused.status, 400);
      assert.deepEqual(refused.json(), { message: { enterprise_group_id: ['must be a top-level group'] } });
      const own = server.platform.store.get<{ id: number }>("SELECT id FROM namespaces WHERE kind = 'user'")?.id;
      for (const id of [own, 9999]) {
        const response = await location(id);
        assert.equal(response.status, 404);
        assert.deepEqual(response.json(), { message: '404 Group Not Found' });
      }
      assert.equal((await location('a')).status, 400);
    });

    it('users of a deleted group are no longer enterprise users', async () => {
      await location(tidemark.group.id);
      await refusePasswords();
      deleteGroup(server.platform, tidemark.group);
      assert.deepEqual(metadata(await asAdmin('GET', `/users/${ada.id}`)), [null, null]);
      assert.equal((await signIn()).status, 303);
    });
  });

  describe('lists of enterprise users', () => {
    let bob: User;
    beforeEach(async () => {
      bob = person('bob');
      await location(tidemark.group.id);
      await location(tidemark.group.id, bob);
      addGroupMember(server.platform, tidemark.group, ada, { level: 40 }, { user: rootOf(server.platform) });
    });
    const list = async (query = ''): Promise<readonly string[]> => {
      const response = await asAdmin('GET', `/groups/tidemark/enterprise_users${query}`);
      assert.equal(response.status, 200, response.text);
      return (response.json() as { username: string }[]).map(({ username }) => username);
    };

    it('enterprise users are listed for owners of their group, newest first, with filters and pages', async () => {
      assert.deepEqual(await list(), ['bob', 'ada']);
      assert.deepEqual(await list('?search=ad'), ['ada']);
      assert.deepEqual(await list('?username=bob'), ['bob']);
      assert.deepEqual(await list('?two_factor=enabled'), []);
      assert.deepEqual(await list('?two_factor=disabled'), ['bob', 'ada']);
      await asAdmin('POST', `/users/${bob.id}/block`);
      assert.deepEqual(await list('?blocked=true'), ['bob']);
      assert.deepEqual(await list('?active=true'), ['ada']);
      const page = await asAdmin('GET', '/groups/tidemark/enterprise_users?per_page=1&page=2');
      assert.equal(page.headers.get('x-total'), '2');
      assert.equal((page.json() as { email: string }[])[0]?.email, 'ada@example.com');
    });

    it('single enterprise users can be read by owners of their group', async () => {
      const one = await asAdmin('GET', `/groups/tidemark/enterprise_users/${ada.id}`);
      assert.equal((one.json() as { email: string }).email, 'ada@example.com');
      const other = await asAdmin('GET', '/groups/tidemark/enterprise_users/1');
      assert.equal(other.status, 404);
      assert.deepEqual(other.json(), { message: '404 Not found' });
    });

    it('enterprise users can be listed by no other users', async () => {
      for (const path of ['', `/${bob.id}`]) {
        const response = await server.request('GET', `/api/v4/groups/tidemark/enterprise_users${path}`, { token: tokenOf(ada) });
        assert.equal(response.status, 403, 'a Maintainer is no owner');
      }
      createGroup(server.platform, rootOf(server.platform), { name: 'Inner', path: 'inner', parent: tidemark });
      const inner = await asAdmin('GET', '/groups/tidemark%2Finner/enterprise_users');
      assert.equal(inner.status, 400);
      assert.deepEqual(inner.json(), { message: '400 Bad request - Must be a top-level group' });
    });
  });

  describe('password authentication disabled by a group', () => {
    beforeEach(async () => {
      await location(tidemark.group.id);
      await refusePasswords();
    });

    it('enterprise users of a group without password authentication cannot sign in with a correct password, and the page says why', async () => {
      const refused = await signIn();
      assert.equal(refused.status, 403);
      assert.match(
        textOf(refused.text),
        /The group Tidemark does not allow its users to sign in with a password\. Ask an administrator/,
      );
      assert.equal(refusalOf(server).rule, 'password.enterprise');
      assert.match(refusalOf(server).reason, /"Tidemark"/);
      const wrong = await signIn(new PageClient(server), 'wrong');
      assert.equal(wrong.status, 422);
      assert.match(textOf(wrong.text), /Incorrect username or password\./);
      assert.ok(!textOf(wrong.text).includes('Tidemark'));
    });

    it('enterprise users of a group without password authentication cannot use the password grant; only the request log names the group', async () => {
      checkError(await grant(), 400, 'invalid_grant');
      assert.equal(refusalOf(server).rule, 'password.enterprise');
      assert.match(refusalOf(server).reason, /"Tidemark"/);
    });

    it('enterprise users of a group without password authentication can use sign-in links and tokens, and confirm changes without password', async () => {
      const browser = new PageClient(server);
      await browser.signIn('ada');
      assert.match(textOf((await browser.open('/')).text), /signed in as @ada/);
      assert.equal((await server.request('GET', '/api/v4/user', { token: tokenOf(ada) })).status, 200);
      const page = await browser.open('/user_settings/emails');
      assert.ok(!page.text.includes('current_password'));
      assert.equal((await browser.submit(page, '/user_settings/emails', { email: 'new@example.com' })).status, 303);
    });

    it('enterprise users of a group without password authentication cannot set a password', async () => {
      const browser = new PageClient(server);
      await browser.signIn('ada');
      const page = await browser.open('/user_settings/password');
      assert.equal(page.status, 200);
      assert.match(textOf(page.text), /Password authentication is disabled for users of the group Tidemark/);
      const { authenticity_token = '' } = Object.fromEntries(
        [...page.text.matchAll(/name="(authenticity_token)" value="([^"]+)"/g)].map(([, name = '', value = '']) => [name, value]),
      );
      const input = { password: 'another pass phrase', password_confirmation: 'another pass phrase' };
      const refused = await browser.post('/user_settings/password', { authenticity_token, current_password: password, ...input });
      assert.equal(refused.status, 403);
      assert.equal(refusalOf(server).rule, 'password.enterprise');
      assert.ok('user' in Object(await tryPassword(server.platform, 'ada', password)), 'the password is as it was');
    });

    it('enterprise users can use their password again when the group allows it, or when they leave it', async () => {
      await refusePasswords(false);
      assert.equal((await signIn()).status, 303);
      assert.equal((await grant()).status, 200);
      await refusePasswords();
      assert.equal((await signIn()).status, 403);
      await location('');
      assert.equal((await signIn()).status, 303);
    });

    it('disabled password authentication does not affect other users, members of the group included', async () => {
      const bob = person('bob');
      addGroupMember(server.platform, tidemark.group, bob, { level: 50 }, { user: rootOf(server.platform) });
      const response = await token(server, { grant_type: 'password', username: 'bob', password });
      assert.equal(response.status, 200);
    });
  });

  describe('the setting that disables password authentication', () => {
    const own = async (path: string, bearer = server.adminToken): Promise<unknown> =>
      ((await server.request('GET', `/api/v4/groups/${path}`, { token: bearer })).json() as Record<string, unknown>)[setting];

    it('the setting that disables password authentication is off by default, unchanged by other updates, and visible to owners', async () => {
      assert.equal(await own('tidemark'), false);
      await refusePasswords();
      await asAdmin('PUT', '/groups/tidemark', { description: 'All of us' });
      assert.equal(await own('tidemark'), true);
      addGroupMember(server.platform, tidemark.group, ada, { level: 40 }, { user: rootOf(server.platform) });
      assert.equal(await own('tidemark', tokenOf(ada)), undefined);
      const made = await asAdmin('POST', '/groups', { name: 'Strict', path: 'strict', [setting]: true });
      assert.equal((made.json() as Record<string, unknown>)[setting], true);
    });

    it('the setting that disables password authentication exists for top-level groups only', async () => {
      const input = { name: 'Inner', path: 'inner', parent_id: tidemark.group.id };
      const refused = await asAdmin('POST', '/groups', { ...input, [setting]: true });
      assert.equal(refused.status, 400);
      assert.match(refused.text, /can only be set on a top-level group/);
      assert.equal((await asAdmin('POST', '/groups', input)).status, 201);
      assert.equal(await own('tidemark%2Finner'), undefined);
    });
  });

  for (const profile of [{ tier: 'free' }, { release: '17.3' }] as const) {
    it(`enterprise users do not exist with ${JSON.stringify(profile)}: parameters are ignored and members omitted`, async () => {
      await server.close();
      await start(profile);
      const placed = await asAdmin('PUT', `/users/${ada.id}`, { enterprise_group_id: tidemark.group.id, external: false });
      assert.equal(placed.status, 200);
      assert.ok(!('enterprise_group_id' in (placed.json() as object)));
      assert.equal(findUserByName(server.platform, 'ada')?.enterprise_group_id, null);
      await asAdmin('PUT', '/groups/tidemark', { description: 'Other', [setting]: true });
      assert.ok(!(await asAdmin('GET', '/groups/tidemark')).text.includes(setting));
      assert.equal((await asAdmin('GET', '/groups/tidemark/enterprise_users')).status, 404);
      server.platform.store.run('UPDATE users SET enterprise_group_id = $id', { id: tidemark.group.id });
      server.platform.store.run('UPDATE namespaces SET disable_password_authentication = 1');
      assert.equal((await signIn()).status, 303, 'what another tier stored has no effect');
    });
  }
});
