import { randomBytes, randomUUID } from 'node:crypto';
import * as z from 'zod';
import { SECOND } from '../clock.ts';
import type { Caller } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';

/** Service name of the registry in challenges and tokens. */
export const SERVICE = 'container_registry';
/** Lifetime of a token, in seconds. */
const LIFETIME = 300;

/** Signing keys, generated at each start: tokens only live for minutes, and clients request new ones anyway. */
const keys = new WeakMap<Platform, Uint8Array>();

function keyOf(platform: Platform): Uint8Array {
  let key = keys.get(platform);
  if (key === undefined) {
    key = randomBytes(32);
    keys.set(platform, key);
  }
  return key;
}

/** Issues a short-lived registry token. It grants no access to repositories: there are no images. */
export async function registryToken(platform: Platform, { user }: Caller, baseUrl: string, now: number): Promise<string> {
  const { SignJWT } = await import('jose');
  const issuedAt = Math.floor(now / SECOND);
  const claims = { iss: baseUrl, aud: SERVICE, sub: user.username, iat: issuedAt, exp: issuedAt + LIFETIME, jti: randomUUID() };
  return new SignJWT({ ...claims, access: [] }).setProtectedHeader({ typ: 'JWT', alg: 'HS256' }).sign(keyOf(platform));
}

const held = () => z.object({ aud: z.literal(SERVICE), exp: z.number() });

/** Returns true if the token was issued by this server for its registry and has not expired. */
export async function opensRegistry(platform: Platform, token: string, now: number): Promise<boolean> {
  const { compactVerify, errors } = await import('jose');
  try {
    const { payload } = await compactVerify(token, keyOf(platform), { algorithms: ['HS256'] });
    const claims: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    return held().parse(claims).exp > now / SECOND;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
