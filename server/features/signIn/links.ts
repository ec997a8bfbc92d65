import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { HOUR, MINUTE } from '../../core/clock.ts';
import type { User } from '../../core/caller.ts';
import { ensureRoot } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret, randomSecret } from '../../core/secrets.ts';

/** Lifetime of a one-time link. */
const LINK_LIFETIME = 5 * MINUTE;

/** Lifetime of the link that is printed at the start, which may be read later. */
const SET_UP_LIFETIME = HOUR;

export const SET_UP_PAGE = '/users/set_up';

/** Returns true if a text is a path of this server, so that redirects cannot lead to other sites. */
export function isLocalPath(text: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\');
}

/** Creates a one-time link that signs a browser in as a user. Returns undefined if `returnTo` is not a path of this server. */
export function mintSignInLink(
  core: Core,
  user: User,
  returnTo: string,
  lifetime = LINK_LIFETIME,
): { path: string; expiresAt: number } | undefined {
  if (!isLocalPath(returnTo)) return undefined;
  const secret = randomSecret();
  const now = core.clock.now();
  const expiresAt = now + lifetime;
  core.store.run(
    `INSERT INTO sign_in_links (link_hash, user_id, return_to, created_at, expires_at)
     VALUES ($hash, $userId, $returnTo, $now, $expiresAt)`,
    { hash: hashSecret(secret), userId: user.id, returnTo: sealed(returnTo, secret), now, expiresAt },
  );
  return { path: `/users/sign_in_links/${secret}`, expiresAt };
}

/** Creates the link for setting the first password, which signs a browser in as root. Returns its path. */
export function mintSetUpLink(core: Core): string {
  const link = mintSignInLink(core, ensureRoot(core), SET_UP_PAGE, SET_UP_LIFETIME);
  if (link === undefined) throw new Error('the setup page is not a path of this server');
  return link.path;
}

/** Revokes all unused links of a user. */
export function dropSignInLinks({ store }: Core, userId: number): void {
  store.run('DELETE FROM sign_in_links WHERE user_id = $userId', { userId });
}

/** Uses up a link. Returns its user and target, or undefined if the link is unknown, used or expired. */
export function spendSignInLink(core: Core, secret: string): { userId: number; returnTo: string } | undefined {
  const row = core.store.get<{ user_id: number; return_to: string }>(
    'DELETE FROM sign_in_links WHERE link_hash = $hash AND expires_at > $now RETURNING user_id, return_to',
    { hash: hashSecret(secret), now: core.clock.now() },
  );
  return row === undefined ? undefined : { userId: row.user_id, returnTo: opened(row.return_to, secret) };
}

// The target of a link often contains a user code, which must not be stored in plain text. It is encrypted with a key that is derived from
// the secret of the link, of which the database has only the hash. Each key encrypts one text, so the counter can start at zero.
const CIPHER = 'aes-256-ctr';
const COUNTER = Buffer.alloc(16);

function sealed(text: string, secret: string): string {
  const cipher = createCipheriv(CIPHER, keyOf(secret), COUNTER);
  return Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]).toString('base64url');
}

function opened(text: string, secret: string): string {
  const decipher = createDecipheriv(CIPHER, keyOf(secret), COUNTER);
  return Buffer.concat([decipher.update(text, 'base64url'), decipher.final()]).toString('utf8');
}

function keyOf(secret: string): Buffer {
  return createHash('sha256').update(`return_to ${secret}`).digest();
}
