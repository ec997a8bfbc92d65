import type * as z from 'zod';
import type { RequestContext } from '../../http/requestContext.ts';
import { forbidden, notFound } from '../../core/errors.ts';
import { movedResponse } from '../../http/moved.ts';
import type { Parameter, ParameterSet } from '../../http/params.ts';
import {
  administratorRoute,
  type ApiRequest,
  openRoute,
  RawResponse,
  type Route,
  type SignedInRequest,
  userRoute,
} from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { holdsRole, type ProjectRole, type Access } from '../abilities/abilities.ts';

/** A route definition whose path contains a project or group as the parameter `:id`, or a project as `:project_id`. */
type ContainerRow<Shape extends ParameterSet> = Omit<Parameters<typeof userRoute<Shape>>[0], 'params'> & {
  readonly params: () => Shape;
};

/** A signed-in route that works for both projects and groups. */
export type ContainerRoute<Found> = <Shape extends ParameterSet & { readonly id: Parameter<string> }>(
  row: ContainerRow<Shape>,
  role: ProjectRole | 'visible',
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & Found) => unknown,
) => Route;

/** A project or group: how it is found by id or by full path, with `/` encoded as `%2F`. */
interface Container<Found> {
  readonly kind: 'project' | 'group';
  /** Undefined if it is not visible to the caller. */
  readonly find: (core: Core, named: string, caller: Caller | undefined) => Found | undefined;
  /** Returns true if the credential of the caller admits them to the container; always by default. */
  readonly admits?: (context: RequestContext, found: Found, caller: Caller) => boolean;
  /** Finds the container that had this path before. */
  readonly findMoved: (
    core: Core,
    named: string,
    caller: Caller | undefined,
  ) => { readonly id: number; readonly full_path: string } | undefined;
}

/**
 * Creates route builders that resolve a container and check the caller's role. `Named` are the parameters that may identify it.
 */
export function containerRoutes<Found extends { readonly access: Access }, Named>(container: Container<Found>) {
  const { kind } = container;

  /**
   * Returns the container of the path, or the redirect from a former path (docs/interface.md#resource-addresses). Throws `NotFound` if
   * the caller can see neither.
   */
  const resolve = (
    { index, parameter }: ReturnType<typeof containerIn>,
    context: RequestContext,
    caller: Caller | undefined,
  ): Found | RawResponse => {
    const named = context.pathParameters[parameter] ?? '';
    const found = container.find(context.core, named, caller);
    if (found !== undefined) {
      const isAdmitted = caller === undefined || container.admits?.(context, found, caller) !== false;
      if (!isAdmitted) throw notFound(kind === 'project' ? 'Project' : 'Group', 'the job token does not reach it');
      return found;
    }
    const moved = container.findMoved(context.core, named, caller);
    if (moved === undefined) throw notFound(kind === 'project' ? 'Project' : 'Group');
    return movedResponse(context, index, { kind, id: moved.id, name: moved.full_path });
  };

  return {
    /** A route for everyone who can see the container, signed in or not. */
    open: <Shape extends ParameterSet & Named>(
      row: ContainerRow<Shape>,
      handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>> & Found) => unknown,
    ): Route => {
      const place = containerIn(row.path);
      return openRoute(
        row,
        (request) => {
          const found = resolve(place, request.context, request.caller);
          return found instanceof RawResponse ? found : handle({ ...request, ...found });
        },
        `${kind}:visible`,
      );
    },

    /**
     * A route for signed-in users with a role in the container, or with `visible` for those who can see it. Credentials are
     * checked before parameters, as on GitLab for projects, groups and their resources.
     */
    ofRole: <Shape extends ParameterSet & Named>(
      row: ContainerRow<Shape>,
      role: ProjectRole | 'visible',
      handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & Found) => unknown,
    ): Route => {
      const place = containerIn(row.path);
      return userRoute(
        { authenticateFirst: true, ...row },
        (request) => {
          const found = resolve(place, request.context, request.caller);
          if (found instanceof RawResponse) return found;
          if (role !== 'visible' && !holdsRole(found.access, role)) {
            throw forbidden(undefined, `requires at least the ${role} role in the ${kind}`, `role.${kind}.${role}`);
          }
          return handle({ ...request, ...found });
        },
        `${kind}:${role}`,
      );
    },

    /** A route for administrators. */
    ofAdministrators: <Shape extends ParameterSet & Named>(
      row: ContainerRow<Shape>,
      handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & Found) => unknown,
    ): Route => {
      const place = containerIn(row.path);
      return administratorRoute({ authenticateFirst: true, ...row }, (request) => {
        const found = resolve(place, request.context, request.caller);
        return found instanceof RawResponse ? found : handle({ ...request, ...found });
      });
    },
  };
}

/** Returns the parameter of a path that identifies the container, and the index of its segment. */
function containerIn(path: string): { readonly index: number; readonly parameter: string } {
  const segments = path.split('/');
  const index = segments.findIndex((segment) => segment === ':id' || segment === ':project_id');
  return { index, parameter: segments[index]?.slice(1) ?? '' };
}
