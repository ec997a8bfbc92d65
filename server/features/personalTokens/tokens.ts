import type { User } from '../../core/caller.ts';
import { DAY, isoDate } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret, randomPersonalToken } from '../../core/secrets.ts';
import { isActiveToken } from './present.ts';
import { personalTokenScopes } from '../../../src/contract/scopes.ts';
import {
  insertPersonalToken,
  personalTokenByHash,
  personalTokenById,
  type PersonalTokenRow,
  revokePersonalToken,
  revokePersonalTokenFamily,
} from './store.ts';

/** Maximum lifetime of a token, in days (docs/interface.md#personal-access-tokens). */
export const MAX_LIFETIME_DAYS = 365;
/** Default lifetime of a rotated token, in days (docs/interface.md#personal-access-tokens). */
const ROTATED_LIFETIME_DAYS = 7;
const MAX_DESCRIPTION_LENGTH = 255;

export interface PersonalTokenInput {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly string[];
  /** Midnight UTC in milliseconds; null for no expiry. */
  readonly expiresAt: number | null;
  /** Fixed value instead of a random one, for seed files only. */
  readonly value?: string | undefined;
}

export interface IssuedPersonalToken {
  /** The value of the token, which is not stored. */
  readonly token: string;
  readonly row: PersonalTokenRow;
}

/** Creates a personal access token. The caller must check the input with {@link tokenErrors}. */
export function issuePersonalToken(
  core: Core,
  user: User,
  input: PersonalTokenInput,
  family: number | null = null,
): IssuedPersonalToken {
  const token = input.value ?? randomPersonalToken(user.id);
  return core.store.transaction(() => {
    const id = insertPersonalToken(core.store, {
      userId: user.id,
      family,
      name: input.name,
      description: input.description ?? null,
      hash: hashSecret(token),
      scopes: input.scopes.join(' '),
      now: core.clock.now(),
      expiresAt: input.expiresAt,
    });
    const row = personalTokenById(core.store, id);
    if (row === undefined) throw new Error('the new token was not stored');
    core.changes.publish({ kind: 'personalTokenMade', tokenId: id, userId: user.id });
    return { token, row };
  });
}

/** Revokes a token. Returns false if it was already revoked. */
export function endPersonalToken(
  { store, changes }: Core,
  token: Pick<PersonalTokenRow, 'id' | 'user_id'>,
  now: number,
): boolean {
  return store.transaction(() => {
    const isNew = revokePersonalToken(store, token.id, now);
    if (isNew) changes.publish({ kind: 'personalTokenRevoked', tokenId: token.id, userId: token.user_id });
    return isNew;
  });
}

/** Revokes a token and all tokens it was rotated into. */
export function endPersonalTokenFamily({ store, changes }: Core, family: number, now: number): void {
  store.transaction(() => {
    for (const { id, user_id: userId } of revokePersonalTokenFamily(store, family, now)) {
      changes.publish({ kind: 'personalTokenRevoked', tokenId: id, userId });
    }
  });
}

/** Returns true if a personal access token with this value exists. */
export function isPersonalToken(core: Core, value: string): boolean {
  return personalTokenByHash(core.store, hashSecret(value)) !== undefined;
}

/** Returns true if a personal access token exists and has neither expired nor been revoked. */
export function isActivePersonalToken({ store }: Core, id: number, now: number): boolean {
  const token = personalTokenById(store, id);
  return token !== undefined && token.revoked_at === null && (token.expires_at === null || token.expires_at > now);
}

/** Returns the latest expiry of a token that is created now. */
export function latestExpiry(now: number): number {
  return dayOf(now) + MAX_LIFETIME_DAYS * DAY;
}

/** Returns the default expiry of a rotated token. */
export function expiryAfterRotation(now: number): number {
  return dayOf(now) + ROTATED_LIFETIME_DAYS * DAY;
}

function dayOf(time: number): number {
  return Math.floor(time / DAY) * DAY;
}

/** Returns the validation errors of a new token by field, with the messages of the API; an empty object if it is valid. */
export function tokenErrors(core: Core, input: PersonalTokenInput, now: number): Readonly<Record<string, readonly string[]>> {
  const known = personalTokenScopes(core.profile.release);
  return {
    ...(input.name.trim() === '' ? { name: ["can't be blank"] } : {}),
    ...((input.description ?? '').length > MAX_DESCRIPTION_LENGTH
      ? { description: [`is too long (maximum is ${MAX_DESCRIPTION_LENGTH} characters)`] }
      : {}),
    ...(input.scopes.length === 0 || input.scopes.some((scope) => !known.includes(scope))
      ? { scopes: ['can only contain available scopes'] }
      : {}),
    ...expiryProblem(input.expiresAt, now),
  };
}

export function expiryProblem(expiresAt: number | null, now: number): Readonly<Record<string, readonly string[]>> {
  const latest = latestExpiry(now);
  return expiresAt !== null && expiresAt > latest ? { expires_at: [`must be before ${isoDate(latest)}`] } : {};
}

/**
 * Revokes a token and returns its replacement; undefined if the token is revoked or expired, even if a concurrent rotation has just
 * revoked it.
 */
export function rotatePersonalToken(
  core: Core,
  user: User,
  old: PersonalTokenRow,
  expiresAt: number,
): IssuedPersonalToken | undefined {
  const now = core.clock.now();
  return core.store.transaction(() => {
    if (!isActiveToken(old, now) || !endPersonalToken(core, old, now)) return undefined;
    const { name, description, scopes, family } = old;
    return issuePersonalToken(core, user, { name, description, scopes: scopes.split(' '), expiresAt }, family);
  });
}
