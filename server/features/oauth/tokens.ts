import { removeExpiredRows } from '../../core/expiredRows.ts';
import type { TokenResponse } from '../../../src/contract/oauth.ts';
import { SECOND } from '../../core/clock.ts';
import { retentionWork } from '../../core/retention.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret, numberedSecret } from '../../core/secrets.ts';
import type { SentCredential } from '../../http/authentication.ts';
import {
  firstEndOfFamilies,
  insertToken,
  nextTokenNumber,
  removeFamiliesEndedUntil,
  tokenByAccessToken,
  tokenById,
  type TokenRow,
} from './store.ts';

/** Lifetime of an access token, in seconds. Refresh tokens do not expire; they end with their family. */
const ACCESS_LIFETIME = 7200;

/** Number of rows that are deleted per turn of the event loop. */
const SLICE = 500;

/**
 * Schedules the deletion of the tokens of sign-ins that ended long ago. While a family is active, its rows distinguish a reused refresh token
 * from an unknown one, so they are kept regardless of their age. After the family is revoked, all its tokens are refused anyway, and the rows
 * only provide the reason for the request log, as long as an unused client may return.
 */
export function scheduleTokenCleanUp(core: Core): void {
  const { store, schedule } = core;
  removeExpiredRows(core, 'oauth_device_grants', 'expires_at');
  removeExpiredRows(core, 'oauth_authorization_codes', 'expires_at');
  schedule.add(
    retentionWork({
      name: 'clean-up of oauth_tokens',
      oldest: () => firstEndOfFamilies(store),
      deleteUntil: (time) => removeFamiliesEndedUntil(store, time, SLICE) === SLICE,
    }),
  );
}

/** Returns the OAuth token that a request sent as its credential; undefined if it can only be a personal access token. */
export function sentAccessToken({ store }: Core, { kind, token }: SentCredential): TokenRow | undefined {
  return kind === 'any' ? tokenByAccessToken(store, token) : undefined;
}

/** Returns true if an access token exists and has neither expired nor been revoked. */
export function isActiveAccessToken({ store }: Core, id: number, now: number): boolean {
  const token = tokenById(store, id);
  return token !== undefined && token.revoked_at === null && (token.expires_at === null || token.expires_at > now);
}

export interface TokenInput {
  /** Null for the password grant without an application. */
  readonly applicationId: number | null;
  /** Null for tokens of an application itself, which have no refresh token. */
  readonly userId: number | null;
  readonly scopes: readonly string[];
  /** `grant_type` that started the family. */
  readonly grantType: string;
  /** Redirect URI of the authorization request, if there was one. */
  readonly redirectUri?: string | null;
  /** S256 challenge of the authorization request. */
  readonly codeChallenge?: string | null;
  /** Time of the sign-in, if the user granted this on a page. */
  readonly authenticatedAt?: number | null;
  /** Family to continue; a new one by default. */
  readonly family?: number;
}

/** Creates an access token and, for a user, a refresh token. Only their hashes are stored. */
export function issueTokens(core: Core, input: TokenInput, tokenType: TokenResponse['token_type'], now: number): TokenResponse {
  const number = nextTokenNumber(core.store);
  const accessToken = numberedSecret(number);
  const refreshToken = input.userId === null ? undefined : numberedSecret(number);
  const scope = input.scopes.join(' ');
  insertToken(core.store, {
    number,
    applicationId: input.applicationId,
    userId: input.userId,
    family: input.family ?? null,
    grantType: input.grantType,
    redirectUri: input.redirectUri ?? null,
    codeChallenge: input.codeChallenge ?? null,
    accessHash: hashSecret(accessToken),
    refreshHash: refreshToken === undefined ? null : hashSecret(refreshToken),
    scopes: scope,
    authenticatedAt: input.authenticatedAt ?? null,
    now,
    expiresAt: now + ACCESS_LIFETIME * SECOND,
  });
  return {
    access_token: accessToken,
    token_type: tokenType,
    expires_in: ACCESS_LIFETIME,
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
    scope,
    created_at: Math.floor(now / SECOND),
  };
}
