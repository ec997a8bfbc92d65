import type * as z from 'zod';
import type { Exchange } from '../http/exchange.ts';
import { forbidden, notFound } from '../http/failures.ts';
import { movedAnswer } from '../http/moved.ts';
import type { Parameter, ParameterSet } from '../http/params.ts';
import { type ApiRequest, openRoute, Prepared, type Route, type SignedInRequest, userRoute } from '../http/route.ts';
import type { Caller } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { holdsRole, type ProjectRole } from './abilities.ts';
import { findMovedProject, findProject, type FoundProject } from './access.ts';

/** A ledger row whose path names a project as `:id` or `:project_id`, which it declares as a parameter. */
type ProjectRow<Shape extends ParameterSet> = Omit<Parameters<typeof userRoute<Shape>>[1], 'params'> & {
  readonly params: () => Shape;
};

/** The parameter that names a project: its number or its full path, `/` sent as `%2F`. */
type Named = { readonly id: Parameter<string> } | { readonly project_id: Parameter<string> };

/** The shape of `projectRoute`, and of its like of groups: for what both have. */
export type HomeRoute<Found> = <Shape extends ParameterSet & { readonly id: Parameter<string> }>(
  platform: Platform,
  row: ProjectRow<Shape>,
  role: ProjectRole | 'visible',
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & Found) => unknown,
) => Route;

/** A route of a project for everybody who sees it, signed in or not. */
export function openProjectRoute<Shape extends ParameterSet & Named>(
  platform: Platform,
  row: ProjectRow<Shape>,
  handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>> & FoundProject) => unknown,
): Route {
  return openRoute(
    platform,
    row,
    (request) => {
      const found = resolve(platform, row, request.exchange, request.caller);
      return found instanceof Prepared ? found : handle({ ...request, ...found });
    },
    'project:visible',
  );
}

/**
 * A route of a project for people with an account who hold a role in it, or with `visible` only see it. Credentials are checked before
 * parameters, as the real platform does on projects and what belongs to them.
 */
export function projectRoute<Shape extends ParameterSet & Named>(
  platform: Platform,
  row: ProjectRow<Shape>,
  role: ProjectRole | 'visible',
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & FoundProject) => unknown,
): Route {
  return userRoute(
    platform,
    { authenticateFirst: true, ...row },
    (request) => {
      const found = resolve(platform, row, request.exchange, request.caller);
      if (found instanceof Prepared) return found;
      if (role !== 'visible' && !holdsRole(found.standing, role)) {
        throw forbidden(undefined, `the caller is not ${role} of the project, or more`, `role.project.${role}`);
      }
      return handle({ ...request, ...found });
    },
    `project:${role}`,
  );
}

/** The project of the path; for a former path of it the redirect (rest.md §1.3). Throws 404 when the caller sees neither. */
function resolve(
  platform: Platform,
  row: { readonly path: string },
  exchange: Exchange,
  caller: Caller | undefined,
): FoundProject | Prepared {
  const segments = row.path.split('/');
  const index = segments.findIndex((segment) => segment === ':id' || segment === ':project_id');
  const named = exchange.pathParameters[segments[index]?.slice(1) ?? ''] ?? '';
  const found = findProject(platform, named, caller);
  if (found !== undefined) return found;
  const moved = findMovedProject(platform, named, caller);
  if (moved === undefined) throw notFound('Project');
  return movedAnswer(exchange, index, { kind: 'project', id: moved.project.id, fullPath: moved.project.full_path });
}
