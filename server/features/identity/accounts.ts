import { type Caller, isAdministrator, type User } from '../../core/caller.ts';
import { changedAttributes } from '../../core/changes.ts';
import type { Requirement, SentCredential } from '../../http/authentication.ts';
import { forbidden, insufficientScope, invalidToken, NotFound, unauthenticated } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import { storeIfPossible } from '../../store/storageFailure.ts';
import { equalSecrets, hashPassword, hashSecret, verifyPassword } from '../../core/secrets.ts';
import { ALL_SCOPES } from '../../../src/contract/scopes.ts';
import { holderOfEmail } from './emailStore.ts';
import { endPersonalTokenFamily } from './tokens.ts';
import {
  deleteUserRow,
  ghostRow,
  hasAnyPassword,
  hasOtherAdministrator,
  hasOtherUser,
  insertPersonalToken,
  insertUser,
  isUsernameTaken,
  markActivity,
  markGhost,
  markSignIn,
  markTokenUsed,
  namespaceIdOfUser,
  type PersonalTokenRow,
  personalTokenByHash,
  revokePersonalTokens,
  setPasswordHash,
  setUserState,
  type UserValues,
  userByEmail,
  userById,
  userByUsername,
  writeUser,
} from './store.ts';

/** Returns true if the caller can see the activity and projects of a user. A private profile hides them from other users. */
export function isProfileShown(user: User, caller: Caller | undefined): boolean {
  return user.private_profile === 0 || caller?.user.id === user.id || caller?.user.admin === 1;
}

const EXPIRED = 'Token is expired. You can either do re-authorization or token refresh.';
const REVOKED = 'Token was revoked. You have to re-authorize from the user.';
/** Minimum time between two updates of the time of last use, in milliseconds; saves writes for frequent requests. */
const USE_RESOLUTION = 60_000;

