import { changedAttributes } from '../changes.ts';
import type { SentCredential } from '../http/credentials.ts';
import { forbidden, insufficientScope, invalidToken, sudoTargetNotFound, unauthorized } from '../http/failures.ts';
import type { Platform } from '../platform.ts';
import { storeIfPossible } from '../store/storageFailure.ts';
import { equalSecrets, hashPassword, hashSecret, numberInSecret, verifyPassword } from '../secrets.ts';
import { ALL_SCOPES } from './scopes.ts';
import { endPersonalTokenFamily } from './tokens.ts';
import {
  hasAnyPassword,
  hasUserBeside,
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
export { applicationErrors } from './applicationRules.ts';
export { isEmail, isReservedName, isUsername, lengthErrors } from './names.ts';
export { peopleOf } from './people.ts';
export { presentUserBasic, presentUserPrivate, presentUserProfile } from './present.ts';
export { ALL_SCOPES, scopeDescriptions } from './scopes.ts';
export { isKnownToken, issuePersonalToken, tokenErrors } from './tokens.ts';

export type User = UserRow;

/** A person with the credential they came with. */
export interface Caller {
  readonly user: User;
  /** `session` is a browser's cookie, on pages. */
  readonly credential:
    | { readonly kind: 'personal'; readonly tokenId: number; readonly scopes: readonly string[] }
    | { readonly kind: 'oauth'; readonly tokenId: number; readonly scopes: readonly string[] }
    | { readonly kind: 'session' };
}

/** Scopes of which one is needed, and those of them that a refusal names. */
export interface Requirement {
  readonly scopes: readonly string[];
  readonly said: readonly string[];
  /**
   * Whether the request is to replace the token: with one that was replaced before it ends the whole family
   * (docs/interface.md#personal-access-tokens).
   */
  readonly rotates?: boolean;
}

/** A private profile shows what its owner did and has to themselves and to administrators only. */
export function isProfileShown(user: User, caller: Caller | undefined): boolean {
  return user.private_profile === 0 || caller?.user.id === user.id || caller?.user.admin === 1;
}

/** Administrator rights of an OAuth or personal token come with the person. */
export function isAdministrator(caller: Caller): boolean {
  return caller.user.admin === 1;
}

const EXPIRED = 'Token is expired. You can either do re-authorization or token refresh.';
const REVOKED = 'Token was revoked. You have to re-authorize from the user.';
/** How often the time of last use is written: often enough to be true, seldom enough to cost nothing. */
const USE_RESOLUTION = 60_000;

/**
 * Finds the person a credential stands for. Throws 401 for an unknown, expired or revoked token, 403 for missing scopes and for
 * blocked and deactivated people, in that order (docs/interface.md#request-credentials).
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
  if (token === undefined) throw unauthorized('no token has this value', 'credentials.known');
  if (token.expires_at !== null && token.expires_at <= now) throw invalidToken(EXPIRED, 'the token has expired');
  if (token.revoked_at !== null) {
    if (requirement.rotates !== true || personal === undefined) throw invalidToken(REVOKED, 'the token was revoked');
    // Somebody has a copy of a token that was replaced: nobody can tell which of the two is the thief.
    endPersonalTokenFamily(platform, personal.family, now);
    throw invalidToken(REVOKED, 'the token was replaced before; what it was replaced by is revoked now, too');
  }
  const scopes = token.scopes.split(' ');
  if (!requirement.scopes.some((scope) => scopes.includes(scope))) throw insufficientScope(requirement.said, scopes);
  const user = token.user_id === null ? undefined : userById(platform.store, token.user_id);
  if (user === undefined) throw unauthorized('the token belongs to an application and not to a person', 'credentials.person');
  demandActive(user, baseUrl);
  recordUse(platform, user, personal, now);
  return { user, credential: { kind: oauth === undefined ? 'personal' : 'oauth', tokenId: token.id, scopes } };
}

/** Writes when a token and its owner were last seen, where that can be written: a request that only reads needs no room on the disk. */
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

/** The number of whoever a token belongs to, while it is good; undefined for any other one, and for that of an application alone. */
export function ownerOfToken({ store, clock }: Platform, sent: SentCredential): number | undefined {
  const hash = hashSecret(sent.token);
  const oauth = sent.kind === 'any' ? oauthTokenByHash(store, hash, numberInSecret(sent.token)) : undefined;
  const token = oauth ?? personalTokenByHash(store, hash);
  if (token === undefined || token.revoked_at !== null) return undefined;
  return token.expires_at !== null && token.expires_at <= clock.now() ? undefined : (token.user_id ?? undefined);
}

/**
 * The person as whom an administrator acts, with the administrator's token. Throws 403 for others and for a token without the scope
 * `sudo`, 404 for a person who is not there, and 403 for one who is blocked, in that order (docs/interface.md#request-credentials).
 */
export function actAs(platform: Platform, sender: Caller, target: string, baseUrl: string): Caller {
  if (!isAdministrator(sender))
    throw forbidden('Must be admin to use sudo', 'only administrators act as others', 'sudo.administrator');
  const { credential } = sender;
  if (credential.kind === 'session') {
    throw forbidden(
      'Must be authenticated using an OAuth or personal access token to use sudo',
      'a browser’s session does not act as others',
      'sudo.token',
    );
  }
  if (!credential.scopes.includes('sudo')) throw insufficientScope(['sudo'], credential.scopes);
  const user = findUserByIdOrName(platform, target);
  if (user === undefined) throw sudoTargetNotFound(target);
  demandActive(user, baseUrl);
  return { user, credential };
}

/** Throws 403 for a person who may not use the API at present (docs/interface.md#request-credentials). */
function demandActive(user: User, baseUrl: string): void {
  if (isBlocked(user)) throw forbidden('Your account has been blocked.', `the account is ${user.state}`, 'credentials.active');
  if (user.state !== 'deactivated') return;
  throw forbidden(
    `Your account has been deactivated by your administrator. Please log back in from a web browser to reactivate your account at ${baseUrl}`,
    'the account is deactivated; it is active again once its person signs in on the web page, or an administrator activates it',
    'credentials.active',
  );
}

/** Whether only an administrator can let a person in again. */
export function isBlocked({ state }: Pick<User, 'state'>): boolean {
  return state === 'blocked' || state === 'banned';
}

export function findUser(platform: Platform, id: number): User | undefined {
  return userById(platform.store, id);
}

export function findUserByName(platform: Platform, username: string): User | undefined {
  return userByUsername(platform.store, username);
}

/** Whoever signs in with this username or e-mail. */
export function findUserByLogin(platform: Platform, login: string): User | undefined {
  return userByUsername(platform.store, login) ?? userByEmail(platform.store, login);
}

/** By number when the text is one, else by username. */
export function findUserByIdOrName(platform: Platform, text: string): User | undefined {
  return /^\d+$/.test(text) ? userById(platform.store, Number(text)) : userByUsername(platform.store, text);
}

/** Whether nobody has a password yet: then whoever opens a one-time link for root may set root's. */
export function isUnclaimed(platform: Platform): boolean {
  return !hasAnyPassword(platform.store);
}

/** Whether anybody but the first administrator is there. */
export function hasPeopleBesidesRoot(platform: Platform): boolean {
  return hasUserBeside(platform.store, 1);
}

/** The namespace in which a person's own projects live. */
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

/** Creates a person with their namespace. Says which of the unique fields is taken instead of throwing. */
export function createUser(platform: Platform, user: NewUser): User | UserRefusal {
  const { store } = platform;
  return store.transaction(() => {
    if (userByEmail(store, user.email) !== undefined) return 'email taken';
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
    if (created === undefined) throw new Error('the new user is not there');
    return created;
  });
}

/** Changes a person; what is left out stays. `email taken` when somebody else has the address. */
export function updateUser(platform: Platform, user: User, input: Partial<UserValues>): User | UserRefusal {
  const { store } = platform;
  return store.transaction(() => {
    const holder = input.email === undefined ? undefined : userByEmail(store, input.email);
    if (holder !== undefined && holder.id !== user.id) return 'email taken';
    const changed = { ...user, ...input };
    // Who shows their address shows the one they have.
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

/** The administrator with id 1, made when there is none yet; without a password nobody can sign in as them by form. */
export function ensureRoot(platform: Platform): User {
  const existing = userById(platform.store, 1);
  if (existing !== undefined) return existing;
  const root = createUser(platform, { username: 'root', name: 'Administrator', email: 'root@signalbox.example', admin: true });
  if (typeof root === 'string') throw new Error(`the administrator cannot be made: ${root}`);
  return root;
}

const ADMIN_TOKEN_NAME = 'Administrator token of this server';

/** Gives root a personal access token of a value chosen outside; tokens of earlier starts die with it. */
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

/** Sets a password; at least eight characters, which the caller checks with `passwordProblem`. */
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
 * Whom a login (username or e-mail) and password belong to, unless they are blocked; they may be deactivated. Hashes once, also when
 * there is nobody.
 */
export async function checkPassword(platform: Platform, login: string, password: string): Promise<User | undefined> {
  const user = findUserByLogin(platform, login);
  const fits = await verifyPassword(password, user?.password_hash ?? null);
  return fits && user !== undefined && !isBlocked(user) ? user : undefined;
}

/** Signing in on a page makes a deactivated account active again, as on the real platform. */
export function recordSignIn(platform: Platform, user: User): void {
  const now = platform.clock.now();
  if (user.state === 'deactivated') setUserState(platform.store, user.id, 'active', now);
  markSignIn(platform.store, user.id, now);
}

/** Whether a text is the admin token of this server. */
export function isAdminToken(platform: Platform, token: string): boolean {
  return platform.adminTokenHash !== null && equalSecrets(hashSecret(token), platform.adminTokenHash);
}
