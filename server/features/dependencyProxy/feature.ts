import type { ProxyCore } from './proxyCore.ts';
import type { Feature } from '../../http/feature.ts';
import { sweepBlobs } from './dependencyProxy.ts';
import { dependencyProxyRoutes } from './routes.ts';

/** Cache of images that groups pull from another registry. */
export const dependencyProxy: Feature<ProxyCore> = {
  routes: dependencyProxyRoutes,
  start: (core) => {
    core.changes.subscribe(({ kind }) => {
      if (kind === 'groupRemoved') sweepBlobs(core);
    });
  },
};
