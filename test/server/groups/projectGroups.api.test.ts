import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('users and groups of a project', () => {
  let server: TestServer;
  let tokens: Readonly<Record<'ada' | 'ben' | 'carl', string>>;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    const ada = actor(platform, 'ada');
    const ben = actor(platform, 'ben');
    const carl = actor(platform, 'carl');
    tokens = { ada: ada.token, ben: ben.token, carl: carl.token };
    const harbour = createGroup(platform, ada.user, { name: 'Harbour', path: 'harbour', visibility: 'public' });
    const pier = createGroup(platform, ada.user, { name: 'Pier', path: 'pier', parent: harbour });
    createGroup(platform, ada.user, { name: 'Beside', path: 'beside', visibility: 'public', parent: harbour });
    addGroupMember(platform, harbour.group, ben.user, { level: 20 }, { user: ada.user });
    projectWith(platform, ada, { name: 'Crane', namespaceId: pier.group.id }, [[carl, 30]]);
    projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [[ben, 30]]);
  });
  after(() => server.close());

  const names = async (path: string, token?: string): Promise<unknown> => {
    const response = await server.request('GET', `/api/v4${path}`, token === undefined ? {} : { token });
    if (response.status !== 200) return response.status;
    return (response.json() as { username?: string; full_path?: string }[]).map((item) => item.username ?? item.full_path);
  };

  it('the users of a project include those of its ancestor groups', async () => {
    assert.deepEqual(await names('/projects/1/users', tokens.carl), ['ada', 'ben', 'carl']);
    assert.deepEqual(await names('/projects/1/users?search=AR', tokens.carl), ['carl']);
    assert.deepEqual(await names('/projects/1/users?skip_users=2,3', tokens.carl), ['carl']);
    assert.deepEqual(await names('/projects/2/users'), ['ada', 'ben']);
    assert.equal(await names('/projects/1/users'), 404);
  });

  it('the groups of a project are listed if they are visible to the caller', async () => {
    assert.deepEqual(await names('/projects/1/groups', tokens.ada), ['harbour', 'harbour/pier']);
    assert.deepEqual(await names('/projects/1/groups', tokens.carl), ['harbour', 'harbour/pier']);
    assert.deepEqual(await names('/projects/1/groups?search=pie', tokens.ben), ['harbour/pier']);
    assert.deepEqual(await names('/projects/1/groups?skip_groups[]=5', tokens.ben), ['harbour/pier']);
    assert.deepEqual(await names('/projects/2/groups'), []);
    assert.equal(await names('/projects/1/groups'), 404);
  });
});
