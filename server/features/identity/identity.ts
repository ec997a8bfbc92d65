import { changedAttributes } from '../../core/changes.ts';
import type { SentCredential } from '../../http/credentials.ts';
import { forbidden, insufficientScope, invalidToken, sudoTargetNotFound, unauthorized } from '../../http/failures.ts';
import type { Platform } from '../../platform.ts';
import { storeIfPossible } from '../../store/storageFailure.ts';
import { equalSecrets, hashPassword, hashSecret, numberInSecret, verifyPassword } from '../../core/secrets.ts';
import { ALL_SCOPES } from '../../../src/contract/scopes.ts';
import { endPersonalTokenFamily } from './tokens.ts';
import {
  hasAnyPassword,
  hasOtherUser,
  holderOfEmail,
  insertPersonalToken,
  insertUser,
  insertUserNamespace,
  markActivity,
  markSignIn,
  markTokenUsed,
  namespaceIdOfUser,
  oauthTokenByHash,
  type PersonalTokenRow,
  personalTokenByHash,
  revokePersonalTokens,
  setPasswordHash,
  setUserState,
  type UserRow,
  type UserValues,
  userByEmail,
  userById,
  userByUsername,
  writeUser,
} from './store.ts';

export { userBasic, userBasicMembers, userPrivate, userProfile } from './responses.ts';
export { isEmail, isReservedName, isUsername, lengthErrors } from './names.ts';
export { peopleOf } from './people.ts';
export { presentUserBasic, presentUserPrivate, presentUserProfile } from './present.ts';
export { chosenScopes, scopeBadges, scopeBoxes, scopeList } from './scopes.ts';
export { isKnownToken, issuePersonalToken, tokenErrors } from './tokens.ts';

export type User = UserRow;

/** An authenticated user with the credential of the request. */
export interface Caller {
  readonly user: User;
  /** `session` stands for the cookie of a browser, on pages. */
  readonly credential:
    | { readonly kind: 'personal'; readonly tokenId: number; readonly scopes: readonly string[] }
    | { readonly kind: 'oauth'; readonly tokenId: number; readonly scopes: readonly string[] }
    /** A token of a running job, which only reaches some projects. */
    | { readonly kind: 'job'; readonly jobId: number; readonly projectId: number; readonly scopes: readonly string[] }
    | { readonly kind: 'session' };
}

/** Returns the scopes of a token of the user; undefined for the session of a browser and the token of a job. */
export function ownScopesOf({ credential }: Caller): readonly string[] | undefined {
  return credential.kind === 'personal' || credential.kind === 'oauth' ? credential.scopes : undefined;
}

/** Scopes of which a token needs one; `said` are those that a refusal names. */
export interface Requirement {
  readonly scopes: readonly string[];
  readonly said: readonly string[];
  /**
   * True if the request rotates the token. Using a token that was already rotated then revokes its whole family
   * (docs/interface.md#personal-access-tokens).
   */
  readonly rotates?: boolean;
}

/** Returns true if the caller can see the activity and projects of a user. A private profile hides them from other users. */
export function isProfileShown(user: User, caller: Caller | undefined): boolean {
  return user.private_profile === 0 || caller?.user.id === user.id || caller?.user.admin === 1;
}

/** Returns true if the caller is an administrator; tokens always carry the rights of their user. */
export function isAdministrator(caller: Caller): boolean {
  return caller.user.admin === 1;
}

const EXPIRED = 'Token is expired. You can either do re-authorization or token refresh.';
const REVOKED = 'Token was revoked. You have to re-authorize from the user.';
/** Minimum time between two updates of the time of last use, in milliseconds; saves writes for frequent requests. */
const USE_RESOLUTION = 60_000;

/**
 * Authenticates the user of a credential.
 *
 * @throws 401 for an unknown, expired or revoked token, then 403 for missing scopes, then 403 for blocked and deactivated users
 *   (docs/interface.md#request-credentials).
 */
export function authenticate(
  platform: Platform,
  sent: SentCredential,
  requirement: Requirement,
  { now, baseUrl }: { readonly now: number; readonly baseUrl: string },
): Caller {
  const hash = hashSecret(sent.token);
  const oauth = sent.kind === 'any' ? oauthTokenByHash(platform.store, hash, numberInSecret(sent.token)) : undefined;
  const personal = oauth === undefined ? personalTokenByHash(platform.store, hash) : undefined;
  const token = oauth ?? personal;
  if (token === undefined) throw unauthorized('the token is unknown', 'credentials.known');
  if (token.expires_at !== null && token.expires_at <= now) throw invalidToken(EXPIRED, 'the token has expired');
  if (token.revoked_at !== null) {
    if (requirement.rotates !== true || personal === undefined) throw invalidToken(REVOKED, 'the token was revoked');
    // Two parties hold a copy of the rotated token, and it is unknown which of them stole it.
    endPersonalTokenFamily(platform, personal.family, now);
    throw invalidToken(REVOKED, 'the token was already rotated; all tokens that replaced it are now revoked, too');
  }
  const scopes = token.scopes.split(' ');
  if (!requirement.scopes.some((scope) => scopes.includes(scope))) throw insufficientScope(requirement.said, scopes);
  const user = token.user_id === null ? undefined : userById(platform.store, token.user_id);
  if (user === undefined) throw unauthorized('the token belongs to an application, not to a user', 'credentials.person');
  demandActive(user, baseUrl);
  recordUse(platform, user, personal, now);
  return { user, credential: { kind: oauth === undefined ? 'personal' : 'oauth', tokenId: token.id, scopes } };
}

