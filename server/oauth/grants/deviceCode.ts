import { DEVICE_CODE_GRANT } from '../../../src/contract/oauth.ts';
import { SECOND } from '../../clock.ts';
import { WireFailure } from '../../http/failures.ts';
import { findUser } from '../../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import { hashSecret } from '../../secrets.ts';
import { authenticateClient } from '../checks/client.ts';
import { accessDenied, authorizationPending, expiredToken, invalidGrant, missingParameter, slowDown } from '../failures.ts';
import { type ApplicationRow, deviceGrantByDeviceCode, type DeviceGrantRow, raiseInterval, spendDeviceGrant } from '../store.ts';
import { issueTokens } from '../tokens.ts';
import type { Grant, Issued } from './grant.ts';

/** RFC 8628 §3.5: the interval grows by this for every poll that came too early. */
const SLOWER = 5;
/** A client that waits the interval may still arrive a little early, by the clocks' and the network's jitter. */
const TOLERANCE = SECOND;

/** The polls of the device authorization grant (RFC 8628 §3.4, §3.5). */
export function deviceCodeGrant(platform: Platform): Grant {
  const { store } = platform;
  /**
   * When waiting grants were polled last, by their ids. Only here: every device that waits polls every five seconds, and a write to disk
   * for each would cost everybody else more than a poll that is forgiven after a restart.
   */
  const polls = new Map<number, { readonly at: number; readonly expiresAt: number }>();
  /** The answer to nearly every poll, made once: the trace of an error costs as much as the rest of one. */
  const pending = authorizationPending();

  return {
    types: [DEVICE_CODE_GRANT, 'device_code'],
    addedIn: '17.1',
    response: async ({ context, params, now }) => {
      const application = authenticateClient(platform, context, params);
      const deviceCode = params.get('device_code');
      if (deviceCode === undefined) throw missingParameter('device_code');
      const hash = hashSecret(deviceCode);
      const grant = deviceGrantByDeviceCode(store, hash);
      // Most polls change nothing; the one that gets the tokens is looked at again, alone.
      const outcome =
        grant?.state === 'approved'
          ? await store.groupCommit(() => poll(application, deviceGrantByDeviceCode(store, hash), now))
          : poll(application, grant, now);
      if (outcome instanceof WireFailure) throw outcome;
      return outcome;
    },
  };

  function poll(application: ApplicationRow, grant: DeviceGrantRow | undefined, now: number): Issued | WireFailure {
    if (grant === undefined) return invalidGrant('device_code', 'no device code has this value');
    if (grant.application_id !== application.id)
      return invalidGrant('device_code', 'the device code was issued to another application');
    if (grant.state === 'spent') return invalidGrant('device_code', 'the device code was already exchanged for tokens');
    if (grant.expires_at <= now) return expiredToken();
    if (grant.state === 'denied') return accessDenied();
    if (grant.state === 'approved') return redeem(application, grant, now);
    return wait(grant, now);
  }

  function redeem(application: ApplicationRow, grant: DeviceGrantRow, now: number): Issued | WireFailure {
    polls.delete(grant.id);
    const user = grant.user_id === null ? undefined : findUser(platform, grant.user_id);
    if (user?.state !== 'active')
      return invalidGrant('user', 'the account that approved the request is blocked, deactivated or deleted');
    if (!spendDeviceGrant(store, grant.id))
      return invalidGrant('device_code', 'the device code was already exchanged for tokens');
    const response = issueTokens(
      platform,
      { applicationId: application.id, userId: user.id, scopes: grant.scopes.split(' '), grantType: DEVICE_CODE_GRANT },
      'Bearer',
      now,
    );
    return { response };
  }

  /**
   * A poll that came too early does not count as one, so a client that waits the longer interval from there on is always on time,
   * whatever it did before.
   */
  function wait(grant: DeviceGrantRow, now: number): WireFailure {
    const last = polls.get(grant.id);
    const elapsed = last === undefined ? undefined : now - last.at;
    if (elapsed !== undefined && elapsed >= 0 && elapsed + TOLERANCE < grant.interval_seconds * SECOND) {
      const interval = grant.interval_seconds + SLOWER;
      raiseInterval(store, grant.id, interval);
      return slowDown(interval);
    }
    if (last === undefined) forgetExpired(now);
    polls.set(grant.id, { at: now, expiresAt: grant.expires_at });
    return pending;
  }

  /** Those that came first also expire first, or nearly. */
  function forgetExpired(now: number): void {
    for (const [id, { expiresAt }] of polls) {
      if (expiresAt > now) return;
      polls.delete(id);
    }
  }
}
