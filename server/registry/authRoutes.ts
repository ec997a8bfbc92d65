import * as z from 'zod';
import { type ResponseSchema, named } from '../http/responses.ts';
import { bearerOf } from '../http/credentials.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from '../http/requestContext.ts';
import { WireFailure } from '../http/failures.ts';
import { oneOf, type ParameterSet } from '../http/params.ts';
import type { Route } from '../http/route.ts';
import { authenticate, type Caller } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { opensRegistry, registryToken, SERVICE } from './tokens.ts';

/** Version header of the protocol, sent with every response of the registry. */
const VERSION = { 'Docker-Distribution-Api-Version': 'registry/2.0' } as const;
/** Scopes of personal access tokens that can request a registry token. */
const SCOPES = ['read_registry', 'write_registry', 'api'];

const nothing = named('RegistryVersion', () => z.strictObject({}));
const tokenResponse = named('RegistryToken', () => z.strictObject({ token: z.string() }));

/**
 * The authentication of the container registry (distribution specification, token authentication): `/v2/` sends clients to
 * `/jwt/auth`, which exchanges a personal access token for a registry token. OAuth tokens are accepted by neither
 * (docs/interface.md#container-registry). The registry itself has no images.
 */
export function registryAuthRoutes(platform: Platform): Route[] {
  const registryRoute = (
    metadata: Pick<Route, 'path' | 'status' | 'role'> & { readonly params?: () => ParameterSet; readonly body: ResponseSchema },
    handle: (context: RequestContext) => Promise<HttpResponse>,
  ): Route => {
    const { params, ...rest } = metadata;
    return {
      ...rest,
      ...(params === undefined ? {} : { schema: () => z.object(params()) }),
      area: 'registry',
      method: 'GET',
      specRef: 'Container registry',
      scopes: [],
      successStatus: 200,
      handle,
    };
  };

  return [
    registryRoute({ path: '/v2', status: 'stated', role: 'token', body: nothing }, async (context) => {
      await demandRegistryToken(platform, context);
      return jsonResponse(200, {}, VERSION);
    }),
    registryRoute(
      {
        path: '/jwt/auth',
        status: 'inferred',
        role: 'user',
        params: () => ({ service: oneOf([SERVICE])() }),
        body: tokenResponse,
      },
      async (context) => {
        if (new URLSearchParams(context.query).get('service') !== SERVICE) {
          throw failure(404, 'NAME_UNKNOWN', 'no such service', 'registry.service', `the service must be ${SERVICE}`);
        }
        const caller = callerOf(platform, context);
        context.noteUser(caller.user.username);
        return jsonResponse(200, { token: await registryToken(platform, caller, context.baseUrl, context.now) });
      },
    ),
  ];
}

/**
 * Returns the caller whose personal access token was sent as the password. Throws 401 for an invalid token, and 403 for one
 * without the scope or without credentials.
 */
function callerOf(platform: Platform, { headers, baseUrl, now }: RequestContext): Caller {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*)\s*$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) {
    throw failure(403, 'DENIED', 'access forbidden', 'registry.credentials', 'send a personal access token as the password');
  }
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const token = text.slice(text.indexOf(':') + 1);
  try {
    return authenticate(platform, { token, kind: 'personal' }, { scopes: SCOPES, said: SCOPES }, { baseUrl, now });
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    if (error.status === 403) throw failure(403, 'DENIED', 'access forbidden', error.rule, error.reason);
    const text = 'HTTP Basic: Access denied. A personal access token with the scope read_registry or write_registry is needed.';
    throw failure(401, 'UNAUTHORIZED', text, error.rule, `${error.reason}; OAuth tokens are not accepted here`);
  }
}

/** Throws the 401 with the challenge that sends clients to the token endpoint. */
async function demandRegistryToken(platform: Platform, context: RequestContext): Promise<void> {
  const token = bearerOf(context.headers.authorization);
  if (token !== undefined && (await opensRegistry(platform, token, context.now))) return;
  throw failure(
    401,
    'UNAUTHORIZED',
    'authentication required',
    'registry.token',
    'the registry accepts only tokens from /jwt/auth, not OAuth or personal access tokens',
    { 'WWW-Authenticate': `Bearer realm="${context.baseUrl}/jwt/auth",service="${SERVICE}"` },
  );
}

function failure(
  status: number,
  code: string,
  message: string,
  rule: string,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): WireFailure {
  return new WireFailure(status, { errors: [{ code, message, detail: null }] }, { rule, reason }, { ...VERSION, ...headers });
}

/** Formats refusals for the registry. Unauthenticated clients get the same response for existing and missing paths. */
export function registryRefusal(platform: Platform): (original: WireFailure, context: RequestContext) => Promise<HttpResponse> {
  return async (original, context) => {
    let reported = original;
    if (original.status === 404 && /^\/v2(?:\/|$)/.test(context.path)) {
      try {
        await demandRegistryToken(platform, context);
        reported = failure(404, 'NAME_UNKNOWN', 'repository name not known to registry', original.rule, original.reason);
      } catch (error) {
        if (!(error instanceof WireFailure)) throw error;
        context.noteRefusal(error.rule, error.reason);
        reported = error;
      }
    }
    return jsonResponse(reported.status, reported.body, reported.headers);
  };
}
