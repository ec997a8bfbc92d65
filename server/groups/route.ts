import type * as z from 'zod';
import type { Exchange } from '../http/exchange.ts';
import { forbidden, notFound } from '../http/failures.ts';
import type { Parameter, ParameterSet } from '../http/params.ts';
import { type ApiRequest, openRoute, type Route, type SignedInRequest, userRoute } from '../http/route.ts';
import type { Caller } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { holdsRole, type ProjectRole } from '../projects/projects.ts';
import { findGroup, type FoundGroup } from './access.ts';

/** A ledger row whose path names a group as `:id`, which it declares as a parameter. */
type GroupRow<Shape extends ParameterSet> = Omit<Parameters<typeof userRoute<Shape>>[1], 'params'> & {
  readonly params: () => Shape;
};

/** The parameter that names a group: its number or its full path, `/` sent as `%2F`. */
interface Named {
  readonly id: Parameter<string>;
}

/** A route of a group for everybody who sees it, signed in or not. */
export function openGroupRoute<Shape extends ParameterSet & Named>(
  platform: Platform,
  row: GroupRow<Shape>,
  handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>> & FoundGroup) => unknown,
): Route {
  return openRoute(
    platform,
    row,
    (request) => handle({ ...request, ...resolve(platform, request.exchange, request.caller) }),
    'group:visible',
  );
}

/** A route of a group for people with an account who hold a role in it, or with `visible` only see it. */
export function groupRoute<Shape extends ParameterSet & Named>(
  platform: Platform,
  row: GroupRow<Shape>,
  role: ProjectRole | 'visible',
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & FoundGroup) => unknown,
): Route {
  return userRoute(
    platform,
    { authenticateFirst: true, ...row },
    (request) => {
      const found = resolve(platform, request.exchange, request.caller);
      if (role !== 'visible' && !holdsRole(found.standing, role)) {
        throw forbidden(undefined, `the caller is not ${role} of the group, or more`, `role.group.${role}`);
      }
      return handle({ ...request, ...found });
    },
    `group:${role}`,
  );
}

/** The group of the path. Throws 404 when the caller does not see it. */
function resolve(platform: Platform, exchange: Exchange, caller: Caller | undefined): FoundGroup {
  const found = findGroup(platform, exchange.pathParameters['id'] ?? '', caller);
  if (found === undefined) throw notFound('Group');
  return found;
}
