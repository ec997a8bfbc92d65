import { isBlocked } from '../accountRules/accountRules.ts';
import type { User } from '../../core/caller.ts';
import { changedAttributes } from '../../core/changes.ts';
import type { Core } from '../../core/core.ts';
import { hashPassword, verifyPassword } from '../../core/secrets.ts';
import {
  deleteUserRow,
  ghostRow,
  hasAnyPassword,
  hasOtherAdministrator,
  hasOtherUser,
  holderOfEmail,
  insertUser,
  isUsernameTaken,
  markGhost,
  markSignIn,
  namespaceIdOfUser,
  replacePasswordHash,
  setPasswordHash,
  setUserState,
  userByEmail,
  userById,
  userByUsername,
  type UserValues,
  writeUser,
} from './store.ts';

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

/**
 * Returns the user with this login (username or email address) and password, unless they are blocked; deactivated users are included.
 * Always computes one hash, so that the response time does not reveal whether the user exists.
 */
export async function checkPassword(core: Core, login: string, password: string): Promise<User | undefined> {
  const user = findUserByLogin(core, login);
  const stored = user?.password_hash ?? null;
  const { isCorrect, replacement } = await verifyPassword(password, stored);
  // The user can be changed or deleted while the hash is computed.
  const current = isCorrect && user !== undefined ? userById(core.store, user.id) : undefined;
  if (current === undefined || isBlocked(current)) return undefined;
  if (stored !== null && replacement !== undefined) replacePasswordHash(core.store, current.id, stored, replacement);
  return current;
}

/** Records a sign-in on a page, which reactivates a deactivated account as on GitLab. */
export function recordSignIn(core: Core, user: User): void {
  const now = core.clock.now();
  if (user.state === 'deactivated') setUserState(core.store, user.id, 'active', now);
  markSignIn(core.store, user.id, now);
}
