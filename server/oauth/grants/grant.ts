import type { TokenResponse } from '../../../src/contract/oauth.ts';
import type { Availability } from '../../profile.ts';
import type { OAuthRequest } from '../route.ts';

/** What a grant gave. */
export interface Issued {
  readonly response: TokenResponse;
  /** For the ID token: of the authorization request. */
  readonly nonce?: string | undefined;
}

/** One way to get tokens at `POST /oauth/token`. */
export interface Grant extends Availability {
  /** Values of `grant_type` that mean it. */
  readonly types: readonly string[];
  /** Answers the request, or throws an OAuth error. */
  response(request: OAuthRequest): Issued | Promise<Issued>;
}
