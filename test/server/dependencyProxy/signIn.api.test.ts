import assert from 'node:assert/strict';
import { createDeployToken, deleteDeployToken } from '../../../server/features/deployTokens/manageDeployTokens.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { setPassword } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { publicClient, signedIn } from '../oauth/support.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import { pathIn, pullToken, signIn } from './pulling.ts';

const BOTH = ['read_registry', 'write_registry'];

describe('the sign-in to the dependency proxy', () => {
  let server: TestServer;
  let ada: Actor;
  let groupId: number;
  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    groupId = createGroup(server.platform, ada.user, { name: 'Crew', path: 'crew' }).group.id;
  });
  after(() => server.close());

  const personal = (scopes: readonly string[]) =>
    issuePersonalToken(server.platform, ada.user, { name: 'pull', scopes, expiresAt: null });
  const deploy = (
    scopes: readonly string[],
    container = { projectId: null as number | null, groupId: groupId as number | null },
  ) => createDeployToken(server.platform, container, { name: 'CI', username: undefined, scopes, expiresAt: undefined });
  const pull = (token?: string): Promise<TestResponse> =>
    server.request('GET', pathIn('crew', 'alpine', 'manifests/latest'), token === undefined ? {} : { token });
  const refused = (response: TestResponse, status: number, code: string, message: RegExp): void => {
    assert.equal(response.status, status, response.text);
    const [error] = Object(response.json()).errors;
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.equal(response.headers.get('docker-distribution-api-version'), 'registry/2.0');
  };

  it('a pull without a token of the dependency proxy is challenged to get one', async () => {
    const registry = await server.request('GET', '/jwt/auth?service=container_registry', {
      headers: { Authorization: `Basic ${Buffer.from(`ada:${ada.token}`).toString('base64')}` },
    });
    for (const token of [undefined, ada.token, 'eyJhbGciOiJub25lIn0.e30.', String(Object(registry.json()).token)]) {
      const response = await pull(token);
      refused(response, 401, 'UNAUTHORIZED', /^authentication required$/);
      const challenge = `Bearer realm="${server.origin}/jwt/auth",service="dependency_proxy"`;
      assert.equal(response.headers.get('www-authenticate'), challenge);
    }
  });

  it('personal tokens with both scopes of the registry or with api sign in', async () => {
    for (const scopes of [BOTH, ['api'], ['read_user', ...BOTH]]) {
      const token = await pullToken(server, 'ada', personal(scopes).token);
      assert.equal((await pull(token)).status, 503);
      assert.equal((await server.request('GET', '/v2/', { token })).status, 200);
    }
  });

  it('personal tokens with other scopes are refused', async () => {
    for (const scopes of [['read_registry'], ['write_registry'], ['read_api'], ['read_user']]) {
      refused(await signIn(server, 'ada', personal(scopes).token), 403, 'DENIED', /^access forbidden$/);
    }
    const [refusal] = server.platform.requestLog.list(1);
    assert.deepEqual(refusal?.refusal, {
      rule: 'scope',
      reason: 'from release 18.0 on, the token needs the scopes read_registry and write_registry, or api',
    });
  });

  it('OAuth tokens and passwords sign in, as they do for git', async () => {
    const { access_token: oauth } = await signedIn(server, publicClient(server, ['api']), 'api');
    assert.equal((await signIn(server, 'oauth2', oauth)).status, 200);
    const { access_token: poor } = await signedIn(server, publicClient(server, ['read_user']), 'read_user');
    refused(await signIn(server, 'oauth2', poor), 403, 'DENIED', /^access forbidden$/);
    await setPassword(server.platform, ada.user, 'correct horse battery');
    assert.equal((await signIn(server, 'ada', 'correct horse battery')).status, 200);
  });

  it('wrong credentials and none are refused', async () => {
    refused(await signIn(server, 'ada', 'wrong'), 401, 'UNAUTHORIZED', /^HTTP Basic: Access denied\./);
    const anonymous = await server.request('GET', '/jwt/auth?service=dependency_proxy');
    refused(anonymous, 403, 'DENIED', /^access forbidden$/);
  });

  it('deploy tokens of groups sign in with both scopes, and those of projects do not', async () => {
    const { token, secret } = deploy(BOTH);
    const pulling = await pullToken(server, token.username, secret);
    assert.equal((await pull(pulling)).status, 503);
    refused(await signIn(server, 'ada', secret), 401, 'UNAUTHORIZED', /Access denied/);
    const poor = deploy(['read_registry']);
    refused(await signIn(server, poor.token.username, poor.secret), 403, 'DENIED', /^access forbidden$/);
    const { project } = projectWith(server.platform, ada, { name: 'Lamps' });
    const ofProject = deploy(BOTH, { projectId: project.id, groupId: null });
    refused(await signIn(server, ofProject.token.username, ofProject.secret), 403, 'DENIED', /^access forbidden$/);
  });

  it('deploy tokens pull in their group and its subgroups only', async () => {
    const crew = createGroup(server.platform, ada.user, { name: 'Ship', path: 'ship' });
    createGroup(server.platform, ada.user, { name: 'Deck', path: 'deck', parent: crew });
    const { token, secret } = deploy(BOTH, { projectId: null, groupId: crew.group.id });
    const pulling = await pullToken(server, token.username, secret);
    const statusIn = async (path: string): Promise<number> =>
      (await server.request('GET', pathIn(path, 'alpine', 'manifests/latest'), { token: pulling })).status;
    assert.deepEqual([await statusIn('ship'), await statusIn('ship/deck'), await statusIn('crew')], [503, 503, 404]);
  });

  it('a token ends with the credentials it was issued for', async () => {
    const { token, row } = { token: personal(['api']).token, row: deploy(BOTH) };
    const ofPerson = await pullToken(server, 'ada', token);
    const ofDeployToken = await pullToken(server, row.token.username, row.secret);
    assert.deepEqual([(await pull(ofPerson)).status, (await pull(ofDeployToken)).status], [503, 503]);
    const revoked = await server.request('DELETE', '/api/v4/personal_access_tokens/self', { token });
    assert.equal(revoked.status, 204);
    deleteDeployToken(server.platform, row.token);
    refused(await pull(ofPerson), 401, 'UNAUTHORIZED', /^authentication required$/);
    refused(await pull(ofDeployToken), 401, 'UNAUTHORIZED', /^authentication required$/);
  });

  it('members pull from the guest role on, and others learn nothing of the group', async () => {
    const { group } = createGroup(server.platform, ada.user, { name: 'Open', path: 'open', visibility: 'public' });
    const [mia, eve] = [actor(server.platform, 'mia'), actor(server.platform, 'eve')];
    addGroupMember(server.platform, group, mia.user, { level: 10 }, { user: ada.user });
    const statusFor = async (who: Actor, path: string): Promise<number> => {
      const token = await pullToken(server, who.user.username, who.token);
      return (await server.request('GET', pathIn(path, 'alpine', 'manifests/latest'), { token })).status;
    };
    assert.deepEqual([await statusFor(mia, 'open'), await statusFor(ada, 'open')], [503, 503]);
    const hidden = [await statusFor(eve, 'open'), await statusFor(eve, 'crew'), await statusFor(eve, 'missing')];
    assert.deepEqual(hidden, [404, 404, 404]);
    assert.deepEqual([await statusFor(ada, String(group.id)), await statusFor(ada, 'ada')], [404, 404]);
  });

  it('tokens without the scopes sign in before release 18.0, and a token of then pulls nothing later', async () => {
    await using earlier = await startTestServer({ profile: { release: '17.11' } });
    const eva = actor(earlier.platform, 'eva', { scopes: ['read_user'] });
    createGroup(earlier.platform, eva.user, { name: 'Crew', path: 'crew' });
    const token = await pullToken(earlier, 'eva', eva.token);
    const path = pathIn('crew', 'alpine', 'manifests/latest');
    assert.equal((await earlier.request('GET', path, { token })).status, 503);
    const json = { release: '18.0' };
    assert.equal((await earlier.request('PUT', '/_local/profile', { token: earlier.adminToken, json })).status, 200);
    refused(await earlier.request('GET', path, { token }), 403, 'DENIED', /^access forbidden$/);
  });
});