/** Records the last use of a token and its owner. Storage failures are ignored, so that reading works while the disk is full. */
function recordUse({ store }: Platform, user: User, personal: PersonalTokenRow | undefined, now: number): void {
  storeIfPossible(() => {
    if (personal !== undefined && (personal.last_used_at === null || Math.abs(now - personal.last_used_at) >= USE_RESOLUTION)) {
      markTokenUsed(store, personal.id, now);
    }
    if (user.last_activity_at === null || Math.abs(now - user.last_activity_at) >= USE_RESOLUTION) {
      markActivity(store, user.id, now);
    }
  });
}

/** Returns the ID of the user a valid token belongs to; undefined if it is invalid or belongs to an application only. */
export function ownerOfToken({ store, clock }: Platform, sent: SentCredential): number | undefined {
  const hash = hashSecret(sent.token);
  const oauth = sent.kind === 'any' ? oauthTokenByHash(store, hash, numberInSecret(sent.token)) : undefined;
  const token = oauth ?? personalTokenByHash(store, hash);
  if (token === undefined || token.revoked_at !== null) return undefined;
  return token.expires_at !== null && token.expires_at <= clock.now() ? undefined : (token.user_id ?? undefined);
}

/**
 * Returns the user on whose behalf an administrator acts, with the token of the administrator.
 *
 * @throws 403 for other callers and for tokens without the scope `sudo`, then 404 for an unknown user, then 403 for a blocked user
 *   (docs/interface.md#request-credentials).
 */
export function actAs(platform: Platform, sender: Caller, target: string, baseUrl: string): Caller {
  if (!isAdministrator(sender))
    throw forbidden('Must be admin to use sudo', 'only administrators can act as other users', 'sudo.administrator');
  const { credential } = sender;
  if (credential.kind === 'session') {
    throw forbidden(
      'Must be authenticated using an OAuth or personal access token to use sudo',
      'a browser session cannot be used with sudo; use a token',
      'sudo.token',
    );
  }
  if (!credential.scopes.includes('sudo')) throw insufficientScope(['sudo'], credential.scopes);
  const user = findUserByIdOrName(platform, target);
  if (user === undefined) throw sudoTargetNotFound(target);
  demandActive(user, baseUrl);
  return { user, credential };
}

/** @throws 403 for users who are blocked, banned or deactivated (docs/interface.md#request-credentials). */
export function demandActive(user: User, baseUrl: string): void {
  if (isBlocked(user)) throw forbidden('Your account has been blocked.', `the account is ${user.state}`, 'credentials.active');
  if (user.state !== 'deactivated') return;
  throw forbidden(
    `Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ${baseUrl}`,
    'the account is deactivated; the user can reactivate it by signing in on the web page, or an administrator can activate it',
    'credentials.active',
  );
}

/** Returns true for blocked and banned users, who stay locked out until an administrator reinstates them. */
export function isBlocked({ state }: Pick<User, 'state'>): boolean {
  return state === 'blocked' || state === 'banned';
}

export function findUser(platform: Platform, id: number): User | undefined {
  return userById(platform.store, id);
}

export function findUserByName(platform: Platform, username: string): User | undefined {
  return userByUsername(platform.store, username);
}

/** Returns the ID of the user who has an email address, as primary or additional one. */
export function emailHolder(platform: Platform, email: string): number | undefined {
  return holderOfEmail(platform.store, email);
}

/** Returns the user with this username or email address. */
export function findUserByLogin(platform: Platform, login: string): User | undefined {
  return userByUsername(platform.store, login) ?? userByEmail(platform.store, login);
}

/** Finds a user by ID if the text is a number, otherwise by username. */
export function findUserByIdOrName(platform: Platform, text: string): User | undefined {
  return /^\d+$/.test(text) ? userById(platform.store, Number(text)) : userByUsername(platform.store, text);
}

/** Returns true if no user has a password yet. A one-time link for root then offers to set the password of root. */
export function isUnclaimed(platform: Platform): boolean {
  return !hasAnyPassword(platform.store);
}

/** Returns true if there are users besides the first administrator. */
export function hasPeopleBesidesRoot(platform: Platform): boolean {
  return hasOtherUser(platform.store, 1);
}

/** Returns the ID of the namespace that contains the personal projects of a user. */
export function personalNamespaceId(platform: Platform, user: User): number {
  const id = namespaceIdOfUser(platform.store, user.id);
  if (id === undefined) throw new Error(`user ${user.id} has no namespace`);
  return id;
}

export interface NewUser {
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly admin?: boolean;
  readonly external?: boolean;
  readonly privateProfile?: boolean;
  readonly bio?: string;
  readonly passwordHash?: string | null;
}

