import { SECOND } from '../../core/clock.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret, randomSecret } from '../../core/secrets.ts';
import type { AuthorizationRequest } from './authorizationRequest.ts';
import { asChanged } from './applications.ts';
import { insertCode, livingGrants } from './store.ts';

/** Lifetime of an authorization code in seconds. */
const CODE_LIFETIME = 600;

/** Creates a code for a grant. Only its hash is stored. */
export function issueCode(
  core: Core,
  request: AuthorizationRequest,
  grant: { readonly user: User; readonly authenticatedAt: number | undefined; readonly now: number },
): string {
  const code = randomSecret();
  const scopes = request.scopes.join(' ');
  core.store.transaction(() => {
    insertCode(core.store, {
      applicationId: request.application.id,
      userId: grant.user.id,
      codeHash: hashSecret(code),
      redirectUri: request.redirectUri,
      scopes,
      codeChallenge: request.codeChallenge ?? null,
      nonce: request.nonce ?? null,
      authenticatedAt: grant.authenticatedAt ?? null,
      now: grant.now,
      expiresAt: grant.now + CODE_LIFETIME * SECOND,
    });
    const application = asChanged(request.application);
    core.changes.publish({ kind: 'applicationAuthorized', application, userId: grant.user.id, scopes });
  });
  return code;
}

/**
 * Returns true if no consent is needed: the application is trusted, or the user has granted it the same scopes and not revoked them. A public
 * application always needs consent, because any client can claim to be one (RFC 6749 §10.2, RFC 8252 §8.6).
 */
export function isGrantedAlready(core: Core, { application, scopes }: AuthorizationRequest, user: User): boolean {
  if (application.confidential === 0) return false;
  if (application.trusted === 1) return true;
  const wanted = scopes.toSorted().join(' ');
  return livingGrants(core.store, application.id, user.id).some((granted) => granted.split(' ').toSorted().join(' ') === wanted);
}
