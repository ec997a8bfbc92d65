import type { ProxyCore } from './proxyCore.ts';
import type { Feature } from '../../http/feature.ts';
import { sweepBlobs } from './groupProxy.ts';
import { dependencyProxyRoutes } from './routes.ts';

export { type BlobFiles, createBlobFiles } from './blobFiles.ts';
export { dependencyProxyGraphql, dependencyProxyOf } from './graphql.ts';
export { proxySignIn } from './signIn.ts';

/** Cache of images that groups pull from another registry. */
export const dependencyProxy: Feature<ProxyCore> = {
  routes: dependencyProxyRoutes,
  subscribe: (core) => {
    core.changes.subscribe(({ kind }) => {
      if (kind === 'groupRemoved') sweepBlobs(core);
    });
  },
};
