import { createHmac, randomBytes } from 'node:crypto';
import { DAY, MINUTE } from '../clock.ts';
import type { RequestContext } from '../http/requestContext.ts';
import { type Caller, findUser, isBlocked, recordSignIn, type User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { equalSecrets, hashSecret, randomSecret } from '../secrets.ts';
import { storageFailureOf } from '../store/storageFailure.ts';

/** How long a person stays signed in on a browser. */
const SIGNED_IN_LIFETIME = 14 * DAY;
/** How long a form shown to nobody in particular can be sent. */
const ANONYMOUS_LIFETIME = DAY;
/** How long after the password the second factor can be shown. */
const HALF_LIFETIME = 10 * MINUTE;

/**
 * The browser session of one request: an opaque token in a cookie, of which only the hash is stored. Obeys the platform's clock.
 */
export interface BrowserSession {
  /** Whoever is signed in, and neither blocked nor deactivated. */
  readonly caller: Caller | undefined;
  /** When this browser's person signed in; undefined while nobody is. */
  readonly signedInAt: number | undefined;
  /** Whose password was right here a moment ago, and who has yet to show their second factor. */
  readonly halfSignedIn: User | undefined;
  /** What a form must send back. Makes an anonymous session when the browser has none. */
  formToken(): string;
  /** Whether a form sent back the token of this browser's session. */
  isFormToken(text: string): boolean;
  /** Gives the browser a new session of this person; the old one ends. */
  signIn(user: User): void;
  /** Gives the browser a new session that waits for the second factor of this person; the old one ends. */
  beginSignIn(user: User): void;
  signOut(): void;
  /** `Set-Cookie` values for the answer. */
  cookies(): readonly string[];
}

/** Name of the cookie. Cookies know no ports, so servers side by side on one machine need names of their own. */
export function sessionCookieName(platform: Platform): string {
  return `_signalbox_session_${platform.instanceId.slice(0, 8)}`;
}

/** Reads the session a request came with. Nothing is written until a form is shown or somebody signs in. */
export function openSession(platform: Platform, context: RequestContext): BrowserSession {
  const { store, clock } = platform;
  const name = sessionCookieName(platform);
  const sent = cookieOf(name, context.headers.cookie);
  let secret = sent !== undefined && isAlive(platform, sent) ? sent : undefined;
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
      return secret === undefined ? undefined : callerOf(platform, secret);
    },
    get signedInAt() {
      return secret === undefined ? undefined : signInTimeOf(platform, secret);
    },
    get halfSignedIn() {
      return secret === undefined ? undefined : halfSignedInOf(platform, secret);
    },
    formToken: () => formTokenOf(secret ?? begin()),
    isFormToken: (text) => secret !== undefined && equalSecrets(formTokenOf(secret), text),
    signIn: (user) => {
      store.transaction(() => {
        end();
        begin({ user });
        recordSignIn(platform, user);
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

/** Signs a person out of every browser, also where they have yet to show their second factor. */
export function endSessionsOf({ store }: Platform, userId: number): void {
  store.run('DELETE FROM web_sessions WHERE user_id = $userId OR half_user_id = $userId', { userId });
}

/**
 * Key of anonymous sessions that the database has no room for: a form is shown all the same, and can be sent while this process lives. Such
 * a session is recognised by its own secret and is nobody's.
 */
const unstoredKey = randomBytes(32);

function unstoredSecret(): string {
  const id = randomBytes(16).toString('hex');
  return `${id}${unstoredTag(id)}`;
}

function unstoredTag(id: string): string {
  return createHmac('sha256', unstoredKey).update(id).digest('hex').slice(0, 32);
}

function isAlive(platform: Platform, secret: string): boolean {
  const id = secret.slice(0, 32);
  return (
    equalSecrets(secret, `${id}${unstoredTag(id)}`) ||
    platform.store.get('SELECT 1 FROM web_sessions WHERE session_hash = $hash AND expires_at > $now', {
      hash: hashSecret(secret),
      now: platform.clock.now(),
    }) !== undefined
  );
}

function callerOf(platform: Platform, secret: string): Caller | undefined {
  const row = platform.store.get<{ user_id: number | null }>(
    'SELECT user_id FROM web_sessions WHERE session_hash = $hash AND expires_at > $now',
    { hash: hashSecret(secret), now: platform.clock.now() },
  );
  const user = row === undefined || row.user_id === null ? undefined : findUser(platform, row.user_id);
  return user?.state === 'active' ? { user, credential: { kind: 'session' } } : undefined;
}

function halfSignedInOf(platform: Platform, secret: string): User | undefined {
  const row = platform.store.get<{ half_user_id: number }>(
    'SELECT half_user_id FROM web_sessions WHERE session_hash = $hash AND half_until > $now',
    { hash: hashSecret(secret), now: platform.clock.now() },
  );
  const user = row === undefined ? undefined : findUser(platform, row.half_user_id);
  return user === undefined || isBlocked(user) ? undefined : user;
}

function signInTimeOf({ store, clock }: Platform, secret: string): number | undefined {
  return store.get<{ created_at: number }>(
    'SELECT created_at FROM web_sessions WHERE session_hash = $hash AND expires_at > $now AND user_id IS NOT NULL',
    { hash: hashSecret(secret), now: clock.now() },
  )?.created_at;
}

/** Derived from the session, so that it needs no storage and dies with it; it does not reveal the cookie. */
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
