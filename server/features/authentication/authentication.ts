import { ensureRoot, findUser, findUserByIdOrName, markActivity } from '../users/users.ts';
import {
  endPersonalTokenFamily,
  insertPersonalToken,
  markTokenUsed,
  personalTokenByHash,
  type PersonalTokenRow,
  revokePersonalTokens,
} from '../personalTokens/personalTokens.ts';
import { ALL_SCOPES } from '../../../src/contract/scopes.ts';
import { equalSecrets, hashSecret } from '../../core/secrets.ts';
import { storeIfPossible } from '../../store/storageFailure.ts';
import type { Core } from '../../core/core.ts';
import { forbidden, insufficientScope, invalidToken, NotFound, unauthenticated } from '../../core/errors.ts';
import type { Requirement, SentCredential } from '../../http/authentication.ts';
import { type Caller, isAdministrator, type User } from '../../core/caller.ts';
import { demandActive } from '../accountRules/accountRules.ts';

const EXPIRED = 'Token is expired. You can either do re-authorization or token refresh.';

const REVOKED = 'Token was revoked. You have to re-authorize from the user.';

/** Minimum time between two updates of the time of last use, in milliseconds; saves writes for frequent requests. */
const USE_RESOLUTION = 60_000;

/** An OAuth token of a user, or of an application itself. */
export interface OAuthToken {
  readonly id: number;
  /** Null for a token of an application itself. */
  readonly user_id: number | null;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

/**
 * Authenticates the user of a credential. `oauth` is the OAuth token that it is; undefined if it can only be a personal access token.
 *
 * @throws {DomainError} For an unknown, expired or revoked token, then for missing scopes, then for blocked and deactivated users
 *   (docs/interface.md#request-credentials).
 */
export function authenticate(
  core: Core,
  sent: SentCredential,
  requirement: Requirement,
  { now, baseUrl }: { readonly now: number; readonly baseUrl: string },
  oauth: OAuthToken | undefined,
): Caller {
  const personal = oauth === undefined ? personalTokenByHash(core.store, hashSecret(sent.token)) : undefined;
  const token = oauth ?? personal;
  if (token === undefined) throw unauthenticated('the token is unknown', 'credentials.known');
  if (token.expires_at !== null && token.expires_at <= now) throw invalidToken(EXPIRED, 'the token has expired');
  if (token.revoked_at !== null) {
    if (requirement.rotates !== true || personal === undefined) throw invalidToken(REVOKED, 'the token was revoked');
    // Two parties hold a copy of the rotated token, and it is unknown which of them stole it.
    endPersonalTokenFamily(core, personal.family, now);
    throw invalidToken(REVOKED, 'the token was already rotated; all tokens that replaced it are now revoked, too');
  }
  const scopes = token.scopes.split(' ');
  if (!requirement.scopes.some((scope) => scopes.includes(scope))) throw insufficientScope(requirement.said, scopes);
  const user = token.user_id === null ? undefined : findUser(core, token.user_id);
  if (user === undefined) throw unauthenticated('the token belongs to an application, not to a user', 'credentials.person');
  demandActive(user, baseUrl);
  recordUse(core, user, personal, now);
  return { user, credential: { kind: oauth === undefined ? 'personal' : 'oauth', tokenId: token.id, scopes } };
}

/**
 * Returns the user of a request that a page sends on behalf of the session of a browser.
 * @throws {Unauthenticated | Forbidden} For a deleted user, and for users who are blocked, banned or deactivated.
 */
export function sessionCaller(core: Core, userId: number, { baseUrl }: { readonly baseUrl: string }): Caller {
  const user = findUser(core, userId);
  if (user === undefined) throw unauthenticated('the user of the session was deleted', 'credentials.known');
  demandActive(user, baseUrl);
  return { user, credential: { kind: 'session' } };
}

/** Records the last use of a token and its owner. Storage failures are ignored, so that reading works while the disk is full. */
function recordUse({ store }: Core, user: User, personal: PersonalTokenRow | undefined, now: number): void {
  storeIfPossible(() => {
    if (personal !== undefined && (personal.last_used_at === null || Math.abs(now - personal.last_used_at) >= USE_RESOLUTION)) {
      markTokenUsed(store, personal.id, now);
    }
    if (user.last_activity_at === null || Math.abs(now - user.last_activity_at) >= USE_RESOLUTION) {
      markActivity(store, user.id, now);
    }
  });
}

/**
 * Returns the ID of the user a valid token belongs to; undefined if it is invalid or belongs to an application only. `oauth` is the OAuth
 * token that it is, if any.
 */
export function ownerOfToken({ store, clock }: Core, sent: SentCredential, oauth: OAuthToken | undefined): number | undefined {
  const token = oauth ?? personalTokenByHash(store, hashSecret(sent.token));
  if (token === undefined || token.revoked_at !== null) return undefined;
  return token.expires_at !== null && token.expires_at <= clock.now() ? undefined : (token.user_id ?? undefined);
}

/**
 * Returns the user on whose behalf an administrator acts, with the token of the administrator.
 *
 * @throws {DomainError} For other callers and for tokens without the scope `sudo`, then for an unknown user, then for a blocked user
 *   (docs/interface.md#request-credentials).
 */
export function actAs(core: Core, sender: Caller, target: string, baseUrl: string): Caller {
  if (!isAdministrator(sender))
    throw forbidden('Must be admin to use sudo', 'only administrators can act as other users', 'sudo.administrator');
  const { credential } = sender;
  if (credential.kind === 'session') {
    throw forbidden(
      'Must be authenticated using an OAuth or personal access token to use sudo',
      'a browser session cannot be used with sudo; use a token',
      'sudo.token',
    );
  }
  if (!credential.scopes.includes('sudo')) throw insufficientScope(['sudo'], credential.scopes);
  const user = findUserByIdOrName(core, target);
  if (user === undefined) {
    const explanation = { rule: 'sudo.target', reason: 'no user has this ID or username' };
    throw new NotFound(`User with ID or username '${target}'`, false, explanation);
  }
  demandActive(user, baseUrl);
  return { user, credential };
}

const ADMIN_TOKEN_NAME = 'Administrator token of this server';

/** Gives root a personal access token with the given value and revokes the admin tokens of earlier starts. */
export function adoptAdminToken(core: Core, token: string): void {
  const root = ensureRoot(core);
  const hash = hashSecret(token);
  const now = core.clock.now();
  core.store.transaction(() => {
    revokePersonalTokens(core.store, root.id, ADMIN_TOKEN_NAME, hash, now);
    if (personalTokenByHash(core.store, hash) !== undefined) return;
    insertPersonalToken(core.store, {
      userId: root.id,
      family: null,
      name: ADMIN_TOKEN_NAME,
      description: null,
      hash,
      scopes: ALL_SCOPES.join(' '),
      now,
      expiresAt: null,
    });
  });
}

/** Returns true if a text is the admin token of this server. */
export function isAdminToken(core: { readonly adminTokenHash: string | null }, token: string): boolean {
  return core.adminTokenHash !== null && equalSecrets(hashSecret(token), core.adminTokenHash);
}
