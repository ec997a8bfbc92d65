import type { TokenAnswer } from '../../src/contract/oauth.ts';
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
const ENDED_KEPT = 90 * DAY;
/** Rows that are removed in one turn of the event loop. */
const SLICE = 500;

/** Has the tokens of a sign-in removed that ended long ago. */
export function scheduleTokenCleanUp({ store, schedule }: Platform): void {
  schedule.add({
    name: 'clean-up of oauth_tokens',
    next: () => {
      const first = firstEndOfFamilies(store);
      return first === null ? null : first + ENDED_KEPT;
    },
    run: (now) => removeFamiliesEndedUntil(store, now - ENDED_KEPT, SLICE) === SLICE,
  });
}

export interface TokenWish {
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
export function issueTokens(platform: Platform, wish: TokenWish, tokenType: TokenAnswer['token_type'], now: number): TokenAnswer {
  const number = nextTokenNumber(platform.store);
  const accessToken = numberedSecret(number);
  const refreshToken = wish.userId === null ? undefined : numberedSecret(number);
  const scope = wish.scopes.join(' ');
  insertToken(platform.store, {
    number,
    applicationId: wish.applicationId,
    userId: wish.userId,
    family: wish.family ?? null,
    grantType: wish.grantType,
    redirectUri: wish.redirectUri ?? null,
    codeChallenge: wish.codeChallenge ?? null,
    accessHash: hashSecret(accessToken),
    refreshHash: refreshToken === undefined ? null : hashSecret(refreshToken),
    scopes: scope,
    authenticatedAt: wish.authenticatedAt ?? null,
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
