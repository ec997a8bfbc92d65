import assert from 'node:assert/strict';
import { cacheBlob, cacheManifest } from '../../../server/features/dependencyProxy/groupProxy.ts';
import { sizeText } from '../../../server/features/dependencyProxy/graphql.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { ask, at } from '../graphql/queries.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('the cache of the dependency proxy', () => {
  let server: TestServer;
  let ada: Actor;
  let mia: Actor;
  let count = 0;
  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    mia = actor(server.platform, 'mia');
  });
  after(() => server.close());

  const freshGroup = (): FoundGroup => {
    const path = `crew${(count += 1)}`;
    const found = createGroup(server.platform, ada.user, { name: path, path });
    const groupId = found.group.id;
    addGroupMember(server.platform, found.group, mia.user, { level: 40 }, { user: ada.user });
    cacheBlob(server.platform, { groupId, digest: 'sha256:1', size: 1000 });
    cacheBlob(server.platform, { groupId, digest: 'sha256:2', size: 500 });
    const manifest = { digest: 'sha256:3', image: 'alpine', tag: 'latest', contentType: 'application/json' };
    cacheManifest(server.platform, { ...manifest, groupId, content: Buffer.alloc(36) });
    return found;
  };
  const shown = async ({ group }: FoundGroup): Promise<unknown> => {
    const fields = 'dependencyProxyBlobCount dependencyProxyImageCount dependencyProxyTotalSize dependencyProxyTotalSizeBytes';
    const { data, errors } = await ask(server, ada.token, `{ group(fullPath: "${group.full_path}") { ${fields} } }`);
    assert.deepEqual(errors, []);
    return Object.values(at(data, 'group') as object);
  };
  const purge = (token: string, { group }: FoundGroup) =>
    server.request('DELETE', `/api/v4/groups/${group.id}/dependency_proxy/cache`, { token });

  it('a group shows the number and size of its cached blobs and images', async () => {
    assert.deepEqual(await shown(freshGroup()), [2, 1, '1.5 KiB', '1536']);
  });

  it('a blob that is cached again replaces the one before', async () => {
    const found = freshGroup();
    cacheBlob(server.platform, { groupId: found.group.id, digest: 'sha256:1', size: 10 });
    assert.deepEqual(await shown(found), [2, 1, '546 B', '546']);
  });

  it('a size above 31 bits is shown by its text only', async () => {
    const { group } = freshGroup();
    server.platform.store.run('UPDATE dependency_proxy_blobs SET size = 1500000000 WHERE group_id = $id', { id: group.id });
    const fields = 'dependencyProxyTotalSizeBytes dependencyProxyTotalSize';
    const query = (more: string) => `{ group(fullPath: "${group.full_path}") { ${fields} ${more} } }`;
    const { data } = await ask(server, ada.token, query(''));
    assert.deepEqual(at(data, 'group'), { dependencyProxyTotalSizeBytes: '3000000036', dependencyProxyTotalSize: '2.79 GiB' });
    const old = await ask(server, ada.token, query('dependencyProxyTotalSizeInBytes'));
    assert.deepEqual(old.data, { group: null });
    assert.deepEqual(old.errors, ['Int cannot represent non 32-bit signed integer value: 3000000036']);
  });

  it('owners purge the cache of their group, and leave other groups alone', async () => {
    const [found, other] = [freshGroup(), freshGroup()];
    const response = await purge(ada.token, found);
    assert.deepEqual([response.status, response.json()], [202, 202]);
    assert.deepEqual(await shown(found), [0, 0, '0 B', '0']);
    assert.deepEqual(await shown(other), [2, 1, '1.5 KiB', '1536']);
  });

  it('the cache of a group is purged once an hour', async () => {
    const found = freshGroup();
    assert.equal((await purge(ada.token, found)).status, 202);
    const again = await purge(ada.token, found);
    assert.equal(again.status, 409);
    assert.match((again.json() as { message: string }).message, /^This request has already been made\./);
    server.platform.clock.advance(60 * 60_000);
    assert.equal((await purge(ada.token, found)).status, 202);
  });

  it('maintainers cannot purge the cache of a group', async () => {
    assert.equal((await purge(mia.token, freshGroup())).status, 403);
  });

  it('sizes have three significant digits and a binary unit', () => {
    assert.deepEqual([0, 1023, 1024, 1535, 1_047_552, 1_530_000, 5 * 1024 ** 3].map(sizeText), [
      '0 B',
      '1023 B',
      '1 KiB',
      '1.5 KiB',
      '1020 KiB',
      '1.46 MiB',
      '5 GiB',
    ]);
  });
});
