import { type Refusal, WireFailure } from '../../http/wireFailure.ts';
import type { RequestContext } from '../../http/requestContext.ts';
import type { Service } from './tokens.ts';

/** Version header of the protocol, sent with every response of the registry and of the dependency proxy. */
export const VERSION = { 'Docker-Distribution-Api-Version': 'registry/2.0' } as const;

/** Returns a failure in the format of the distribution specification. */
export function registryFailure(
  status: number,
  code: string,
  message: string,
  rule: string,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): WireFailure {
  return new WireFailure(status, { errors: [{ code, message, detail: null }] }, { rule, reason }, { ...VERSION, ...headers });
}

/** Returns true for a failure in the format of the distribution specification. */
export function isRegistryFailure(refusal: Refusal): boolean {
  if (!(refusal instanceof WireFailure)) return false;
  const { body } = refusal;
  return typeof body === 'object' && body !== null && 'errors' in body;
}

/** Returns the 401 that sends clients to the token endpoint. */
export function tokenChallenge({ baseUrl }: Pick<RequestContext, 'baseUrl'>, service: Service, reason: string): WireFailure {
  return registryFailure(401, 'UNAUTHORIZED', 'authentication required', 'registry.token', reason, {
    'WWW-Authenticate': `Bearer realm="${baseUrl}/jwt/auth",service="${service}"`,
  });
}
