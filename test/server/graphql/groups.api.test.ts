import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { ask, at } from './queries.ts';

describe('groups and namespaces by GraphQL', () => {
  let server: TestServer;
  let ada: Actor;
  let ben: Actor;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    ben = actor(platform, 'ben');
    const harbor = createGroup(platform, ada.user, {
      name: 'Harbor',
      path: 'harbor',
      description: 'Lamps and buoys',
      visibility: 'public',
    });
    const pier = createGroup(platform, ada.user, { name: 'Pier', path: 'pier', parent: harbor, visibility: 'public' });
    createGroup(platform, ada.user, { name: 'Hidden', path: 'hidden' });
    for (const name of ['Buoy', 'Lamp', 'Mole']) {
      projectWith(platform, ada, { name, namespaceId: harbor.group.id, visibility: 'public' });
    }
    projectWith(platform, ada, { name: 'Secret', namespaceId: harbor.group.id });
    projectWith(platform, ada, { name: 'Ladder', namespaceId: pier.group.id, visibility: 'public' });
    projectWith(platform, ben, { name: 'Lamp of Ben', visibility: 'public' });
  });
  after(() => server.close());

  const names = async (token: string | undefined, fields: string, of = 'group(fullPath: "harbor")'): Promise<unknown[]> => {
    const { data, errors } = await ask(server, token, `{ found: ${of} { projects${fields} { nodes { name } } } }`);
    assert.deepEqual(errors, []);
    return (at(data, 'found', 'projects', 'nodes') as { name: string }[]).map(({ name }) => name);
  };

  it('a group is found by its full path with its names, parent and address', async () => {
    const fields = 'id name fullName fullPath path description visibility webUrl parent { name parent { name } }';
    const { data } = await ask(server, undefined, `{ group(fullPath: "harbor/pier") { ${fields} } }`);
    const { id, ...rest } = at(data, 'group') as { id: string };
    assert.match(id, /^gid:\/\/gitlab\/Group\/\d+$/);
    assert.deepEqual(rest, {
      name: 'Pier',
      fullName: 'Harbor / Pier',
      fullPath: 'harbor/pier',
      path: 'pier',
      description: '',
      visibility: 'public',
      webUrl: `${server.origin}/groups/harbor/pier`,
      parent: { name: 'Harbor', parent: null },
    });
  });

  it('a group that the caller cannot see, a number and an unknown path are null', async () => {
    const query = '{ a: group(fullPath: "hidden") { id } b: group(fullPath: "2") { id } c: namespace(fullPath: "none") { id } }';
    assert.deepEqual((await ask(server, ben.token, query)).data, { a: null, b: null, c: null });
    const { data } = await ask(server, ada.token, '{ group(fullPath: "hidden") { name } }');
    assert.deepEqual(data, { group: { name: 'Hidden' } });
  });

  it('a personal namespace is visible to its owner only, and a group is a namespace too', async () => {
    const query = '{ own: namespace(fullPath: "ben") { name id } group: namespace(fullPath: "harbor") { fullName } }';
    const own = (await ask(server, ben.token, query)).data;
    assert.match(String(at(own, 'own', 'id')), /^gid:\/\/gitlab\/Namespaces::UserNamespace\/\d+$/);
    assert.equal(at(own, 'group', 'fullName'), 'Harbor');
    for (const token of [ada.token, undefined]) assert.equal(at((await ask(server, token, query)).data, 'own'), null);
    assert.deepEqual(await names(ben.token, '', 'namespace(fullPath: "ben")'), ['Lamp of Ben']);
  });

  it('the projects of a group are those that the caller can see, the newest first', async () => {
    assert.deepEqual(await names(undefined, ''), ['Mole', 'Lamp', 'Buoy']);
    assert.deepEqual(await names(ada.token, ''), ['Secret', 'Mole', 'Lamp', 'Buoy']);
    assert.deepEqual(await names(undefined, '(includeSubgroups: true)'), ['Ladder', 'Mole', 'Lamp', 'Buoy']);
  });

  it('the projects of a group are searched and sorted', async () => {
    assert.deepEqual(await names(undefined, '(includeSubgroups: true, search: "la", sort: SIMILARITY)'), ['Ladder', 'Lamp']);
    assert.deepEqual(await names(undefined, '(includeSubgroups: true, search: "lamp", sort: SIMILARITY)'), ['Lamp']);
  });

  it('the projects of a group are paged in both directions', async () => {
    const page = async (args: string) => {
      const fields = 'nodes { name } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
      const { data, errors } = await ask(server, undefined, `{ group(fullPath: "harbor") { projects(${args}) { ${fields} } } }`);
      assert.deepEqual(errors, []);
      const { nodes, pageInfo } = at(data, 'group', 'projects') as {
        nodes: { name: string }[];
        pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string; endCursor: string };
      };
      return { names: nodes.map(({ name }) => name).join(' '), ...pageInfo };
    };
    const first = await page('first: 2');
    assert.deepEqual([first.names, first.hasNextPage, first.hasPreviousPage], ['Mole Lamp', true, false]);
    const second = await page(`first: 2, after: "${first.endCursor}"`);
    assert.deepEqual([second.names, second.hasNextPage, second.hasPreviousPage], ['Buoy', false, true]);
    const last = await page('last: 1');
    assert.deepEqual([last.names, last.hasNextPage, last.hasPreviousPage], ['Buoy', false, true]);
    const earlier = await page(`last: 1, before: "${last.startCursor}"`);
    assert.deepEqual([earlier.names, earlier.hasNextPage, earlier.hasPreviousPage], ['Lamp', true, true]);
    assert.equal((await page(`first: 5, before: "${last.startCursor}"`)).names, 'Mole Lamp');
    assert.equal((await page('first: 3, last: 1')).names, 'Buoy');
  });

  it('a cursor that is none is refused', async () => {
    const { errors } = await ask(server, undefined, '{ group(fullPath: "harbor") { projects(after: "x") { nodes { name } } } }');
    assert.deepEqual(errors, ['The cursor is none of this list in this order']);
  });
});
