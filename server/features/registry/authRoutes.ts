import * as z from 'zod';
import { type ResponseSchema, named } from '../../http/responses.ts';
import { bearerOf } from '../../http/credentials.ts';
import { type HttpResponse, type RequestContext, jsonResponse } from '../../http/requestContext.ts';
import { isDomainError, Unauthenticated } from '../../core/errors.ts';
import { plainRefusal } from '../../http/refusal.ts';
import { statusOf } from '../../http/refusalStatus.ts';
import { type Refusal, WireFailure } from '../../http/wireFailure.ts';
import { oneOf, type ParameterSet } from '../../http/params.ts';
import type { Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import { authenticate } from '../authentication/authentication.ts';
import type { Core } from '../../core/core.ts';
import { isRegistryFailure, registryFailure, tokenChallenge, VERSION } from './failures.ts';
import { claimsOf, issueServiceToken, type Service } from './tokens.ts';

const services: readonly Service[] = ['container_registry', 'dependency_proxy'];
/** Scopes of personal access tokens that can request a registry token. */
const SCOPES = ['read_registry', 'write_registry', 'api'];

/** Sign-in of the dependency proxy, which the application passes on. */
export interface ProxySignIn {
  /** True if the dependency proxy can pull images. */
  readonly hasUpstream: boolean;
  /**
   * Returns a token of the dependency proxy for the credentials of a request.
   *
   * @throws {WireFailure} 401 for wrong credentials, 403 for none and for insufficient scopes.
   */
  issueToken(context: RequestContext): Promise<string>;
}

const nothing = named('RegistryVersion', () => z.strictObject({}));
const tokenResponse = named('RegistryToken', () => z.strictObject({ token: z.string() }));

const createTokenParameters = () => ({ service: oneOf(services)() });

/**
 * The authentication of the container registry and of the dependency proxy (distribution specification, token authentication):
 * `/v2/` sends clients to `/jwt/auth`, which exchanges credentials for a token of the service. The container registry takes
 * personal access tokens, not OAuth tokens (docs/interface.md#container-registry), and has no images.
 */
export function registryAuthRoutes(core: Core, proxy: ProxySignIn): Route[] {
  return [
    registryRoute({ path: '/v2', status: 'stated', role: 'token', body: nothing }, (context) =>
      showVersion(core, proxy, context),
    ),
    registryRoute(
      { path: '/jwt/auth', status: 'inferred', role: 'user', params: createTokenParameters, body: tokenResponse },
      (context) => createToken(core, proxy, context),
    ),
  ];
}

function registryRoute(
  metadata: Pick<Route, 'path' | 'status' | 'role'> & { readonly params?: () => ParameterSet; readonly body: ResponseSchema },
  handle: (context: RequestContext) => Promise<HttpResponse>,
): Route {
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
}

async function showVersion(core: Core, proxy: ProxySignIn, context: RequestContext): Promise<HttpResponse> {
  await demandRegistryToken(core, proxy, context);
  return jsonResponse(200, {}, VERSION);
}

async function createToken(core: Core, proxy: ProxySignIn, context: RequestContext): Promise<HttpResponse> {
  const service = new URLSearchParams(context.query).get('service');
  if (service === 'dependency_proxy') {
    return jsonResponse(200, { token: await proxy.issueToken(context) });
  }
  if (service !== 'container_registry') {
    const reason = `the service must be ${services.join(' or ')}`;
    throw registryFailure(404, 'NAME_UNKNOWN', 'no such service', 'registry.service', reason);
  }
  const { user } = callerOf(core, context);
  context.noteUser(user.username);
  // The token grants no access to repositories: there are no images.
  const content = { subject: user.username, claims: { access: [] } };
  return jsonResponse(200, { token: await issueServiceToken(core, service, content, context) });
}

/**
 * Returns the caller whose personal access token was sent as the password. Throws 401 for an invalid token, and 403 for one
 * without the scope or without credentials.
 */
function callerOf(core: Core, { headers, baseUrl, now }: RequestContext): Caller {
  const encoded = /^basic +([A-Za-z0-9+/_-]+=*)\s*$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) {
    throw registryFailure(
      403,
      'DENIED',
      'access forbidden',
      'registry.credentials',
      'send a personal access token as the password',
    );
  }
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const token = text.slice(text.indexOf(':') + 1);
  try {
    return authenticate(core, { token, kind: 'personal' }, { scopes: SCOPES, said: SCOPES }, { baseUrl, now }, undefined);
  } catch (error) {
    if (!isDomainError(error)) throw error;
    const { rule, reason } = error;
    if (!(error instanceof Unauthenticated)) throw registryFailure(403, 'DENIED', 'access forbidden', rule, reason);
    const text = 'HTTP Basic: Access denied. A personal access token with the scope read_registry or write_registry is needed.';
    throw registryFailure(401, 'UNAUTHORIZED', text, rule, `${reason}; OAuth tokens are not accepted here`);
  }
}

/**
 * Throws the 401 with the challenge that sends clients to the token endpoint. The challenge names the dependency proxy if it can pull images,
 * because clients ask for one token for an address, and the container registry has no images.
 */
async function demandRegistryToken(core: Core, { hasUpstream }: ProxySignIn, context: RequestContext): Promise<void> {
  const token = bearerOf(context.headers.authorization);
  for (const service of services) {
    if (token !== undefined && (await claimsOf(core, service, token, context.now)) !== undefined) return;
  }
  throw tokenChallenge(
    context,
    hasUpstream ? 'dependency_proxy' : 'container_registry',
    'the registry accepts only tokens from /jwt/auth, not OAuth or personal access tokens',
  );
}

/** Formats refusals for the registry. Unauthenticated clients get the same response for existing and missing paths. */
export function registryRefusal(
  core: Core,
  proxy: ProxySignIn,
): (original: Refusal, context: RequestContext) => Promise<HttpResponse> {
  return async (original, context) => {
    let reported = original;
    if (statusOf(original) === 404 && !isRegistryFailure(original) && /^\/v2(?:\/|$)/.test(context.path)) {
      try {
        await demandRegistryToken(core, proxy, context);
        reported = registryFailure(404, 'NAME_UNKNOWN', 'repository name not known to registry', original.rule, original.reason);
      } catch (error) {
        if (!(error instanceof WireFailure)) throw error;
        context.noteRefusal(error.rule, error.reason);
        reported = error;
      }
    }
    return plainRefusal(reported);
  };
}
