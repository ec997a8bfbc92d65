import { cacheBlob, cacheManifest } from '../../../server/features/dependencyProxy/groupProxy.ts';
import { pullToken } from '../../server/dependencyProxy/pulling.ts';
import { digestOf, imageWith, MANIFEST_TYPE } from '../../server/dependencyProxy/upstreamRegistry.ts';
import { TEST_ADMIN_TOKEN } from '../server.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, freshGroup, inGroup } from './fixture.ts';

/** Returns a request of a manifest or blob that a group has cached. */
async function cachedImage(fixture: Fixture, kind: 'manifest' | 'blob'): Promise<Example> {
  const { platform } = fixture.server;
  const { group } = freshGroup(fixture);
  const { manifest: content, blobs } = imageWith('hello');
  const [blob = Buffer.alloc(0)] = blobs;
  const digest = digestOf(content);
  cacheManifest(platform, { groupId: group.id, digest, image: 'alpine', tag: null, contentType: MANIFEST_TYPE, content });
  await platform.blobFiles.write(digestOf(blob), chunksOf(blob), blob.length, (size) => {
    cacheBlob(platform, { groupId: group.id, digest: digestOf(blob), size });
  });
  return {
    token: await pullToken(fixture.server, 'root', TEST_ADMIN_TOKEN),
    path: {
      group: group.full_path,
      image: 'alpine',
      ...(kind === 'manifest' ? { reference: digest } : { digest: digestOf(blob) }),
    },
  };
}

async function* chunksOf(content: Buffer): AsyncGenerator<Uint8Array> {
  yield content;
}

export const dependencyProxyExamples: Examples = {
  'DELETE /api/v4/groups/:id/dependency_proxy/cache': (fixture) => {
    const found = freshGroup(fixture);
    cacheBlob(fixture.server.platform, { groupId: found.group.id, digest: 'sha256:0', size: 10 });
    return { token: admin, path: inGroup(found) };
  },
  'GET /v2/*group/dependency_proxy/containers/*image/manifests/:reference': (fixture) => cachedImage(fixture, 'manifest'),
  'GET /v2/*group/dependency_proxy/containers/*image/blobs/:digest': (fixture) => cachedImage(fixture, 'blob'),
};
