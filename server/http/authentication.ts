import type { IncomingHttpHeaders } from 'node:http';
import type { DeprecationId } from '../../src/contract/deprecations.ts';
import type { Caller, User } from '../core/caller.ts';

/** Credential of a REST request. With the kind `personal`, an OAuth token is not accepted. */
export interface SentCredential {
  readonly token: string;
  readonly kind: 'any' | 'personal';
}

/** Members of a request that decide who sent it. */
export interface AuthenticatedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly baseUrl: string;
  readonly now: number;
  noteDeprecated(id: DeprecationId): void;
}

/** Scopes of which a token needs one; `said` are those that a refusal names. */
export interface Requirement {
  readonly scopes: readonly string[];
  readonly said: readonly string[];
  /**
   * True if the request rotates the token. Using a token that was already rotated then revokes its whole family
   * (docs/interface.md#personal-access-tokens).
   */
  readonly rotates?: boolean;
}

/** Finds out who sent a request. The accounts of the instance implement it. */
export interface Authentication {
  /**
   * Authenticates the user of a token.
   * @throws {DomainError} For an unknown, expired or revoked token, then for missing scopes, then for blocked and deactivated
   *   users (docs/interface.md#request-credentials).
   */
  authenticate(sent: SentCredential, requirement: Requirement, request: AuthenticatedRequest): Caller;
  /**
   * Authenticates the user of a running job by a token of the job.
   * @throws {DomainError} For an unknown or expired token, and for one whose job has ended; for a blocked user.
   */
  authenticateJob(token: string, request: AuthenticatedRequest): Caller;
  /**
   * Returns the user on whose behalf an administrator acts.
   * @throws {DomainError} For other callers and for tokens without the scope `sudo`, then for an unknown user, then for a blocked
   *   user (docs/interface.md#request-credentials).
   */
  actAs(sender: Caller, target: string, request: AuthenticatedRequest): Caller;
  /**
   * Returns true if the credential of a caller admits them to a project. Only job tokens are limited (docs/interface.md#job-tokens).
   */
  admits(caller: Caller, project: { readonly id: number; readonly visibility: string }, isRead: boolean): boolean;
  /** Records that a request was authenticated with an OAuth token. */
  recordUse(tokenId: number, request: AuthenticatedRequest): void;
  /** Returns the ID of the user a valid token belongs to; undefined if it is invalid or belongs to an application only. */
  ownerOfToken(sent: SentCredential): number | undefined;
  /** Opens the browser session of a request. Nothing is stored until a form is shown or a user signs in. */
  openSession(request: AuthenticatedRequest): BrowserSession;
}

/** Browser session of a request. */
export interface BrowserSession {
  /** Signed-in user, unless blocked or deactivated. */
  readonly caller: Caller | undefined;
  /** Time of the sign-in; undefined for anonymous sessions. */
  readonly signedInAt: number | undefined;
  /** User who has entered the correct password, but not yet the second factor. */
  readonly halfSignedIn: User | undefined;
  /** Returns the token that forms must send. Creates an anonymous session if there is none. */
  formToken(): string;
  /** Returns true if the text is the form token of this session. */
  isFormToken(text: string): boolean;
  /** Replaces the session with one of this user. */
  signIn(user: User): void;
  /** Replaces the session with one that waits for the second factor of this user. */
  beginSignIn(user: User): void;
  signOut(): void;
  /** Returns the `Set-Cookie` values of the response. */
  cookies(): readonly string[];
}
