import * as z from 'zod';
import { type DeprecationId, deprecationOf, stateIn } from '../../src/contract/deprecations.ts';
import { type Caller, isAdministrator, ownScopesOf } from '../core/caller.ts';
import type { Requirement } from './authentication.ts';
import { noteActor } from '../core/actor.ts';
import type { Availability } from '../core/profile.ts';
import type { ResponseSchema } from './responses.ts';
import { findCredential, findJobToken, findSudo } from './credentials.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from './requestContext.ts';
import { forbidden, type Unauthenticated, unauthenticated, unsupportedFormat } from '../core/errors.ts';
import { gone } from './failures.ts';
import { parseForm, type RawParameters, readRawParameters } from './input.ts';
import { withoutSecretParameters } from '../core/masking.ts';
import type { LinkSource } from './pagination.ts';
import { metadataOf, type ParameterSet, type ParametersOf, readParameters } from './params.ts';
import type { SpecRef } from './specRefs.ts';
import { lazy } from '../support/lazy.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Area of a path, which determines the format of its errors, its credentials and its headers. */
export type Area = 'api' | 'oauth' | 'page' | 'control' | 'registry' | 'ingest' | 'graphql' | 'git';

/**
 * Rule for scripts of other origins (docs/interface.md#cross-origin-requests): `token` lets them send `Authorization` after a preflight, and
 * `document` lets them read a public document.
 */
export type CrossOriginRule = 'token' | 'document';

/**
 * Route definition. Routing, permission checks, the OpenAPI document and the generated tests all use the same list of these definitions.
 */
export interface Route extends Availability {
  readonly area: Area;
  readonly method: Method;
  /** Path with `:name` parameters; `*name`, on pages, stands for one or more segments. */
  readonly path: string;
  /** Names of the parameters of the path that are secrets, such as that of a one-time link. Logs mask them. */
  readonly secrets?: readonly string[];
  /** Heading of docs/interface.md that describes the route. */
  readonly specRef: SpecRef;
  /** Source of the route: stated by the documented interface, inferred from GitLab, or local to this server. */
  readonly status: 'stated' | 'inferred' | 'local';
  /** Scopes of which a sent token needs one; `role` determines if a token is required. Empty outside the REST API. */
  readonly scopes: readonly string[];
  /** Required role: `anyone`, `user`, `administrator`, or a role in the project of the path. */
  readonly role: string;
  /** Kind of ID in the path, for resources that have both. */
  readonly key?: 'id' | 'iid';
  /** Status of a successful response. */
  readonly successStatus: number;
  /** Schema of the declared parameters, created on first use. */
  readonly schema?: () => z.ZodObject<ParameterSet>;
  /** Schema of a successful response, created on first use; undefined if it has no JSON body. */
  readonly body?: ResponseSchema;
  /** Second kind of successful response. */
  readonly also?: OtherSuccess;
  /** Pages of a list that lacks those by number (docs/interface.md#pagination), with the reason. */
  readonly pages?: ListPages;
  /** Rule for requests of scripts of other origins; undefined if the area decides. */
  readonly crossOrigin?: CrossOriginRule;
  /** Returns true if a route that can be turned off is on. Its path has no parameters; while it is off, the path is unknown. */
  readonly isOn?: () => boolean;
  /** Deprecation of the whole route. It decides from which release on the route is gone (410) or unknown (404). */
  readonly deprecation?: DeprecationId;
  readonly handle: (context: RequestContext) => Promise<HttpResponse>;
}

/** `none`: the list is returned whole. `keyset`: only `Link` leads to the next page. */
export interface ListPages {
  readonly by: 'none' | 'keyset';
  readonly because: string;
}

export interface OtherSuccess {
  readonly successStatus: number;
  readonly body: ResponseSchema;
}

/**
 * Returns true if the OpenAPI document describes the route. Pages are for people, and git has its own protocol, as has the registry below the
 * names of images, which contain slashes.
 */
export function isDescribed({ area, path }: Pick<Route, 'area' | 'path'>): boolean {
  return area !== 'page' && area !== 'git' && !path.includes('*');
}

