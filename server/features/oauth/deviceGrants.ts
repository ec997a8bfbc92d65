import { SECOND } from '../../core/clock.ts';
import { isLoopbackAddress } from '../../http/hostGuard.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret, randomSecret } from '../../core/secrets.ts';
import { tooManyDeviceCodes } from './failures.ts';
import {
  applicationById,
  type ApplicationRow,
  decideDeviceGrant,
  deviceGrantByUserCode,
  dropLoopbackDeviceGrants,
  type DeviceGrantRow,
  insertDeviceGrant,
  outstandingDeviceGrants,
} from './store.ts';
import { asChanged } from './applications.ts';
import { normalisedUserCode, randomUserCode } from './userCode.ts';

/** Lifetime of a device code and its user code, and minimum polling interval, in seconds. */
export const DEVICE_CODE_LIFETIME = 300;
export const POLL_INTERVAL = 5;
/** Maximum number of pending device codes per client and IP address. */
const MAX_PENDING = 20;
/**
 * Maximum number of pending grants per client that loopback callers started. All users on this machine share the loopback address, and a
 * `client_id` is public, so one user with 20 grants could block all others. Therefore loopback callers are never refused. Instead, the oldest
 * pending grants of the client are deleted beyond this number. That keeps the database small, and displacing a grant before its user can
 * decide takes a thousand requests.
 */
const MAX_LOOPBACK_ROWS = 1000;

export interface DeviceCodes {
  readonly deviceCode: string;
  /** User code: eight letters without the dash. */
  readonly userCode: string;
}

/**
 * Starts a device grant.
 * @throws {WireFailure} 429 if too many grants of this client and IP address are pending, unless it is a loopback address.
 */
export function beginDeviceGrant(
  core: Core,
  input: {
    readonly application: ApplicationRow;
    readonly scopes: readonly string[];
    readonly address: string;
    readonly now: number;
  },
): DeviceCodes {
  const { application, scopes, address, now } = input;
  const { store } = core;
  const codes = store.transaction((): DeviceCodes => {
    if (isLoopbackAddress(address)) dropLoopbackDeviceGrants(store, application.id, MAX_LOOPBACK_ROWS - 1);
    else {
      const { count, firstExpiry } = outstandingDeviceGrants(store, application.id, address, now);
      if (count >= MAX_PENDING) {
        throw tooManyDeviceCodes(MAX_PENDING, Math.max(Math.ceil((firstExpiry - now) / SECOND), 1));
      }
    }
    // A user code is reserved until its row is deleted. Another random code is almost certainly free.
    for (;;) {
      const drawn: DeviceCodes = { deviceCode: randomSecret(), userCode: randomUserCode() };
      const isNew = insertDeviceGrant(store, {
        applicationId: application.id,
        deviceCodeHash: hashSecret(drawn.deviceCode),
        userCodeHash: hashSecret(drawn.userCode),
        scopes: scopes.join(' '),
        address,
        interval: POLL_INTERVAL,
        now,
        expiresAt: now + DEVICE_CODE_LIFETIME * SECOND,
      });
      if (isNew) return drawn;
    }
  });
  return codes;
}

/** Pending request that a user can approve or deny. */
export interface PendingDeviceGrant extends DeviceGrantRow {
  readonly application: ApplicationRow;
  /** User code as shown on the device, without the dash. */
  readonly userCode: string;
}

/** Returns the pending request of an entered user code, or the reason why there is none. */
export function findByUserCode(core: Core, typed: string, now: number): PendingDeviceGrant | 'unknown' | 'expired' | 'used' {
  const userCode = normalisedUserCode(typed);
  const grant = deviceGrantByUserCode(core.store, hashSecret(userCode));
  const application = grant === undefined ? undefined : applicationById(core.store, grant.application_id);
  if (grant === undefined || application === undefined) return 'unknown';
  if (grant.expires_at <= now) return 'expired';
  return grant.state === 'pending' ? { ...grant, application, userCode } : 'used';
}

/** Stores the decision of the user. Returns false if the request was decided or expired in the meantime. */
export function decide(
  core: Core,
  grant: PendingDeviceGrant,
  decision: { readonly user: User; readonly state: 'approved' | 'denied'; readonly now: number },
): boolean {
  const { user, state, now } = decision;
  return core.store.transaction(() => {
    const isDecided = decideDeviceGrant(core.store, { id: grant.id, userId: user.id, state, now });
    if (isDecided && state === 'approved') {
      const application = asChanged(grant.application);
      core.changes.publish({ kind: 'applicationAuthorized', application, userId: user.id, scopes: grant.scopes });
    }
    return isDecided;
  });
}
