import * as z from 'zod';
import { actAs, type Caller, type Requirement, authenticate, isAdministrator } from '../identity/identity.ts';
import { noteActor } from '../actor.ts';
import type { Platform } from '../platform.ts';
import type { Availability } from '../profile.ts';
import type { ResponseSchema } from './responses.ts';
import { findCredential, findSudo } from './credentials.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from './requestContext.ts';
import { forbidden, unauthorized, unsupportedFormat, type WireFailure } from './failures.ts';
import { parseForm, type RawParameters, readRawParameters } from './input.ts';
import { withoutSecretParameters } from './requestLog.ts';
import type { LinkSource } from './pagination.ts';
import { metadataOf, type ParameterSet, readParameters } from './params.ts';
import type { SpecRef } from './specRefs.ts';
import { lazy } from '../lazy.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Which family of errors, credentials and headers a path belongs to. */
export type Area = 'api' | 'oauth' | 'page' | 'control' | 'registry' | 'ingest' | 'graphql';

/**
 * One row of the ledger. The array of these rows is at once what is routed, what is checked, what is documented and what the
 * generated tests read; there is no second table.
 */
export interface Route extends Availability {
  readonly area: Area;
  readonly method: Method;
  /** Path with `:name` parameters; `*name`, on pages, stands for one or more segments. */
  readonly path: string;
  /** The heading of docs/interface.md that describes it. */
  readonly specRef: SpecRef;
  /** Stated by the documented interface, inferred from the real platform, or local to this server. */
  readonly status: 'stated' | 'inferred' | 'local';
  /** Scopes of which a token needs one, where one is sent; `role` says whether one must be. None outside the REST API. */
  readonly scopes: readonly string[];
  /** Who may call: `anyone`, `user`, `administrator`, or a role in the project of the path. */
  readonly role: string;
  /** Which number of the resource stands in the path, where it has both. */
  readonly key?: 'id' | 'iid';
  /** Status of a success. */
  readonly successStatus: number;
  /** Schema of the declared parameters, made on first use. */
  readonly schema?: () => z.ZodObject<ParameterSet>;
  /** Schema of what a success answers, made on first use; none where that has no JSON body. */
  readonly body?: ResponseSchema;
  /** Another success, where there are two. */
  readonly also?: OtherSuccess;
  /** Where it can be switched off: then its path, which has no parameters, answers as one that is unknown. */
  readonly isOn?: () => boolean;
  readonly handle: (context: RequestContext) => Promise<HttpResponse>;
}

export interface OtherSuccess {
  readonly successStatus: number;
  readonly body: ResponseSchema;
}

/** A REST request after credentials and parameters were read. */
export interface ApiRequest<Params> extends LinkSource {
  readonly params: Params;
  /** Undefined for an anonymous request. */
  readonly caller: Caller | undefined;
  readonly now: number;
  /** For what a handler needs beyond its parameters. */
  readonly context: RequestContext;
}

/** A request on a route that needs a person. */
export interface SignedInRequest<Params> extends ApiRequest<Params> {
  readonly caller: Caller;
}

interface RouteDefinition<Shape extends ParameterSet> extends Availability {
  readonly method: Method;
  readonly path: string;
  readonly specRef: SpecRef;
  readonly status: Route['status'];
  readonly key?: 'id' | 'iid';
  /** Status of a success; 201 for POST, 204 for DELETE and 200 otherwise when left out. */
  readonly successStatus?: number;
  /** Accepted beside `api` (and `read_api` for reads). */
  readonly alsoScopes?: readonly string[];
  /** Whether the request replaces the token it came with. */
  readonly rotates?: boolean;
  /** When true, credentials are checked before parameters, as the real platform does on some resources (docs/interface.md#rest-errors). */
  readonly authenticateFirst?: boolean;
  /** Bytes of a body that are read; 1 MiB when left out. */
  readonly maxBody?: number;
  readonly params?: () => Shape;
  /** What a success answers; left out only by what answers 204. */
  readonly body?: ResponseSchema;
  readonly also?: OtherSuccess;
}

