import type { TokenAnswer } from '../../../src/contract/oauth.ts';
import type { Availability } from '../../profile.ts';
import type { OAuthRequest } from '../route.ts';

/** What a grant gave. */
export interface Issued {
  readonly answer: TokenAnswer;
  /** For the ID token: of the authorization request. */
  readonly nonce?: string | undefined;
}

/** One way to get tokens at `POST /oauth/token`. */
export interface Grant extends Availability {
  /** Values of `grant_type` that mean it. */
  readonly types: readonly string[];
  /** Answers the request, or throws an OAuth error. */
  answer(request: OAuthRequest): Issued | Promise<Issued>;
}