/** REST request with its caller and parameters. */
export interface ApiRequest<Params> extends LinkSource {
  readonly params: Params;
  /** Undefined for an anonymous request. */
  readonly caller: Caller | undefined;
  readonly now: number;
  /** Full request, for handlers that need more than the parameters. */
  readonly context: RequestContext;
  /** Returns true if the request has a parameter of this name, even an empty one. */
  hasSent(name: string): boolean;
}

/** Request of a signed-in user. */
export interface SignedInRequest<Params> extends ApiRequest<Params> {
  readonly caller: Caller;
}

/** Request of a signed-in user with the parameters that `Declare` returns. */
export type RequestOf<Declare extends (...args: never[]) => ParameterSet> = SignedInRequest<ParametersOf<Declare>>;

interface RouteDefinition<Shape extends ParameterSet> extends Availability {
  readonly method: Method;
  readonly path: string;
  readonly secrets?: readonly string[];
  readonly specRef: SpecRef;
  readonly status: Route['status'];
  readonly key?: 'id' | 'iid';
  /** Status of a successful response; by default 201 for POST, 204 for DELETE, and 200 otherwise. */
  readonly successStatus?: number;
  /** Scopes that are accepted in addition to `api` (and `read_api` for reads). */
  readonly alsoScopes?: readonly string[];
  /** True if the request rotates the token it was sent with. */
  readonly rotates?: boolean;
  /** True if a job token is accepted in place of a token of a user (docs/interface.md#job-tokens). */
  readonly acceptsJobToken?: boolean;
  /** True if credentials are checked before parameters, as on some resources of GitLab (docs/interface.md#rest-errors). */
  readonly authenticateFirst?: boolean;
  /** Maximum size of a body, in bytes; 1 MiB by default. A function is called for each request. */
  readonly maxBody?: number | (() => number);
  readonly params?: () => Shape;
  /** Schema of a successful response; omitted only with status 204. */
  readonly body?: ResponseSchema;
  readonly also?: OtherSuccess;
  readonly pages?: ListPages;
  readonly deprecation?: DeprecationId;
}

type Handled = unknown;

/** Response that is sent unchanged instead of as JSON. */
export class RawResponse {
  readonly response: HttpResponse;
  constructor(response: HttpResponse) {
    this.response = response;
  }
}

/** Creates a REST route for everyone. `caller` is set if a valid credential was sent. */
export function openRoute<Shape extends ParameterSet = Record<never, never>>(
  route: RouteDefinition<Shape>,
  handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
  role = 'anyone',
): Route {
  return apiRoute(route, role, 'optional', handle);
}

/** Creates a REST route for signed-in users. */
export function userRoute<Shape extends ParameterSet = Record<never, never>>(
  route: RouteDefinition<Shape>,
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
  role = 'user',
): Route {
  return apiRoute(route, role, 'required', (request) => handle({ ...request, caller: demandCaller(request.caller) }));
}

/** Creates a REST route for administrators. */
export function administratorRoute<Shape extends ParameterSet = Record<never, never>>(
  route: RouteDefinition<Shape>,
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
): Route {
  return apiRoute(route, 'administrator', 'administrator', (request) =>
    handle({ ...request, caller: demandCaller(request.caller) }),
  );
}

/** Returns the requirement of a route with these scopes. `read`, which only OAuth tokens can have, equals `read_api`. */
export function requirementOf(scopes: readonly string[]): Requirement {
  return { scopes: scopes.includes('read_api') ? [...scopes, 'read'] : scopes, said: scopes };
}

function apiRoute<Shape extends ParameterSet>(
  route: RouteDefinition<Shape>,
  role: string,
  need: 'optional' | 'required' | 'administrator',
  handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
): Route {
  const scopes = scopesOf(route);
  const successStatus = route.successStatus ?? usualStatus[route.method];
  const parameters = lazy(() => declaredParameters(route));
  const handler = lazy(() => apiHandler(route, { need, scopes, status: successStatus, parameters }, handle));
  // Hundreds of routes are created at each start, so everything that only requests need is created on the first request.
  return {
    ...route,
    ...removalOf(route),
    area: 'api',
    scopes,
    role,
    successStatus,
    ...(route.params === undefined ? undefined : { schema: () => parameters().schema }),
    handle: (context) => handler()(context),
  };
}

