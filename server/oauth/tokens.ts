import type { TokenResponse } from '../../src/contract/oauth.ts';
import { DAY, SECOND } from '../clock.ts';
import type { Platform } from '../platform.ts';
import { hashSecret, numberedSecret } from '../secrets.ts';
import { firstEndOfFamilies, insertToken, nextTokenNumber, removeFamiliesEndedUntil } from './store.ts';

/** Lifetime of an access token in seconds. Refresh tokens do not expire; they die with their family. */
const ACCESS_LIFETIME = 7200;

/**
 * The rows of a family tell a refresh token that was stolen and used again from one that never was; so they stay as long as the family
 * lives, however old they are. Once it is revoked every one of its tokens is refused in any case, and the rows only give the journal the
 * reason: for as long as a client may lie unused and come back.
 */
const MAX_ENDED_FLOWS = 90 * DAY;
/** Rows that are removed in one turn of the event loop. */
const SLICE = 500;

/** Has the tokens of a sign-in removed that ended long ago. */
export function scheduleTokenCleanUp({ store, schedule }: Platform): void {
  schedule.add({
    name: 'clean-up of oauth_tokens',
    next: () => {
      const first = firstEndOfFamilies(store);
      return first === null ? null : first + MAX_ENDED_FLOWS;
    },
    run: (now) => removeFamiliesEndedUntil(store, now - MAX_ENDED_FLOWS, SLICE) === SLICE,
  });
}

export interface TokenInput {
  /** Null for a person who came with a password and without an application. */
  readonly applicationId: number | null;
  /** Null for the tokens of an application itself, which get no refresh token. */
  readonly userId: number | null;
  readonly scopes: readonly string[];
  /** `grant_type` with which the family began. */
  readonly grantType: string;
  /** Of the authorization request, where the grant had one. */
  readonly redirectUri?: string | null;
  /** S256 challenge of the authorization request. */
  readonly codeChallenge?: string | null;
  /** When the person had signed in, where they granted this on a page. */
  readonly authenticatedAt?: number | null;
  /** The family to continue; left out it begins a new one. */
  readonly family?: number;
}

/** Makes an access token and, for a person, a refresh token, and stores their hashes; the answer is the only place where they are seen. */
export function issueTokens(
  platform: Platform,
  input: TokenInput,
  tokenType: TokenResponse['token_type'],
  now: number,
): TokenResponse {
  const number = nextTokenNumber(platform.store);
  const accessToken = numberedSecret(number);
  const refreshToken = input.userId === null ? undefined : numberedSecret(number);
  const scope = input.scopes.join(' ');
  insertToken(platform.store, {
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
