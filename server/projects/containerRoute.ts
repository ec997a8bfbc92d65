import type * as z from 'zod';
import type { RequestContext } from '../http/requestContext.ts';
import { forbidden, notFound } from '../http/failures.ts';
import { movedResponse } from '../http/moved.ts';
import type { Parameter, ParameterSet } from '../http/params.ts';
import {
  administratorRoute,
  type ApiRequest,
  openRoute,
  RawResponse,
  type Route,
  type SignedInRequest,
  userRoute,
} from '../http/route.ts';
import type { Caller } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { holdsRole, type ProjectRole, type Access } from './abilities.ts';

/** A ledger row whose path names a project or group as `:id`, or a project as `:project_id`, which it declares as a parameter. */
type ContainerRow<Shape extends ParameterSet> = Omit<Parameters<typeof userRoute<Shape>>[1], 'params'> & {
  readonly params: () => Shape;
};

/** The shape of the routes for people: for what projects and groups both have. */
export type ContainerRoute<Found> = <Shape extends ParameterSet & { readonly id: Parameter<string> }>(
  platform: Platform,
  row: ContainerRow<Shape>,
  role: ProjectRole | 'visible',
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & Found) => unknown,
) => Route;

/** Where the work of people is, a project or a group: how it is found by its number or its full path, `/` sent as `%2F`. */
interface Container<Found> {
  readonly kind: 'project' | 'group';
  /** Undefined where the caller does not see it. */
  readonly find: (platform: Platform, named: string, caller: Caller | undefined) => Found | undefined;
  /** The one that had this path before. */
  readonly findMoved: (
    platform: Platform,
    named: string,
    caller: Caller | undefined,
  ) => { readonly id: number; readonly full_path: string } | undefined;
}

/** The ways in which routes find a home and demand something of whoever asks. `Named` are the parameters that may name it. */
export function containerRoutes<Found extends { readonly access: Access }, Named>(container: Container<Found>) {
  const { kind } = container;

  /**
   * The home of the path; for a former path of it the redirect (docs/interface.md#resource-addresses). Throws 404 when the caller sees
   * neither.
   */
  const resolve = (
    platform: Platform,
    row: { readonly path: string },
    context: RequestContext,
    caller: Caller | undefined,
  ): Found | RawResponse => {
    const segments = row.path.split('/');
    const index = segments.findIndex((segment) => segment === ':id' || segment === ':project_id');
    const named = context.pathParameters[segments[index]?.slice(1) ?? ''] ?? '';
    const found = container.find(platform, named, caller);
    if (found !== undefined) return found;
    const moved = container.findMoved(platform, named, caller);
    if (moved === undefined) throw notFound(kind === 'project' ? 'Project' : 'Group');
    return movedResponse(context, index, { kind, id: moved.id, fullPath: moved.full_path });
  };

  return {
    /** For everybody who sees it, signed in or not. */
    open: <Shape extends ParameterSet & Named>(
      platform: Platform,
      row: ContainerRow<Shape>,
      handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>> & Found) => unknown,
    ): Route =>
      openRoute(
        platform,
        row,
        (request) => {
          const found = resolve(platform, row, request.context, request.caller);
          return found instanceof RawResponse ? found : handle({ ...request, ...found });
        },
        `${kind}:visible`,
      ),

    /**
     * For people with an account who hold a role in it, or with `visible` only see it. Credentials are checked before parameters, as the
     * real platform does on projects, groups and what belongs to them.
     */
    ofRole: <Shape extends ParameterSet & Named>(
      platform: Platform,
      row: ContainerRow<Shape>,
      role: ProjectRole | 'visible',
      handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & Found) => unknown,
    ): Route =>
      userRoute(
        platform,
        { authenticateFirst: true, ...row },
        (request) => {
          const found = resolve(platform, row, request.context, request.caller);
          if (found instanceof RawResponse) return found;
          if (role !== 'visible' && !holdsRole(found.access, role)) {
            throw forbidden(undefined, `requires at least the ${role} role in the ${kind}`, `role.${kind}.${role}`);
          }
          return handle({ ...request, ...found });
        },
        `${kind}:${role}`,
      ),

    /** For administrators. */
    ofAdministrators: <Shape extends ParameterSet & Named>(
      platform: Platform,
      row: ContainerRow<Shape>,
      handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>> & Found) => unknown,
    ): Route =>
      administratorRoute(platform, { authenticateFirst: true, ...row }, (request) => {
        const found = resolve(platform, row, request.context, request.caller);
        return found instanceof RawResponse ? found : handle({ ...request, ...found });
      }),
  };
}