/** Returns the reason of a 410 for the request log. */
function removalReason(id: DeprecationId): string {
  const { removedIn, replacement } = deprecationOf(id);
  return `the endpoint was removed in release ${removedIn ?? ''}: ${replacement}`;
}

/** Returns the release from which on a route is unknown, as its deprecation says. A route that is gone (410) remains known. */
function removalOf({ deprecation, removedIn }: Pick<Route, 'deprecation' | 'removedIn'>): Pick<Route, 'removedIn'> {
  const row = deprecation === undefined ? undefined : deprecationOf(deprecation);
  return { removedIn: row?.afterwards === 'absent' ? row.removedIn : removedIn };
}

const usualStatus = { GET: 200, POST: 201, PUT: 200, PATCH: 200, DELETE: 204 } as const;

function scopesOf<Shape extends ParameterSet>({ method, alsoScopes }: RouteDefinition<Shape>): readonly string[] {
  const usual = method === 'GET' ? ['api', 'read_api'] : ['api'];
  return alsoScopes === undefined ? usual : [...new Set([...usual, ...alsoScopes])];
}

interface DeclaredParameters<Shape extends ParameterSet> {
  readonly schema: z.ZodObject<Shape>;
  /** Default values of parameters by name. */
  readonly fallbacks: Readonly<Record<string, unknown>>;
  readonly takesFiles: boolean;
  /** Names of deprecated parameters and their deprecations. */
  readonly deprecated: readonly (readonly [string, DeprecationId])[];
}

function declaredParameters<Shape extends ParameterSet>(route: RouteDefinition<Shape>): DeclaredParameters<Shape> {
  // A route without parameters has the empty set, as its default type parameter says.
  const schema = z.object(route.params?.() ?? ({} as Shape));
  const fallbacks = Object.entries(schema.shape).flatMap(([name, parameter]) => {
    const value = metadataOf(parameter)?.fallback;
    return value === undefined ? [] : [[name, value] as const];
  });
  const takesFiles = Object.values(schema.shape).some((parameter) => metadataOf(parameter)?.kind === 'file');
  const deprecated = Object.entries(schema.shape).flatMap(([name, parameter]) => {
    const id = metadataOf(parameter)?.deprecation;
    return id === undefined ? [] : [[name, id] as const];
  });
  return { schema, fallbacks: Object.fromEntries(fallbacks), takesFiles, deprecated };
}

interface ApiRules<Shape extends ParameterSet> {
  readonly need: 'optional' | 'required' | 'administrator';
  readonly scopes: readonly string[];
  /** Status of a successful response. */
  readonly status: number;
  readonly parameters: () => DeclaredParameters<Shape>;
}

