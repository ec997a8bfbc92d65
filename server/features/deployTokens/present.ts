import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { type DeployToken, isExpired } from './manageDeployTokens.ts';
import type { deployToken } from './responses.ts';

export function presentDeployToken(token: DeployToken, now: number): ResponseOf<typeof deployToken> {
  return {
    id: token.id,
    name: token.name,
    username: token.username,
    expires_at: token.expires_at === null ? null : isoTime(token.expires_at),
    scopes: token.scopes.split(' '),
    // Tokens are deleted instead of revoked.
    revoked: false,
    expired: isExpired(token, now),
  };
}