export type UserRefusal = 'username taken' | 'email taken';

/** Creates a user and their namespace. Returns a {@link UserRefusal} if the username or email address is taken. */
export function createUser(platform: Platform, user: NewUser): User | UserRefusal {
  const { store } = platform;
  return store.transaction(() => {
    if (holderOfEmail(store, user.email) !== undefined) return 'email taken';
    const isTaken = store.get('SELECT 1 FROM namespaces WHERE full_path = $path', { path: user.username }) !== undefined;
    if (isTaken || userByUsername(store, user.username) !== undefined) return 'username taken';
    const now = platform.clock.now();
    const id = insertUser(store, {
      username: user.username,
      name: user.name,
      email: user.email,
      password_hash: user.passwordHash ?? null,
      admin: user.admin === true ? 1 : 0,
      external: user.external === true ? 1 : 0,
      private_profile: user.privateProfile === true ? 1 : 0,
      bio: user.bio ?? '',
      now,
    });
    insertUserNamespace(store, { id, username: user.username, name: user.name, now });
    platform.changes.publish({ kind: 'userCreated', userId: id });
    const created = userById(store, id);
    if (created === undefined) throw new Error('the new user was not stored');
    return created;
  });
}

/** Changes the given attributes of a user. Returns `email taken` if another user has the email address. */
export function updateUser(platform: Platform, user: User, input: Partial<UserValues>): User | UserRefusal {
  const { store } = platform;
  return store.transaction(() => {
    const holder = input.email === undefined ? undefined : holderOfEmail(store, input.email);
    if (holder !== undefined && holder !== user.id) return 'email taken';
    const changed = { ...user, ...input };
    // A public email address follows the primary one.
    if (input.public_email === undefined && user.public_email === user.email) changed.public_email = changed.email;
    writeUser(store, user.id, changed, platform.clock.now());
    const attributes = changedAttributes(reportedAttributes, user, changed);
    if (attributes.length > 0) platform.changes.publish({ kind: 'userChanged', userId: user.id, attributes });
    return userById(store, user.id) ?? changed;
  });
}

const reportedAttributes = {
  name: 'name',
  email: 'email',
  admin: 'admin',
  external: 'external',
  private_profile: 'private_profile',
} as const;

/** Returns the administrator with ID 1; creates the user if needed, without a password, so that the sign-in form does not accept them. */
export function ensureRoot(platform: Platform): User {
  const existing = userById(platform.store, 1);
  if (existing !== undefined) return existing;
  const root = createUser(platform, { username: 'root', name: 'Administrator', email: 'root@signalbox.example', admin: true });
  if (typeof root === 'string') throw new Error(`cannot create the administrator: ${root}`);
  return root;
}

const ADMIN_TOKEN_NAME = 'Administrator token of this server';

/** Gives root a personal access token with the given value and revokes the admin tokens of earlier starts. */
export function adoptAdminToken(platform: Platform, token: string): void {
  const root = ensureRoot(platform);
  const hash = hashSecret(token);
  const now = platform.clock.now();
  platform.store.transaction(() => {
    revokePersonalTokens(platform.store, root.id, ADMIN_TOKEN_NAME, hash, now);
    if (personalTokenByHash(platform.store, hash) !== undefined) return;
    insertPersonalToken(platform.store, {
      userId: root.id,
      family: null,
      name: ADMIN_TOKEN_NAME,
      description: null,
      hash,
      scopes: ALL_SCOPES.join(' '),
      now,
      expiresAt: null,
    });
  });
}

/** Sets a password. The caller must check it with {@link passwordProblem}. */
export async function setPassword(platform: Platform, user: User, password: string): Promise<void> {
  const hash = await hashPassword(password);
  platform.store.transaction(() => {
    setPasswordHash(platform.store, user.id, hash, platform.clock.now());
    platform.changes.publish({ kind: 'passwordChanged', userId: user.id });
  });
}

export function passwordProblem(password: string): string | undefined {
  if (password.length < 8) return 'is too short (minimum is 8 characters)';
  return password.length > 128 ? 'is too long (maximum is 128 characters)' : undefined;
}

/**
 * Returns the user with this login (username or email address) and password, unless they are blocked; deactivated users are included.
 * Always computes one hash, so that the response time does not reveal whether the user exists.
 */
export async function checkPassword(platform: Platform, login: string, password: string): Promise<User | undefined> {
  const user = findUserByLogin(platform, login);
  const isCorrect = await verifyPassword(password, user?.password_hash ?? null);
  return isCorrect && user !== undefined && !isBlocked(user) ? user : undefined;
}

/** Records a sign-in on a page, which reactivates a deactivated account as on GitLab. */
export function recordSignIn(platform: Platform, user: User): void {
  const now = platform.clock.now();
  if (user.state === 'deactivated') setUserState(platform.store, user.id, 'active', now);
  markSignIn(platform.store, user.id, now);
}

/** Returns true if a text is the admin token of this server. */
export function isAdminToken(platform: Platform, token: string): boolean {
  return platform.adminTokenHash !== null && equalSecrets(hashSecret(token), platform.adminTokenHash);
}