/** An OAuth token of a user, or of an application itself. */
export interface OAuthToken {
  readonly id: number;
  /** Null for a token of an application itself. */
  readonly user_id: number | null;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

/**
 * Authenticates the user of a credential. `oauth` is the OAuth token that it is; undefined if it can only be a personal access token.
 *
 * @throws {DomainError} For an unknown, expired or revoked token, then for missing scopes, then for blocked and deactivated users
 *   (docs/interface.md#request-credentials).
 */
export function authenticate(
  core: Core,
  sent: SentCredential,
  requirement: Requirement,
  { now, baseUrl }: { readonly now: number; readonly baseUrl: string },
  oauth: OAuthToken | undefined,
): Caller {
  const personal = oauth === undefined ? personalTokenByHash(core.store, hashSecret(sent.token)) : undefined;
  const token = oauth ?? personal;
  if (token === undefined) throw unauthenticated('the token is unknown', 'credentials.known');
  if (token.expires_at !== null && token.expires_at <= now) throw invalidToken(EXPIRED, 'the token has expired');
  if (token.revoked_at !== null) {
    if (requirement.rotates !== true || personal === undefined) throw invalidToken(REVOKED, 'the token was revoked');
    // Two parties hold a copy of the rotated token, and it is unknown which of them stole it.
    endPersonalTokenFamily(core, personal.family, now);
    throw invalidToken(REVOKED, 'the token was already rotated; all tokens that replaced it are now revoked, too');
  }
  const scopes = token.scopes.split(' ');
  if (!requirement.scopes.some((scope) => scopes.includes(scope))) throw insufficientScope(requirement.said, scopes);
  const user = token.user_id === null ? undefined : userById(core.store, token.user_id);
  if (user === undefined) throw unauthenticated('the token belongs to an application, not to a user', 'credentials.person');
  demandActive(user, baseUrl);
  recordUse(core, user, personal, now);
  return { user, credential: { kind: oauth === undefined ? 'personal' : 'oauth', tokenId: token.id, scopes } };
}

/**
 * Returns the user of a request that a page sends on behalf of the session of a browser.
 * @throws {Unauthenticated | Forbidden} For a deleted user, and for users who are blocked, banned or deactivated.
 */
export function sessionCaller(core: Core, userId: number, { baseUrl }: { readonly baseUrl: string }): Caller {
  const user = userById(core.store, userId);
  if (user === undefined) throw unauthenticated('the user of the session was deleted', 'credentials.known');
  demandActive(user, baseUrl);
  return { user, credential: { kind: 'session' } };
}

/** Records the last use of a token and its owner. Storage failures are ignored, so that reading works while the disk is full. */
function recordUse({ store }: Core, user: User, personal: PersonalTokenRow | undefined, now: number): void {
  storeIfPossible(() => {
    if (personal !== undefined && (personal.last_used_at === null || Math.abs(now - personal.last_used_at) >= USE_RESOLUTION)) {
      markTokenUsed(store, personal.id, now);
    }
    if (user.last_activity_at === null || Math.abs(now - user.last_activity_at) >= USE_RESOLUTION) {
      markActivity(store, user.id, now);
    }
  });
}

/**
 * Returns the ID of the user a valid token belongs to; undefined if it is invalid or belongs to an application only. `oauth` is the OAuth
 * token that it is, if any.
 */
export function ownerOfToken({ store, clock }: Core, sent: SentCredential, oauth: OAuthToken | undefined): number | undefined {
  const token = oauth ?? personalTokenByHash(store, hashSecret(sent.token));
  if (token === undefined || token.revoked_at !== null) return undefined;
  return token.expires_at !== null && token.expires_at <= clock.now() ? undefined : (token.user_id ?? undefined);
}

/**
 * Returns the user on whose behalf an administrator acts, with the token of the administrator.
 *
 * @throws {DomainError} For other callers and for tokens without the scope `sudo`, then for an unknown user, then for a blocked user
 *   (docs/interface.md#request-credentials).
 */
export function actAs(core: Core, sender: Caller, target: string, baseUrl: string): Caller {
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
  const user = findUserByIdOrName(core, target);
  if (user === undefined) {
    const explanation = { rule: 'sudo.target', reason: 'no user has this ID or username' };
    throw new NotFound(`User with ID or username '${target}'`, false, explanation);
  }
  demandActive(user, baseUrl);
  return { user, credential };
}

/** @throws {Forbidden} For users who are blocked, banned or deactivated (docs/interface.md#request-credentials). */
export function demandActive(user: User, baseUrl: string): void {
  if (isBlocked(user)) throw forbidden('Your account has been blocked.', lockReason(user), 'credentials.active');
  if (user.state !== 'deactivated') return;
  throw forbidden(
    `Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ${baseUrl}`,
    'the account is deactivated; the user can reactivate it by signing in on the web page, or an administrator can activate it',
    'credentials.active',
  );
}

/** Returns true for the ghost user, and for blocked and banned users, who stay locked out until an administrator reinstates them. */
export function isBlocked({ state, is_ghost }: Pick<User, 'state' | 'is_ghost'>): boolean {
  return state === 'blocked' || state === 'banned' || is_ghost === 1;
}

/** Returns why a user is locked out, for messages. */
export function lockReason(user: User): string {
  return user.is_ghost === 1 ? 'the ghost user never signs in' : `the account is ${user.state}`;
}

export function findUser(core: Core, id: number): User | undefined {
  return userById(core.store, id);
}

export function findUserByName(core: Core, username: string): User | undefined {
  return userByUsername(core.store, username);
}

/** Returns the ID of the user who has an email address, as primary or additional one. */
export function emailHolder(core: Core, email: string): number | undefined {
  return holderOfEmail(core.store, email);
}

/** Returns the user with this username or email address. */
export function findUserByLogin(core: Core, login: string): User | undefined {
  return userByUsername(core.store, login) ?? userByEmail(core.store, login);
}

/** Finds a user by ID if the text is a number, otherwise by username. */
export function findUserByIdOrName(core: Core, text: string): User | undefined {
  return /^\d+$/.test(text) ? userById(core.store, Number(text)) : userByUsername(core.store, text);
}

/** Returns true if no user has a password yet. A one-time link for root then offers to set the password of root. */
export function isUnclaimed(core: Core): boolean {
  return !hasAnyPassword(core.store);
}

/** Returns true if there are users besides the first administrator. */
export function hasPeopleBesidesRoot(core: Core): boolean {
  return hasOtherUser(core.store, 1);
}

/** Returns the ID of the namespace that contains the personal projects of a user. */
export function personalNamespaceId(core: Core, user: Pick<User, 'id'>): number {
  const id = namespaceIdOfUser(core.store, user.id);
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
export function createUser(core: Core, user: NewUser): User | UserRefusal {
  const { store } = core;
  return store.transaction(() => {
    if (holderOfEmail(store, user.email) !== undefined) return 'email taken';
    if (isUsernameTaken(store, user.username, 0)) return 'username taken';
    const now = core.clock.now();
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
    core.changes.publish({ kind: 'userCreated', userId: id });
    const created = userById(store, id);
    if (created === undefined) throw new Error('the new user was not stored');
    return created;
  });
}

/**
 * Changes the given attributes of a user. Former usernames and paths of personal projects redirect. Returns a {@link UserRefusal} if the
 * username or email address is taken.
 */
export function updateUser(core: Core, user: User, input: Partial<UserValues>): User | UserRefusal {
  const { store } = core;
  return store.transaction(() => {
    const holder = input.email === undefined ? undefined : holderOfEmail(store, input.email);
    if (holder !== undefined && holder !== user.id) return 'email taken';
    if (input.username !== undefined && isUsernameTaken(store, input.username, user.id)) return 'username taken';
    const changed = { ...user, ...input };
    // A public email address follows the primary one.
    if (input.public_email === undefined && user.public_email === user.email) changed.public_email = changed.email;
    writeUser(store, user.id, changed, core.clock.now());
    const attributes = changedAttributes(reportedAttributes, user, changed);
    if (attributes.length > 0) core.changes.publish({ kind: 'userChanged', userId: user.id, attributes });
    return userById(store, user.id) ?? changed;
  });
}

const reportedAttributes = {
  username: 'username',
  name: 'name',
  email: 'email',
  admin: 'admin',
  external: 'external',
  private_profile: 'private_profile',
} as const;

/** Returns the administrator with ID 1; creates the user if needed, without a password, so that the sign-in form does not accept them. */
export function ensureRoot(core: Core): User {
  const existing = userById(core.store, 1);
  if (existing !== undefined) return existing;
  const root = createUser(core, { username: 'root', name: 'Administrator', email: 'root@signalbox.example', admin: true });
  if (typeof root === 'string') throw new Error(`cannot create the administrator: ${root}`);
  return root;
}

/** Returns the user who is the author of what deleted users contributed. Creates the user if needed. Call in a transaction. */
export function ensureGhost(core: Core): User {
  const { store } = core;
  const existing = ghostRow(store);
  if (existing !== undefined) return existing;
  for (let number = 0; ; number += 1) {
    const username = number === 0 ? 'ghost' : `ghost${number}`;
    const made = createUser(core, {
      username,
      name: 'Ghost User',
      email: `${username}@signalbox.example`,
      bio: 'Author of issues, merge requests and comments of deleted users. This user cannot be deleted.',
    });
    if (typeof made === 'string') continue;
    markGhost(store, made.id);
    return { ...made, is_ghost: 1 };
  }
}

/**
 * Deletes an account with its credentials. Its contributions and projects must be gone already. Call in a transaction.
 */
export function deleteUser(core: Core, { id, name, username }: User): void {
  deleteUserRow(core.store, id);
  core.changes.publish({ kind: 'userRemoved', user: { id, name, username } });
}

/** Returns true if there is no other administrator. */
export function isLastAdministrator(core: Core, user: User): boolean {
  return user.admin === 1 && !hasOtherAdministrator(core.store, user.id);
}

const ADMIN_TOKEN_NAME = 'Administrator token of this server';

/** Gives root a personal access token with the given value and revokes the admin tokens of earlier starts. */
export function adoptAdminToken(core: Core, token: string): void {
  const root = ensureRoot(core);
  const hash = hashSecret(token);
  const now = core.clock.now();
  core.store.transaction(() => {
    revokePersonalTokens(core.store, root.id, ADMIN_TOKEN_NAME, hash, now);
    if (personalTokenByHash(core.store, hash) !== undefined) return;
    insertPersonalToken(core.store, {
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
export async function setPassword(core: Core, user: User, password: string): Promise<void> {
  storePassword(core, user, await hashPassword(password));
}

/** Stores the hash of a new password. */
export function storePassword(core: Core, user: User, hash: string): void {
  core.store.transaction(() => {
    setPasswordHash(core.store, user.id, hash, core.clock.now());
    core.changes.publish({ kind: 'passwordChanged', userId: user.id });
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
export async function checkPassword(core: Core, login: string, password: string): Promise<User | undefined> {
  const user = findUserByLogin(core, login);
  const isCorrect = await verifyPassword(password, user?.password_hash ?? null);
  // The user can be changed or deleted while the hash is computed.
  const current = isCorrect && user !== undefined ? userById(core.store, user.id) : undefined;
  return current === undefined || isBlocked(current) ? undefined : current;
}

/** Records a sign-in on a page, which reactivates a deactivated account as on GitLab. */
export function recordSignIn(core: Core, user: User): void {
  const now = core.clock.now();
  if (user.state === 'deactivated') setUserState(core.store, user.id, 'active', now);
  markSignIn(core.store, user.id, now);
}

/** Returns true if a text is the admin token of this server. */
export function isAdminToken(core: { readonly adminTokenHash: string | null }, token: string): boolean {
  return core.adminTokenHash !== null && equalSecrets(hashSecret(token), core.adminTokenHash);
}
