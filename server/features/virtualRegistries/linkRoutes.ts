import { recordNotFound } from '../../core/errors.ts';
import { integer, required } from '../../http/params.ts';
import { type Route, userRoute, type RequestOf } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { linkResponse } from './responses.ts';
import { API, virtual, mustFindRegistry, mustFindUpstream } from './route.ts';
import { linkById, type LinkRow } from './store.ts';
import { linkUpstream, moveUpstream, unlinkUpstream } from './manageUpstreams.ts';

const byId = () => ({ id: required(integer) });

const createParameters = () => ({ registry_id: required(integer), upstream_id: required(integer) });

const moveParameters = () => ({ ...byId(), position: required(integer) });

/** Returns the routes of the upstreams of a registry as links, which have a position. */
export function linkRoutes(): Route[] {
  return [
    userRoute(
      {
        method: 'POST',
        path: `${API}/registry_upstreams`,
        status: 'inferred',
        body: linkResponse,
        ...virtual,
        params: createParameters,
      },
      create,
      'group:maintainer',
    ),
    userRoute(
      {
        method: 'PATCH',
        path: `${API}/registry_upstreams/:id`,
        key: 'id',
        status: 'inferred',
        body: linkResponse,
        ...virtual,
        params: moveParameters,
      },
      move,
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/registry_upstreams/:id`, key: 'id', status: 'inferred', ...virtual, params: byId },
      remove,
      'group:maintainer',
    ),
  ];
}

function create({ params, caller, context }: RequestOf<typeof createParameters>) {
  const { core } = context;
  const registry = mustFindRegistry(core, params.registry_id, caller, 'maintainer');
  return linkUpstream(core, registry, mustFindUpstream(core, params.upstream_id, caller, 'maintainer'));
}

function move({ params, caller, context }: RequestOf<typeof moveParameters>) {
  const { core } = context;
  return moveUpstream(core, mustFindLink(core, params.id, caller), params.position);
}

function remove({ params, caller, context }: RequestOf<typeof byId>) {
  const { core } = context;
  return unlinkUpstream(core, mustFindLink(core, params.id, caller));
}

function mustFindLink(core: Core, id: number, caller: Caller): LinkRow {
  const link = linkById(core.store, id);
  if (link === undefined) throw recordNotFound('no such upstream of a registry');
  mustFindRegistry(core, link.registry_id, caller, 'maintainer');
  return link;
}
