import type { TokenResponse } from '../../../../src/contract/oauth.ts';
import type { Availability } from '../../../core/profile.ts';
import type { OAuthRequest } from '../route.ts';

/** Result of a grant. */
export interface Issued {
  readonly response: TokenResponse;
  /** Nonce of the authorization request, for the ID token. */
  readonly nonce?: string | undefined;
}

/** Grant type of `POST /oauth/token`. */
export interface Grant extends Availability {
  /** Values of `grant_type` for this grant. */
  readonly types: readonly string[];
  /** Returns the response, or throws an OAuth error. */
  response(request: OAuthRequest): Issued | Promise<Issued>;
}
