import { DAY, isoDate } from '../clock.ts';
import type { Platform } from '../platform.ts';
import { hashSecret, numberInSecret, randomPersonalToken } from '../secrets.ts';
import { isActiveToken } from './present.ts';
import { personalTokenScopes } from './scopes.ts';
import {
  insertPersonalToken,
  oauthTokenByHash,
  personalTokenByHash,
  type PersonalTokenRow,
  personalTokenById,
  revokePersonalToken,
  revokePersonalTokenFamily,
  type UserRow,
} from './store.ts';

/** Longest life of a token, and how long a rotated one lives when nothing else is asked for (docs/interface.md#personal-access-tokens). */
export const MAX_LIFETIME_DAYS = 365;
const LIFE_AFTER_ROTATION = 7;
const MAX_DESCRIPTION_LENGTH = 255;

export interface PersonalTokenInput {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly string[];
  /** Milliseconds, midnight UTC; null for never. */
  readonly expiresAt: number | null;
  /** Chosen instead of a random one, in seed files only. */
  readonly value?: string | undefined;
}

export interface IssuedPersonalToken {
  /** The only time the value is seen. */
  readonly token: string;
  readonly row: PersonalTokenRow;
}

/** Makes a personal access token. Callers check the wish before (`tokenErrors`). */
export function issuePersonalToken(
  platform: Platform,
  user: UserRow,
  input: PersonalTokenInput,
  family: number | null = null,
): IssuedPersonalToken {
  const token = input.value ?? randomPersonalToken(user.id);
  return platform.store.transaction(() => {
    const id = insertPersonalToken(platform.store, {
      userId: user.id,
      family,
      name: input.name,
      description: input.description ?? null,
      hash: hashSecret(token),
      scopes: input.scopes.join(' '),
      now: platform.clock.now(),
      expiresAt: input.expiresAt,
    });
    const row = personalTokenById(platform.store, id);
    if (row === undefined) throw new Error('the new token is not there');
    platform.changes.publish({ kind: 'personalTokenMade', tokenId: id, userId: user.id });
    return { token, row };
  });
}

/** Revokes a token. False when it was revoked before. */
export function endPersonalToken(
  { store, changes }: Platform,
  token: Pick<PersonalTokenRow, 'id' | 'user_id'>,
  now: number,
): boolean {
  return store.transaction(() => {
    const isNew = revokePersonalToken(store, token.id, now);
    if (isNew) changes.publish({ kind: 'personalTokenRevoked', tokenId: token.id, userId: token.user_id });
    return isNew;
  });
}

/** Revokes a token and all it was rotated into. */
export function endPersonalTokenFamily({ store, changes }: Platform, family: number, now: number): void {
  store.transaction(() => {
    for (const { id, user_id: userId } of revokePersonalTokenFamily(store, family, now)) {
      changes.publish({ kind: 'personalTokenRevoked', tokenId: id, userId });
    }
  });
}

/** Whether a token has this value already, of whatever kind. */
export function isKnownToken(platform: Platform, value: string): boolean {
  const hash = hashSecret(value);
  return (
    personalTokenByHash(platform.store, hash) !== undefined ||
    oauthTokenByHash(platform.store, hash, numberInSecret(value)) !== undefined
  );
}

/** The last day on which a token made now may expire. */
export function latestExpiry(now: number): number {
  return dayOf(now) + MAX_LIFETIME_DAYS * DAY;
}

/** When a rotated token expires unless another day is asked for. */
export function expiryAfterRotation(now: number): number {
  return dayOf(now) + LIFE_AFTER_ROTATION * DAY;
}

function dayOf(time: number): number {
  return Math.floor(time / DAY) * DAY;
}

/** What is wrong with a wish, by field, in the words of the wire; nothing when it is good. */
export function tokenErrors(
  platform: Platform,
  input: PersonalTokenInput,
  now: number,
): Readonly<Record<string, readonly string[]>> {
  const known = personalTokenScopes(platform);
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
 * Puts a new token in the place of one, which is revoked at once. Undefined when it is revoked or expired, also when another rotation
 * was faster.
 */
export function rotatePersonalToken(
  platform: Platform,
  user: UserRow,
  old: PersonalTokenRow,
  expiresAt: number,
): IssuedPersonalToken | undefined {
  const now = platform.clock.now();
  return platform.store.transaction(() => {
    if (!isActiveToken(old, now) || !endPersonalToken(platform, old, now)) return undefined;
    const { name, description, scopes, family } = old;
    return issuePersonalToken(platform, user, { name, description, scopes: scopes.split(' '), expiresAt }, family);
  });
}
