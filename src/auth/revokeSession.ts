import type { Send, WireRequest } from '../api/transport.ts';
import { parseJson } from '../contract/json.ts';
import { nameOfInstance } from '../instances/accountKey.ts';
import { type Log, messageOf } from '../support/log.ts';
import type { Session } from './session.ts';
import { revokeOwnRequest, revokeRequest } from './tokenEndpoint.ts';

/** Maximum time to wait for the instance, in milliseconds. */
const LIMIT = 5_000;

/** Returns a function that revokes the tokens of a deleted session, except those that the user entered. It never rejects. */
export function createRevokeSession(settings: {
  readonly send: Send;
  readonly addresses: (instanceKey: string) => string | undefined;
  readonly log: Log;
}): (session: Session) => Promise<void> {
  const { send, addresses, log } = settings;
  return async (session) => {
    // The user created it elsewhere, and other programs may use it.
    if (session.credential === 'token') return;
    const baseUrl = addresses(session.instance);
    const where = nameOfInstance(session.instance);
    const tokens = `the tokens of @${session.account.username} on ${where}`;
    if (baseUrl === undefined) {
      log.warn(`Could not revoke ${tokens}: the local server is not running. They were deleted from this machine.`);
      return;
    }
    for (const request of revocations(baseUrl, session)) {
      try {
        const { status, body } = await send(request, AbortSignal.timeout(LIMIT));
        const isDone = status === 204 || (status === 200 && (body.trim() === '' || parseJson(body) !== undefined));
        if (!isDone) log.warn(`${where} refused to revoke ${tokens} (status ${status}). They were deleted from this machine.`);
      } catch (error) {
        log.warn(`Could not revoke ${tokens}: ${messageOf(error)}. They were deleted from this machine.`);
      }
    }
  };
}

function revocations(baseUrl: string, { credential, clientId, accessToken, refreshToken }: Session): readonly WireRequest[] {
  if (credential === 'persona') return [revokeOwnRequest(baseUrl, accessToken)];
  // An expired access token can no longer be revoked, but the refresh token of the same sign-in can.
  const tokens = [accessToken, ...(refreshToken === undefined ? [] : [refreshToken])];
  return tokens.map((token) => revokeRequest(baseUrl, clientId, token));
}
