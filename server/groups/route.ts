import type * as z from 'zod';
import type { Exchange } from '../http/exchange.ts';
import { forbidden, notFound } from '../http/failures.ts';
import { movedAnswer } from '../http/moved.ts';
import type { Parameter, ParameterSet } from '../http/params.ts';
import {
  administratorRoute,
  type ApiRequest,
  openRoute,
  Prepared,
  type Route,
  type SignedInRequest,
  userRoute,
} from '../http/route.ts';
import type { Caller } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { holdsRole, type ProjectRole } from '../projects/projects.ts';
import { findGroup, findMovedGroup, type FoundGroup } from './access.ts';

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
    (request) => {
      const found = resolve(platform, row, request.exchange, request.caller);
      return found instanceof Prepared ? found : handle({ ...request, ...found });
    },
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
      const found = resolve(platform, row, request.exchange, request.caller);
      if (found instanceof Prepared) return found;
      if (role !== 'visible' && !holdsRole(found.standing, role)) {
        throw forbidden(undefined, `the caller is not ${role} of the group, or more`, `role.group.${role}`);
      }
      return handle({ ...request, ...found });
    },
    `group:${role}`,
  );
}

/** A route of a group for administrators. */
export function administratorGroupRoute<Shape extends ParameterSet & Named>(
  platform: Platform,
  row: GroupRow<Shape>,
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & FoundGroup) => unknown,
): Route {
  return administratorRoute(platform, { authenticateFirst: true, ...row }, (request) => {
    const found = resolve(platform, row, request.exchange, request.caller);
    return found instanceof Prepared ? found : handle({ ...request, ...found });
  });
}

/** The group of the path; for a former path of it the redirect. Throws 404 when the caller sees neither. */
function resolve(
  platform: Platform,
  row: { readonly path: string },
  exchange: Exchange,
  caller: Caller | undefined,
): FoundGroup | Prepared {
  const named = exchange.pathParameters['id'] ?? '';
  const found = findGroup(platform, named, caller);
  if (found !== undefined) return found;
  const moved = findMovedGroup(platform, named, caller)?.group;
  if (moved === undefined) throw notFound('Group');
  return movedAnswer(exchange, row.path.split('/').indexOf(':id'), { kind: 'group', id: moved.id, fullPath: moved.full_path });
}
