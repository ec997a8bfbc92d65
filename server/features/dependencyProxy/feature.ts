import type { Feature } from '../../feature.ts';
import { sweepBlobs } from './dependencyProxy.ts';
import { dependencyProxyRoutes } from './routes.ts';

/** Cache of images that groups pull from another registry. */
export const dependencyProxy: Feature = {
  routes: dependencyProxyRoutes,
  start: (platform) => {
    platform.changes.subscribe(({ kind }) => {
      if (kind === 'groupRemoved') sweepBlobs(platform);
    });
  },
};
