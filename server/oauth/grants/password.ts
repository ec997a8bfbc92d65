import { compareReleases } from '../../../src/contract/releases.ts';
import { ALL_SCOPES, checkPassword } from '../../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import { forgetAttempts, lockedUntil, lockWords, noteAttempt } from '../../web/attempts.ts';
import { authenticateClient, sentClient } from '../checks/client.ts';
import { checkScope } from '../checks/scope.ts';
import { invalidClient, invalidGrant, missingParameter } from '../failures.ts';
import type { OAuthRequest } from '../route.ts';
import type { ApplicationRow } from '../store.ts';
import { issueTokens } from '../tokens.ts';
import type { Grant } from './grant.ts';

export const PASSWORD_GRANT = 'password';

/**
 * Resource owner password credentials (RFC 6749 §4.3). The same answer tells of a wrong name, a wrong password and an account that may
 * not be used this way (oauth.md §5).
 */
export function passwordGrant(platform: Platform): Grant {
  return {
    types: [PASSWORD_GRANT],
    last: '19.0',
    answer: async (request) => {
      const { exchange, params, now } = request;
      const login = params.get('username');
      if (login === undefined) throw missingParameter('username');
      const password = params.get('password');
      if (password === undefined) throw missingParameter('password');
      const application = clientOf(request);
      const scopes = checkScope(params.get('scope'), application?.scopes.split(' ') ?? ALL_SCOPES);
      // The same subject as on the sign-in page, so that neither is a way around the lock of the other.
      const subject = `${login.trim().toLowerCase()} ${exchange.address}`;
      const locked = lockedUntil(platform, 'password', subject);
      if (locked !== undefined) {
        throw invalidGrant(
          'password.attempts',
          `ten wrong passwords have locked the name for this address; try again ${lockWords(locked, now)}`,
        );
      }
      // Counted before it is known to be wrong: the check takes time, and many at once must not slip through together.
      noteAttempt(platform, 'password', subject);
      const user = await checkPassword(platform, login.trim(), password);
      if (user === undefined) throw invalidGrant('password', 'the name or the password is wrong, or the account is blocked');
      forgetAttempts(platform, 'password', subject);
      exchange.noteUser(user.username);
      const wish = { applicationId: application?.id ?? null, userId: user.id, scopes, grantType: PASSWORD_GRANT };
      return { answer: issueTokens(platform, wish, platform.wording.tokenType, now) };
    },
  };

  /** A client that is named must be good; the hosted offering demands one since release 17.11 (description, Versioning). */
  function clientOf({ exchange, params }: OAuthRequest): ApplicationRow | undefined {
    if (sentClient(exchange, params) !== undefined) return authenticateClient(platform, exchange, params);
    const { offering, release } = platform.profile;
    if (offering === 'multi-tenant' && compareReleases(release, '17.11') >= 0) {
      throw invalidClient('this offering demands an application for the password grant: send client_id and client_secret');
    }
    return undefined;
  }
}
