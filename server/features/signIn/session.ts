import { createHmac, randomBytes } from 'node:crypto';
import { DAY, MINUTE } from '../../core/clock.ts';
import type { AuthenticatedRequest, BrowserSession } from '../../http/authentication.ts';
import type { Caller, User } from '../../core/caller.ts';
import { findUser, recordSignIn } from '../users/users.ts';
import { isBlocked } from '../accountRules/accountRules.ts';
import type { Core } from '../../core/core.ts';
import { equalSecrets, hashSecret, randomSecret } from '../../core/secrets.ts';
import { storageFailureOf } from '../../store/storageFailure.ts';

/** Lifetime of a sign-in. */
const SIGNED_IN_LIFETIME = 14 * DAY;
/** Lifetime of an anonymous session, in which a form can be sent. */
const ANONYMOUS_LIFETIME = DAY;
/** Time to enter the second factor after the password. */
const HALF_LIFETIME = 10 * MINUTE;

/** Returns the name of the cookie. Cookies are shared by all ports, so each server on a machine needs its own name. */
export function sessionCookieName(core: Core): string {
  return `_signalbox_session_${core.instanceId.slice(0, 8)}`;
}

/**
 * Opens the session of a request: an opaque token in a cookie, of which only the hash is stored. Its times are those of the server clock.
 * Nothing is stored until a form is shown or a user signs in.
 */
export function openSession(core: Core, context: Pick<AuthenticatedRequest, 'headers' | 'baseUrl'>): BrowserSession {
  const { store, clock } = core;
  const name = sessionCookieName(core);
  const sent = cookieOf(name, context.headers.cookie);
  let secret = sent !== undefined && isAlive(core, sent) ? sent : undefined;
  let setCookie: string | undefined;

  const begin = ({ user, half }: { readonly user?: User; readonly half?: User } = {}): string => {
    let made = randomSecret();
    const now = clock.now();
    try {
      insert(made, now, user, half);
    } catch (error) {
      if (user !== undefined || half !== undefined || storageFailureOf(error) === undefined) throw error;
      made = unstoredSecret();
    }
    secret = made;
    setCookie = cookie(name, made, context.baseUrl);
    return made;
  };
  const insert = (made: string, now: number, user: User | undefined, half: User | undefined): void => {
    store.run(
      `INSERT INTO web_sessions (session_hash, user_id, half_user_id, half_until, created_at, expires_at)
       VALUES ($hash, $userId, $halfUserId, $halfUntil, $now, $expiresAt)`,
      {
        hash: hashSecret(made),
        userId: user?.id ?? null,
        halfUserId: half?.id ?? null,
        halfUntil: half === undefined ? null : now + HALF_LIFETIME,
        now,
        expiresAt: now + (user === undefined ? ANONYMOUS_LIFETIME : SIGNED_IN_LIFETIME),
      },
    );
  };
  const end = (): void => {
    if (secret !== undefined) store.run('DELETE FROM web_sessions WHERE session_hash = $hash', { hash: hashSecret(secret) });
    secret = undefined;
    setCookie = `${cookie(name, '', context.baseUrl)}; Max-Age=0`;
  };

  return {
    get caller() {
      return secret === undefined ? undefined : callerOf(core, secret);
    },
    get signedInAt() {
      return secret === undefined ? undefined : signInTimeOf(core, secret);
    },
    get halfSignedIn() {
      return secret === undefined ? undefined : halfSignedInOf(core, secret);
    },
    formToken: () => formTokenOf(secret ?? begin()),
    isFormToken: (text) => secret !== undefined && equalSecrets(formTokenOf(secret), text),
    signIn: (user) => {
      store.transaction(() => {
        end();
        begin({ user });
        recordSignIn(core, user);
      });
    },
    beginSignIn: (user) => {
      store.transaction(() => {
        end();
        begin({ half: user });
      });
    },
    signOut: end,
    cookies: () => (setCookie === undefined ? [] : [setCookie]),
  };
}

/** Ends all browser sessions of a user, including those that wait for the second factor. */
export function endSessionsOf({ store }: Core, userId: number): void {
  store.run('DELETE FROM web_sessions WHERE user_id = $userId OR half_user_id = $userId', { userId });
}

/**
 * Key of anonymous sessions that cannot be stored because the disk is full. Forms still work while this process runs. Such a session is
 * recognized by its own secret and belongs to no user.
 */
const unstoredKey = randomBytes(32);

function unstoredSecret(): string {
  const id = randomBytes(16).toString('hex');
  return `${id}${unstoredTag(id)}`;
}

function unstoredTag(id: string): string {
  return createHmac('sha256', unstoredKey).update(id).digest('hex').slice(0, 32);
}

function isAlive(core: Core, secret: string): boolean {
  const id = secret.slice(0, 32);
  return (
    equalSecrets(secret, `${id}${unstoredTag(id)}`) ||
    core.store.get('SELECT 1 FROM web_sessions WHERE session_hash = $hash AND expires_at > $now', {
      hash: hashSecret(secret),
      now: core.clock.now(),
    }) !== undefined
  );
}

function callerOf(core: Core, secret: string): Caller | undefined {
  const row = core.store.get<{ user_id: number | null }>(
    'SELECT user_id FROM web_sessions WHERE session_hash = $hash AND expires_at > $now',
    { hash: hashSecret(secret), now: core.clock.now() },
  );
  const user = row === undefined || row.user_id === null ? undefined : findUser(core, row.user_id);
  return user?.state === 'active' ? { user, credential: { kind: 'session' } } : undefined;
}

function halfSignedInOf(core: Core, secret: string): User | undefined {
  const row = core.store.get<{ half_user_id: number }>(
    'SELECT half_user_id FROM web_sessions WHERE session_hash = $hash AND half_until > $now',
    { hash: hashSecret(secret), now: core.clock.now() },
  );
  const user = row === undefined ? undefined : findUser(core, row.half_user_id);
  return user === undefined || isBlocked(user) ? undefined : user;
}

function signInTimeOf({ store, clock }: Core, secret: string): number | undefined {
  return store.get<{ created_at: number }>(
    'SELECT created_at FROM web_sessions WHERE session_hash = $hash AND expires_at > $now AND user_id IS NOT NULL',
    { hash: hashSecret(secret), now: clock.now() },
  )?.created_at;
}

/** Returns the form token, which is derived from the session: it needs no storage, ends with the session and does not reveal the cookie. */
function formTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('form').digest('base64url');
}

function cookieOf(wanted: string, header: string | undefined): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === wanted && value !== undefined && /^[0-9a-f]{64}$/.test(value)) return value;
  }
  return undefined;
}

function cookie(name: string, value: string, baseUrl: string): string {
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Lax${baseUrl.startsWith('https:') ? '; Secure' : ''}`;
}
