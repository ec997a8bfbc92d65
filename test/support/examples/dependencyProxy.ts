import { cacheBlob } from '../../../server/features/dependencyProxy/dependencyProxy.ts';
import type { Examples } from './example.ts';
import { admin, freshGroup, inGroup } from './fixture.ts';

export const dependencyProxyExamples: Examples = {
  'DELETE /api/v4/groups/:id/dependency_proxy/cache': (fixture) => {
    const found = freshGroup(fixture);
    const blob = { fileName: 'sha256:0.gz', contentType: 'application/octet-stream', content: Buffer.alloc(10) };
    cacheBlob(fixture.server.platform, { ...blob, groupId: found.group.id });
    return { token: admin, path: inGroup(found) };
  },
};
