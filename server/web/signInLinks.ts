import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { HOUR, MINUTE } from '../clock.ts';
import { ensureRoot, type User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { hashSecret, randomSecret } from '../secrets.ts';

/** A one-time link lives this long. */
const LINK_LIFETIME = 5 * MINUTE;

/** The link that is printed at the start: people may read it some time later. */
const SET_UP_LIFETIME = HOUR;

export const SET_UP_PAGE = '/users/set_up';

/** Whether a text is a path of this server, so that no redirect leads elsewhere. */
export function isLocalPath(text: string): boolean {
  return /^\/(?![/\\])[\x21-\x7e]*$/.test(text) && !text.includes('\\');
}

/** Makes a link that signs a browser in as a person, once. Undefined when `returnTo` is no path of this server. */
export function mintSignInLink(
  platform: Platform,
  user: User,
  returnTo: string,
  lifetime = LINK_LIFETIME,
): { path: string; expiresAt: number } | undefined {
  if (!isLocalPath(returnTo)) return undefined;
  const secret = randomSecret();
  const now = platform.clock.now();
  const expiresAt = now + lifetime;
  platform.store.run(
    `INSERT INTO sign_in_links (link_hash, user_id, return_to, created_at, expires_at)
     VALUES ($hash, $userId, $returnTo, $now, $expiresAt)`,
    { hash: hashSecret(secret), userId: user.id, returnTo: sealed(returnTo, secret), now, expiresAt },
  );
  return { path: `/users/sign_in_links/${secret}`, expiresAt };
}

/** Makes the link with which the first password is set; it signs a browser in as root. Returns its path. */
export function mintSetUpLink(platform: Platform): string {
  const link = mintSignInLink(platform, ensureRoot(platform), SET_UP_PAGE, SET_UP_LIFETIME);
  if (link === undefined) throw new Error('the set-up page has no path of this server');
  return link.path;
}

/** Makes every link of a person that nobody has opened yet useless. */
export function dropSignInLinks({ store }: Platform, userId: number): void {
  store.run('DELETE FROM sign_in_links WHERE user_id = $userId', { userId });
}

/** Spends a link: the person and where to go, or undefined when there is none, it is spent, or too old. */
export function spendSignInLink(platform: Platform, secret: string): { userId: number; returnTo: string } | undefined {
  const row = platform.store.get<{ user_id: number; return_to: string }>(
    'DELETE FROM sign_in_links WHERE link_hash = $hash AND expires_at > $now RETURNING user_id, return_to',
    { hash: hashSecret(secret), now: platform.clock.now() },
  );
  return row === undefined ? undefined : { userId: row.user_id, returnTo: opened(row.return_to, secret) };
}

// Where a link leads often holds a user code, which is stored nowhere in clear. Only the link itself can open it: the key is made
// from its secret, of which the database has the hash. A key is used for one text, so the counter may begin at zero.
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
