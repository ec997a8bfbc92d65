import { DEVICE_CODE_GRANT } from '../../../../src/contract/oauth.ts';
import { SECOND } from '../../../core/clock.ts';
import { WireFailure } from '../../../http/wireFailure.ts';
import { findUser } from '../../users/users.ts';
import type { Core } from '../../../core/core.ts';
import { hashSecret } from '../../../core/secrets.ts';
import { authenticateClient } from '../checks/client.ts';
import { accessDenied, authorizationPending, expiredToken, invalidGrant, missingParameter, slowDown } from '../failures.ts';
import { type FlowTrace, traceOf } from '../flowTrace.ts';
import { type ApplicationRow, deviceGrantByDeviceCode, type DeviceGrantRow, raiseInterval, spendDeviceGrant } from '../store.ts';
import { issueTokens } from '../tokens.ts';
import type { Grant, Issued } from './grant.ts';

/** Increase of the interval after a poll that came too early, in seconds (RFC 8628 §3.5). */
const SLOWER = 5;
/** Tolerance for polls that arrive slightly early because of clock and network jitter, in milliseconds. */
const TOLERANCE = SECOND;

/** Conditions that are checked in several places. */
const ISSUED_AND_UNUSED = 'the device code was issued to this application and not used before';
const APPROVED = 'the user has approved the request';

/** Grant that handles the polls of a device authorization (RFC 8628 §3.4, §3.5). */
export function deviceCodeGrant(core: Core): Grant {
  const { store } = core;
  /**
   * Times of the last polls of pending grants, by ID. They are kept in memory only: every waiting device polls every five seconds, and writing
   * each poll to disk would cost more than accepting an early poll after a restart.
   */
  const polls = new Map<number, { readonly at: number; readonly expiresAt: number }>();
  /** Response to nearly every poll. It is created once, because the stack trace of an error costs as much as the rest of a poll. */
  const pending = authorizationPending();

  return {
    types: [DEVICE_CODE_GRANT, 'device_code'],
    addedIn: '17.1',
    response: async ({ context, params, now }) => {
      const application = authenticateClient(core, context, params);
      const trace = traceOf(context);
      trace.check(ISSUED_AND_UNUSED);
      const deviceCode = params.get('device_code');
      if (deviceCode === undefined) throw missingParameter('device_code');
      const hash = hashSecret(deviceCode);
      const grant = deviceGrantByDeviceCode(store, hash);
      // Most polls change nothing. The one that gets the tokens is checked again in a transaction.
      const outcome =
        grant?.state === 'approved'
          ? await store.groupCommit(() => poll(trace, application, deviceGrantByDeviceCode(store, hash), now))
          : poll(trace, application, grant, now);
      if (outcome instanceof WireFailure) throw outcome;
      return outcome;
    },
  };

  function poll(
    trace: FlowTrace,
    application: ApplicationRow,
    grant: DeviceGrantRow | undefined,
    now: number,
  ): Issued | WireFailure {
    trace.check(ISSUED_AND_UNUSED);
    if (grant === undefined) return invalidGrant('device_code', 'no device code has this value');
    if (grant.application_id !== application.id)
      return invalidGrant('device_code', 'the device code was issued to another application');
    if (grant.state === 'spent') return invalidGrant('device_code', 'the device code was already exchanged for tokens');
    trace.check('the device code has not expired');
    if (grant.expires_at <= now) return expiredToken();
    trace.check('the user has not denied the request');
    if (grant.state === 'denied') return accessDenied();
    if (grant.state === 'approved') return redeem(trace, application, grant, now);
    return wait(trace, grant, now);
  }

  function redeem(trace: FlowTrace, application: ApplicationRow, grant: DeviceGrantRow, now: number): Issued | WireFailure {
    polls.delete(grant.id);
    trace.check(APPROVED);
    trace.check('the account is active');
    const user = grant.user_id === null ? undefined : findUser(core, grant.user_id);
    if (user?.state !== 'active')
      return invalidGrant('user', 'the account that approved the request is blocked, deactivated or deleted');
    if (!spendDeviceGrant(store, grant.id)) {
      trace.check(ISSUED_AND_UNUSED);
      return invalidGrant('device_code', 'the device code was already exchanged for tokens');
    }
    const response = issueTokens(
      core,
      { applicationId: application.id, userId: user.id, scopes: grant.scopes.split(' '), grantType: DEVICE_CODE_GRANT },
      'Bearer',
      now,
    );
    return { response };
  }

  /**
   * An early poll does not count, so a client that waits for the longer interval from then on is always on time.
   */
  function wait(trace: FlowTrace, grant: DeviceGrantRow, now: number): WireFailure {
    const last = polls.get(grant.id);
    const elapsed = last === undefined ? undefined : now - last.at;
    if (elapsed !== undefined && elapsed >= 0 && elapsed + TOLERANCE < grant.interval_seconds * SECOND) {
      trace.check('the client waited for the polling interval');
      const interval = grant.interval_seconds + SLOWER;
      raiseInterval(store, grant.id, interval);
      return slowDown(interval);
    }
    if (last === undefined) forgetExpired(now);
    trace.check(APPROVED);
    polls.set(grant.id, { at: now, expiresAt: grant.expires_at });
    return pending;
  }

  /** Removes expired entries. The oldest entries expire first, or nearly so. */
  function forgetExpired(now: number): void {
    for (const [id, { expiresAt }] of polls) {
      if (expiresAt > now) return;
      polls.delete(id);
    }
  }
}