/** Returns a handler that reads the credentials and parameters of a request, calls `handle`, and turns its result into a response. */
function apiHandler<Shape extends ParameterSet>(
  route: RouteDefinition<Shape>,
  { need, scopes, status, parameters }: ApiRules<Shape>,
  handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
): (context: RequestContext) => Promise<HttpResponse> {
  const requirement: Requirement = { ...requirementOf(scopes), rotates: route.rotates ?? false };

  const identify = (context: RequestContext, raw: RawParameters): Caller | undefined => {
    const credential = findCredential(context.headers, raw);
    const jobToken = credential === undefined && route.acceptsJobToken === true ? findJobToken(context.headers, raw) : undefined;
    const ofJob = jobToken === undefined ? undefined : context.authentication.authenticateJob(jobToken, context);
    const sender = credential === undefined ? ofJob : context.authentication.authenticate(credential, requirement, context);
    if (sender !== undefined) context.noteUser(sender.user.username);
    const requested = findSudo(context.headers, raw);
    const caller = requested === undefined ? sender : context.authentication.actAs(demandCaller(sender), requested, context);
    if (caller !== undefined) noteActor(caller.user.id);
    if (caller !== undefined && caller !== sender) context.noteUser(caller.user.username, sender?.user.username);
    if (caller !== undefined) context.noteToken(caller.user.id, ownScopesOf(caller));
    if (sender?.credential.kind === 'oauth') {
      context.noteApplication(sender.credential.tokenId);
      context.authentication.recordUse(sender.credential.tokenId, context);
    }
    if (need === 'optional') return caller;
    if (caller === undefined) throw anonymous();
    if (need === 'administrator' && !isAdministrator(caller)) {
      throw forbidden(undefined, 'only administrators may call this endpoint', 'role.administrator');
    }
    return caller;
  };

  const maxBody = (): number | undefined => (typeof route.maxBody === 'function' ? route.maxBody() : route.maxBody);

  /** Refuses a long body without valid credentials before it is parsed. A short body is cheap to parse, and its validation errors take precedence. */
  const refuseLongBody = async (context: RequestContext): Promise<void> => {
    const credential = findCredential(context.headers, parseForm(context.query));
    const jobToken = route.acceptsJobToken === true ? findJobToken(context.headers, parseForm(context.query)) : undefined;
    if (credential !== undefined) context.authentication.authenticate(credential, requirement, context);
    else if (jobToken !== undefined) context.authentication.authenticateJob(jobToken, context);
    else if (!namesCredential(await context.body(maxBody()))) throw anonymous();
  };

  return async (context: RequestContext): Promise<HttpResponse> => {
    const { schema, fallbacks, takesFiles, deprecated } = parameters();
    if (route.deprecation !== undefined) {
      context.noteDeprecated(route.deprecation);
      if (stateIn(route.deprecation, context.core.profile.release) === 'removed') throw gone(removalReason(route.deprecation));
    }
    if (need !== 'optional' && mayBeLong(context)) await refuseLongBody(context);
    const raw = await readRawParameters(context, maxBody(), takesFiles);
    const format = raw['format'];
    if (typeof format === 'string' && format !== 'json') throw unsupportedFormat(format);
    Object.assign(raw, context.pathParameters);
    const early = route.authenticateFirst === true ? { caller: identify(context, raw) } : undefined;
    for (const [name, id] of deprecated) {
      if (raw[name] === undefined) continue;
      context.noteDeprecated(id);
      // A removed parameter is unknown, and unknown parameters are ignored.
      if (stateIn(id, context.core.profile.release) === 'removed') delete raw[name];
    }
    const params = readParameters(schema, raw);
    const caller = early === undefined ? identify(context, raw) : early.caller;
    const result = await handle({
      params,
      caller,
      now: context.now,
      context,
      baseUrl: context.baseUrl,
      path: context.path,
      hasSent: (name) => Object.hasOwn(raw, name),
      withoutTotals: context.core.profile.offering === 'multi-tenant',
      linkParameters: () => ({ ...fallbacks, ...withoutSecretParameters(raw) }),
    });
    if (result instanceof RawResponse) return result.response;
    if (status === 204) return { status };
    return jsonResponse(status, result);
  };
}

function anonymous(): Unauthenticated {
  return unauthenticated('the endpoint requires a token: PRIVATE-TOKEN, Authorization: Bearer or access_token');
}

/** Maximum size of a body that is parsed before credentials are checked, in bytes. */
const SHORT_BODY = 65_536;

/** Returns true if a body is longer than `SHORT_BODY` or its length is unknown. */
function mayBeLong({ headers }: RequestContext): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return length === undefined ? encoding !== undefined : Number(length) > SHORT_BODY;
}

/** Returns true if a body may contain a credential, by the names of credential parameters. */
function namesCredential(body: Buffer): boolean {
  return (
    body.length <= SHORT_BODY ||
    ['access_token', 'bearer_token', 'private_token', 'job_token'].some((name) => body.includes(name))
  );
}

function demandCaller(caller: Caller | undefined): Caller {
  if (caller === undefined) throw unauthenticated('the endpoint requires a token');
  return caller;
}
