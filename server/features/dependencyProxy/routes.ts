import type { ProxyCore } from './proxyCore.ts';
import { type FoundGroup, groupRoute } from '../groups/groups.ts';
import { required, string } from '../../http/params.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Route } from '../../http/route.ts';
import { purgeCache } from './groupProxy.ts';
import { pullRoutes } from './pullRoutes.ts';
import { cachePurged } from './responses.ts';

/** Returns the routes of the dependency proxy of groups. */
export function dependencyProxyRoutes(core: ProxyCore): Route[] {
  return [
    ...pullRoutes(core),
    groupRoute(
      {
        method: 'DELETE',
        path: '/api/v4/groups/:id/dependency_proxy/cache',
        specRef: 'Dependency proxy',
        status: 'inferred',
        key: 'id',
        successStatus: 202,
        body: cachePurged,
        params: () => ({ id: required(string) }),
      },
      'owner',
      (request) => purge(core, request),
    ),
  ];
}

function purge(core: ProxyCore, { group }: FoundGroup): ResponseOf<typeof cachePurged> {
  purgeCache(core, group.id);
  return 202;
}
