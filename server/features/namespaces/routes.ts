import type { Caller } from '../../core/caller.ts';
import { isoDate } from '../../core/clock.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { movedResponse } from '../../http/moved.ts';
import { notFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, required, string } from '../../http/params.ts';
import type { RequestContext } from '../../http/requestContext.ts';
import { listOf } from '../../http/responses.ts';
import { administratorRoute, RawResponse, type RequestOf, type Route, userRoute } from '../../http/route.ts';
import { billing, changeLimits, limitParameters } from '../billing/billing.ts';
import { findMovedNamespace, findNamespace, isNamespaceSeen, namespacesOf } from '../groups/groups.ts';
import { presentNamespace } from './present.ts';
import { namespaceResponse } from './responses.ts';

const metadata = { specRef: 'Groups and namespaces', status: 'inferred', key: 'id' } as const;

const listParameters = () => ({
  search: string(),
  owned_only: fallback(false, boolean),
  top_level_only: fallback(false, boolean),
  ...pageParameters(),
});

const idParameter = () => ({ id: required(string) });

const changeParameters = () => ({ ...idParameter(), ...limitParameters() });

/** Returns the routes of namespaces: groups and the personal namespaces of users. */
export function namespaceRoutes(): Route[] {
  return [
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/namespaces', body: listOf(namespaceResponse), params: listParameters },
      list,
    ),
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/namespaces/:id', body: namespaceResponse, params: idParameter },
      readOne,
    ),
    administratorRoute(
      {
        ...metadata,
        ...billing,
        specRef: 'Subscriptions',
        deprecation: 'public-subscription-endpoints',
        method: 'PUT',
        path: '/api/v4/namespaces/:id',
        body: namespaceResponse,
        params: changeParameters,
      },
      update,
    ),
  ];
}

function list(request: RequestOf<typeof listParameters>): RawResponse {
  const { params, caller, baseUrl, context } = request;
  const { owned_only: owned, top_level_only: topLevel, search } = params;
  const pages = namespacesOf(context.core, caller, { owned, topLevel, search });
  return new RawResponse(
    offsetResponse(request, params, pages, (namespace) => presentNamespace(context.core, namespace, caller, baseUrl)),
  );
}

function readOne({ params, caller, baseUrl, context }: RequestOf<typeof idParameter>) {
  const { core } = context;
  const namespace = findNamespace(core, params.id, caller);
  if (namespace !== undefined && isNamespaceSeen(namespace, caller)) return presentNamespace(core, namespace, caller, baseUrl);
  return movedNamespace(params.id, caller, context);
}

function update({ params, caller, baseUrl, now, context, hasSent }: RequestOf<typeof changeParameters>) {
  const { core } = context;
  const namespace = findNamespace(core, params.id, caller);
  if (namespace === undefined) return movedNamespace(params.id, caller, context);
  demandOneOf({ hasSent }, Object.keys(limitParameters()));
  changeLimits(core, namespace.id, params, isoDate(now));
  return presentNamespace(core, namespace, caller, baseUrl);
}

/** Returns the response to a request for a former path of a namespace. Throws `NotFound` if the caller sees none that had the path. */
function movedNamespace(formerPath: string, caller: Caller, context: RequestContext): RawResponse {
  const moved = findMovedNamespace(context.core, formerPath, caller);
  if (moved === undefined || !isNamespaceSeen(moved, caller)) throw notFound('Namespace');
  return movedResponse(context, 4, { kind: 'namespace', id: moved.id, name: moved.full_path });
}
