import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGroup, deleteGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { ask } from '../graphql/queries.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { pathIn, pullToken } from './pulling.ts';
import {
  digestOf,
  type Image,
  imageWith,
  MANIFEST_TYPE,
  startUpstreamRegistry,
  type UpstreamRegistry,
} from './upstreamRegistry.ts';

describe('pulls through the dependency proxy', () => {
  let upstream: UpstreamRegistry;
  let folder: string;
  let server: TestServer;
  let ada: Actor;
  let token: string;
  let count = 0;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-test-'));
    upstream = await startUpstreamRegistry();
    server = await startTestServer({ dependencyProxyUpstream: upstream.origin, dataFolder: folder });
    ada = actor(server.platform, 'ada');
    token = await pullToken(server, 'ada', ada.token);
  });
  afterEach(async () => {
    await server.close();
    await upstream.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const freshGroup = (): FoundGroup => {
    const name = `crew${(count += 1)}`;
    return createGroup(server.platform, ada.user, { name, path: name });
  };
  const get = async (group: FoundGroup, image: string, resource: string, method = 'GET') => {
    const address = `${server.origin}${pathIn(group.group.full_path, image, resource)}`;
    const response = await fetch(address, { method, headers: { Authorization: `Bearer ${token}` } });
    return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) };
  };
  const code = ({ content }: { readonly content: Buffer }): string => JSON.parse(content.toString()).errors[0].code;
  const usage = async ({ group }: FoundGroup): Promise<unknown> => {
    const fields = 'dependencyProxyBlobCount dependencyProxyImageCount dependencyProxyTotalSizeBytes';
    const { data } = await ask(server, ada.token, `{ group(fullPath: "${group.full_path}") { ${fields} } }`);
    return Object.values(Object(data).group);
  };
  const pullAll = async (group: FoundGroup, name: string, image: Image): Promise<void> => {
    assert.equal((await get(group, name, 'manifests/latest')).status, 200);
    for (const blob of image.blobs) assert.equal((await get(group, name, `blobs/${digestOf(blob)}`)).status, 200);
  };
  const files = (): readonly string[] => readdirSync(path.join(folder, 'dependency-proxy'));

  it('an image is fetched from the upstream, once, and its headers describe it', async () => {
    const image = imageWith('hello');
    upstream.push('library/alpine', 'latest', image);
    const crew = freshGroup();
    for (const reference of ['latest', digestOf(image.manifest), 'latest']) {
      const { status, headers, content } = await get(crew, 'alpine', `manifests/${reference}`);
      assert.deepEqual([status, content], [200, image.manifest]);
      assert.deepEqual(
        ['content-type', 'content-length', 'docker-content-digest', 'etag', 'docker-distribution-api-version'].map((name) =>
          headers.get(name),
        ),
        [MANIFEST_TYPE, String(content.length), digestOf(content), `"${digestOf(content)}"`, 'registry/2.0'],
      );
    }
    for (const blob of [...image.blobs, ...image.blobs]) {
      const { status, headers, content } = await get(crew, 'alpine', `blobs/${digestOf(blob)}`);
      assert.deepEqual([status, content], [200, blob]);
      assert.deepEqual(
        ['content-type', 'content-length', 'docker-content-digest'].map((name) => headers.get(name)),
        ['application/octet-stream', String(blob.length), digestOf(blob)],
      );
    }
    // Each request without the anonymous token is repeated with it.
    const withToken = upstream.requests.filter((_, index, all) => all[index - 1] === 'GET /token');
    assert.deepEqual(withToken, [
      'GET /v2/library/alpine/manifests/latest',
      'HEAD /v2/library/alpine/manifests/latest',
      ...image.blobs.map((blob) => `GET /v2/library/alpine/blobs/${digestOf(blob)}`),
    ]);
  });

  it('HEAD responds with the headers of GET, and downloads no blob', async () => {
    const image = imageWith('hello');
    upstream.push('tools/lamp', 'v1', image);
    const crew = freshGroup();
    const [layer] = image.blobs.slice(1);
    assert.ok(layer !== undefined);
    for (const [resource, size] of [
      ['manifests/v1', image.manifest.length],
      [`blobs/${digestOf(layer)}`, layer.length],
    ] as const) {
      const { status, headers, content } = await get(crew, 'tools/lamp', resource, 'HEAD');
      assert.deepEqual([status, headers.get('content-length'), content.length], [200, String(size), 0], resource);
    }
    assert.deepEqual(await usage(crew), [0, 1, String(image.manifest.length)]);
  });

  it('a tag follows the upstream, and the cache is used while the upstream is down', async () => {
    const [first, second] = [imageWith('first'), imageWith('second')];
    const crew = freshGroup();
    upstream.push('library/alpine', 'latest', first);
    await pullAll(crew, 'alpine', first);
    upstream.push('library/alpine', 'latest', second);
    assert.deepEqual((await get(crew, 'alpine', 'manifests/latest')).content, second.manifest);
    await pullAll(crew, 'alpine', second);
    await upstream.stop();
    await pullAll(crew, 'alpine', second);
    const unknown = await get(crew, 'alpine', 'manifests/v2');
    assert.deepEqual([unknown.status, code(unknown)], [503, 'UNAVAILABLE']);
    const other = await get(freshGroup(), 'alpine', 'manifests/latest');
    assert.equal(other.status, 503);
  });

  it('content with a wrong digest is refused and not stored', async () => {
    const image = imageWith('hello');
    const crew = freshGroup();
    upstream.push('library/alpine', 'latest', image);
    const [config = Buffer.alloc(0)] = image.blobs;
    upstream.corrupt(digestOf(config), Buffer.from('something else'));
    upstream.corrupt(digestOf(image.manifest), Buffer.from('{"schemaVersion":2}'));
    for (const resource of ['manifests/latest', `manifests/${digestOf(image.manifest)}`, `blobs/${digestOf(config)}`]) {
      const refusal = await get(crew, 'alpine', resource);
      assert.deepEqual([refusal.status, code(refusal)], [502, 'DIGEST_INVALID'], resource);
    }
    assert.deepEqual(await usage(crew), [0, 0, '0']);
    assert.deepEqual(files(), []);
  });

  it('what the upstream does not have is not found', async () => {
    const crew = freshGroup();
    const missing = `sha256:${'0'.repeat(64)}`;
    for (const [resource, expected] of [
      ['manifests/latest', 'MANIFEST_UNKNOWN'],
      [`manifests/${missing}`, 'MANIFEST_UNKNOWN'],
      ['manifests/-bad', 'MANIFEST_UNKNOWN'],
      [`blobs/${missing}`, 'BLOB_UNKNOWN'],
      ['blobs/sha256:1', 'BLOB_UNKNOWN'],
    ] as const) {
      const refusal = await get(crew, 'alpine', resource);
      assert.deepEqual([refusal.status, code(refusal)], [404, expected], resource);
    }
    const name = await get(crew, 'Alpine', 'manifests/latest');
    assert.deepEqual([name.status, code(name)], [404, 'NAME_UNKNOWN']);
  });

  it('blobs are fetched from another origin on this machine without the credential, and from no other machine', async () => {
    const image = imageWith('hello');
    await using storage = await startUpstreamRegistry();
    storage.push('library/alpine', 'latest', image);
    upstream.push('library/alpine', 'latest', image);
    upstream.redirectBlobs(storage.origin);
    const crew = freshGroup();
    await pullAll(crew, 'alpine', image);
    assert.deepEqual(
      storage.requests,
      image.blobs.map((blob) => `GET /storage/${digestOf(blob)}`),
    );
    upstream.redirectBlobs('http://storage.example');
    const refusal = await get(freshGroup(), 'alpine', `blobs/${digestOf(image.manifest)}`);
    assert.equal(refusal.status, 503);
    assert.match(refusal.content.toString(), /http:\/\/storage\.example, which is not on this machine/);
  });

  it('nothing is fetched from the server itself, also if it has a public URL', async () => {
    upstream.push('library/alpine', 'latest', imageWith('hello'));
    server.platform.origin.value = 'https://signalbox.example';
    for (const own of [server.origin, server.origin.replace('127.0.0.1', 'localhost'), 'https://127.0.0.1']) {
      upstream.redirectBlobs(own);
      const refusal = await get(freshGroup(), 'alpine', `blobs/${digestOf(Buffer.from('hello'))}`);
      assert.deepEqual([refusal.status, /which is this server itself/.test(refusal.content.toString())], [503, true], own);
    }
  });

  it('simultaneous pulls of a large blob share one download', async () => {
    const layer = randomBytes(5_000_000);
    upstream.push('library/alpine', 'latest', { manifest: Buffer.from('{}'), blobs: [layer] });
    const crew = freshGroup();
    const pulled = await Promise.all([1, 2, 3].map(() => get(crew, 'alpine', `blobs/${digestOf(layer)}`)));
    for (const { status, content } of pulled) assert.ok(status === 200 && content.equals(layer));
    assert.equal(upstream.requests.filter((request) => request === 'GET /token').length, 1);
    assert.deepEqual(files(), [digestOf(layer).replace('sha256:', '')]);
  });

  it('purging the cache of a group and deleting a group remove the files that no other group uses', async () => {
    const [image, own] = [imageWith('shared'), imageWith('own')];
    upstream.push('library/alpine', 'latest', image);
    upstream.push('library/own', 'latest', own);
    const [crew, ship] = [freshGroup(), freshGroup()];
    await pullAll(crew, 'alpine', image);
    await pullAll(crew, 'own', own);
    await pullAll(ship, 'alpine', image);
    const sizeOf = ({ manifest, blobs }: Image): number => blobs.reduce((sum, { length }) => sum + length, manifest.length);
    // Both images have the same configuration except for the digest of the layer.
    assert.deepEqual(await usage(crew), [4, 2, String(sizeOf(image) + sizeOf(own))]);
    const purged = await server.request('DELETE', `/api/v4/groups/${crew.group.id}/dependency_proxy/cache`, { token: ada.token });
    assert.equal(purged.status, 202);
    assert.deepEqual(await usage(crew), [0, 0, '0']);
    assert.deepEqual(await usage(ship), [2, 1, String(sizeOf(image))]);
    assert.equal(files().length, 2);
    await pullAll(crew, 'own', own);
    assert.deepEqual(await usage(crew), [2, 1, String(sizeOf(own))]);
    deleteGroup(server.platform, ship.group);
    assert.deepEqual([...files()].sort(), own.blobs.map((blob) => digestOf(blob).replace('sha256:', '')).sort());
  });

  it('a blob whose file is gone is fetched again', async () => {
    const image = imageWith('hello');
    upstream.push('library/alpine', 'latest', image);
    const crew = freshGroup();
    await pullAll(crew, 'alpine', image);
    rmSync(path.join(folder, 'dependency-proxy'), { recursive: true });
    await pullAll(crew, 'alpine', image);
    assert.equal(files().length, 2);
  });

  it('a group that turns the dependency proxy off pulls nothing', async () => {
    upstream.push('library/alpine', 'latest', imageWith('hello'));
    const crew = freshGroup();
    const turn = async (enabled: boolean, who: Actor): Promise<unknown> => {
      const input = `{ groupPath: "${crew.group.full_path}", enabled: ${enabled}, clientMutationId: "1" }`;
      const fields = '{ clientMutationId dependencyProxySetting { enabled } errors }';
      const mutation = `mutation { updateDependencyProxySettings(input: ${input}) ${fields} }`;
      const { data, errors } = await ask(server, who.token, mutation);
      return errors.length > 0 ? errors : Object(data).updateDependencyProxySettings;
    };
    const setting = async (): Promise<unknown> => {
      const query = `{ group(fullPath: "${crew.group.full_path}") { dependencyProxySetting { enabled } } }`;
      return Object((await ask(server, ada.token, query)).data).group.dependencyProxySetting;
    };
    assert.deepEqual(await setting(), { enabled: true });
    assert.deepEqual(await turn(false, ada), { clientMutationId: '1', dependencyProxySetting: { enabled: false }, errors: [] });
    const refusal = await get(crew, 'alpine', 'manifests/latest');
    assert.deepEqual([refusal.status, code(refusal), await setting()], [404, 'NAME_UNKNOWN', { enabled: false }]);
    assert.match(String(await turn(true, actor(server.platform, 'mia'))), /you don't have permission/);
    await turn(true, ada);
    assert.equal((await get(crew, 'alpine', 'manifests/latest')).status, 200);
  });

  it('a client that asks for the challenge of an address is sent to the dependency proxy if it has an upstream', async () => {
    const response = await server.request('GET', '/v2/');
    assert.match(response.headers.get('www-authenticate') ?? '', /service="dependency_proxy"$/);
  });
});