type Handled = unknown;

/** A value the wrapper sends as it is instead of as JSON. */
export class RawResponse {
  readonly response: HttpResponse;
  constructor(response: HttpResponse) {
    this.response = response;
  }
}

/** A REST route that anyone may call; `caller` is there when a good credential was sent. */
export function openRoute<Shape extends ParameterSet = Record<never, never>>(
  platform: Platform,
  route: RouteDefinition<Shape>,
  handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
  role = 'anyone',
): Route {
  return apiRoute(platform, route, role, 'optional', handle);
}

/** A REST route for people with an account. */
export function userRoute<Shape extends ParameterSet = Record<never, never>>(
  platform: Platform,
  route: RouteDefinition<Shape>,
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
  role = 'user',
): Route {
  return apiRoute(platform, route, role, 'required', (request) => handle({ ...request, caller: demandCaller(request.caller) }));
}

/** A REST route for administrators. */
export function administratorRoute<Shape extends ParameterSet = Record<never, never>>(
  platform: Platform,
  route: RouteDefinition<Shape>,
  handle: (request: SignedInRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
): Route {
  return apiRoute(platform, route, 'administrator', 'administrator', (request) =>
    handle({ ...request, caller: demandCaller(request.caller) }),
  );
}

/** What a token needs on a route with these scopes: `read`, which only tokens of applications have, means `read_api`. */
export function requirementOf(scopes: readonly string[]): Requirement {
  return { scopes: scopes.includes('read_api') ? [...scopes, 'read'] : scopes, said: scopes };
}

function apiRoute<Shape extends ParameterSet>(
  platform: Platform,
  route: RouteDefinition<Shape>,
  role: string,
  need: 'optional' | 'required' | 'administrator',
  handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
): Route {
  const scopes = scopesOf(route);
  const successStatus = route.successStatus ?? usualStatus[route.method];
  const parameters = lazy(() => declaredParameters(route));
  const handler = lazy(() => apiHandler(platform, route, { need, scopes, status: successStatus, parameters }, handle));
  // Hundreds of routes are made at each start, so everything that a request needs is made for the first one.
  return {
    ...route,
    area: 'api',
    scopes,
    role,
    successStatus,
    ...(route.params === undefined ? undefined : { schema: () => parameters().schema }),
    handle: (context) => handler()(context),
  };
}

const usualStatus = { GET: 200, POST: 201, PUT: 200, PATCH: 200, DELETE: 204 } as const;

function scopesOf<Shape extends ParameterSet>({ method, alsoScopes }: RouteDefinition<Shape>): readonly string[] {
  const usual = method === 'GET' ? ['api', 'read_api'] : ['api'];
  return alsoScopes === undefined ? usual : [...new Set([...usual, ...alsoScopes])];
}

interface DeclaredParameters<Shape extends ParameterSet> {
  readonly schema: z.ZodObject<Shape>;
  /** Names of parameters and their default values. */
  readonly fallbacks: readonly (readonly [string, unknown])[];
  readonly takesFiles: boolean;
}

function declaredParameters<Shape extends ParameterSet>(route: RouteDefinition<Shape>): DeclaredParameters<Shape> {
  // A route without parameters has the empty set; the type parameter's default says so.
  const schema = z.object(route.params?.() ?? ({} as Shape));
  const fallbacks = Object.entries(schema.shape).flatMap(([name, parameter]) => {
    const value = metadataOf(parameter)?.fallback;
    return value === undefined ? [] : [[name, value] as const];
  });
  const takesFiles = Object.values(schema.shape).some((parameter) => metadataOf(parameter)?.kind === 'file');
  return { schema, fallbacks, takesFiles };
}

interface ApiRules<Shape extends ParameterSet> {
  readonly need: 'optional' | 'required' | 'administrator';
  readonly scopes: readonly string[];
  /** Status of a success. */
  readonly status: number;
  readonly parameters: () => DeclaredParameters<Shape>;
}

/** Returns what reads the credentials and parameters of a request, calls `handle`, and makes its result the response. */
function apiHandler<Shape extends ParameterSet>(
  platform: Platform,
  route: RouteDefinition<Shape>,
  { need, scopes, status, parameters }: ApiRules<Shape>,
  handle: (request: ApiRequest<z.output<z.ZodObject<Shape>>>) => Handled | Promise<Handled>,
): (context: RequestContext) => Promise<HttpResponse> {
  const isRead = route.method === 'GET';
  const requirement: Requirement = { ...requirementOf(scopes), rotates: route.rotates ?? false };

  const identify = (context: RequestContext, raw: RawParameters): Caller | undefined => {
    const credential = findCredential(context.headers, raw);
    const sender = credential === undefined ? undefined : authenticate(platform, credential, requirement, context);
    if (sender !== undefined) context.noteUser(sender.user.username);
    const requested = findSudo(context.headers, raw);
    const caller = requested === undefined ? sender : actAs(platform, demandCaller(sender), requested, context.baseUrl);
    if (caller !== undefined) noteActor(caller.user.id);
    if (caller !== undefined && caller !== sender) context.noteUser(caller.user.username, sender?.user.username);
    if (sender?.credential.kind === 'oauth') {
      platform.flows.recordUse(sender.credential.tokenId, context.method, context.path, context.now);
    }
    if (need === 'optional') return caller;
    if (caller === undefined) throw anonymous();
    if (need === 'administrator' && !isAdministrator(caller)) {
      throw forbidden(undefined, 'only administrators may call this endpoint', 'role.administrator');
    }
    return caller;
  };

  /** Refuses a long body of a caller without good credentials before it is parsed. A short one costs little, and its errors come first. */
  const refuseLongBody = async (context: RequestContext): Promise<void> => {
    if (need === 'optional' || isRead || !mayBeLong(context)) return;
    const credential = findCredential(context.headers, parseForm(context.query));
    if (credential !== undefined) authenticate(platform, credential, requirement, context);
    else if (!namesCredential(await context.body(route.maxBody))) throw anonymous();
  };

  return async (context: RequestContext): Promise<HttpResponse> => {
    const { schema, fallbacks, takesFiles } = parameters();
    await refuseLongBody(context);
    const raw = await readRawParameters(context, route.maxBody, takesFiles);
    const format = raw['format'];
    if (typeof format === 'string' && format !== 'json') throw unsupportedFormat(format);
    Object.assign(raw, context.pathParameters);
    const early = route.authenticateFirst === true ? { caller: identify(context, raw) } : undefined;
    const params = readParameters(schema, raw);
    const caller = early === undefined ? identify(context, raw) : early.caller;
    const result = await handle({
      params,
      caller,
      now: context.now,
      context,
      baseUrl: context.baseUrl,
      path: context.path,
      withoutTotals: platform.profile.offering === 'multi-tenant',
      linkParameters: () => ({ ...Object.fromEntries(fallbacks), ...withoutSecretParameters(raw) }),
    });
    if (result instanceof RawResponse) return result.response;
    if (status === 204) return { status };
    return jsonResponse(status, result);
  };
}

function anonymous(): WireFailure {
  return unauthorized('the endpoint needs a token: PRIVATE-TOKEN, Authorization: Bearer or access_token');
}

/** Bytes of a body that is parsed whoever sends it. */
const SHORT_BODY = 65_536;

/** Whether a body is longer than `SHORT_BODY`, or of a length that is not known yet. */
function mayBeLong({ headers }: RequestContext): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return length === undefined ? encoding !== undefined : Number(length) > SHORT_BODY;
}

/** Whether a credential may stand in a body, by the names of the parameters that hold one. */
function namesCredential(body: Buffer): boolean {
  return body.length <= SHORT_BODY || ['access_token', 'bearer_token', 'private_token'].some((name) => body.includes(name));
}

function demandCaller(caller: Caller | undefined): Caller {
  if (caller === undefined) throw unauthorized('the endpoint needs a token');
  return caller;
}
