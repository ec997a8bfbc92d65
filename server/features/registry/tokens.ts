import { randomBytes, randomUUID } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../../src/contract/json.ts';
import { SECOND } from '../../core/clock.ts';
import type { RequestContext } from '../../http/requestContext.ts';
import type { Core } from '../../core/core.ts';

/** Service for which a token is issued. The token names it as its audience, and challenges name it as their service. */
export type Service = 'container_registry' | 'dependency_proxy';

/** Lifetime of a token, in seconds. */
const LIFETIME = 300;

/** Signing keys, generated at each start: tokens only live for minutes, and clients request new ones anyway. */
const keys = new WeakMap<Core, Uint8Array>();

function keyOf(core: Core): Uint8Array {
  let key = keys.get(core);
  if (key === undefined) {
    key = randomBytes(32);
    keys.set(core, key);
  }
  return key;
}

/** Issues a short-lived token for a service. `subject` is the name of its user or deploy token. */
export async function issueServiceToken(
  core: Core,
  service: Service,
  { subject, claims }: { readonly subject: string; readonly claims: JsonObject },
  { baseUrl, now }: Pick<RequestContext, 'baseUrl' | 'now'>,
): Promise<string> {
  const { SignJWT } = await import('jose');
  const issuedAt = Math.floor(now / SECOND);
  const registered = { iss: baseUrl, aud: service, sub: subject, iat: issuedAt, exp: issuedAt + LIFETIME, jti: randomUUID() };
  return new SignJWT({ ...claims, ...registered }).setProtectedHeader({ typ: 'JWT', alg: 'HS256' }).sign(keyOf(core));
}

/** Returns the claims of a token that this server issued for a service and that has not expired; undefined for every other text. */
export async function claimsOf(core: Core, service: Service, token: string, now: number): Promise<JsonObject | undefined> {
  const { compactVerify, errors } = await import('jose');
  try {
    const { payload } = await compactVerify(token, keyOf(core), { algorithms: ['HS256'] });
    const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    if (!isJsonObject(claims) || claims['aud'] !== service) return undefined;
    return Number(claims['exp']) > now / SECOND ? claims : undefined;
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined;
    throw error;
  }
}
