import { SECOND } from '../clock.ts';
import { isLoopbackAddress } from '../http/hostGuard.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { hashSecret, randomSecret } from '../secrets.ts';
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
import { asChanged } from './oauth.ts';
import { normalisedUserCode, randomUserCode } from './userCode.ts';

/** Lifetime of a device code and its user code, and the shortest time between two polls, in seconds. */
export const DEVICE_CODE_LIFETIME = 300;
export const POLL_INTERVAL = 5;
/** Device codes of one client and address that may wait for their users at once. */
const MAX_PENDING = 20;
/**
 * Everybody on this machine has the same loopback address, and a `client_id` is no secret: whoever began 20 grants would keep all others
 * from beginning one. So loopback callers are never refused. Instead the oldest undecided grants of the client give way, whether expired
 * or not, when there are this many. The database stays small, and to displace a grant before its user can decide takes a flood of
 * a thousand requests.
 */
const MAX_LOOPBACK_ROWS = 1000;

export interface DeviceCodes {
  readonly deviceCode: string;
  /** Eight letters, without the dash. */
  readonly userCode: string;
}

/** Begins a device grant. Throws 429 while too many of this client and address wait, unless the address is this machine. */
export function beginDeviceGrant(
  platform: Platform,
  input: {
    readonly application: ApplicationRow;
    readonly scopes: readonly string[];
    readonly address: string;
    readonly now: number;
  },
): DeviceCodes {
  const { application, scopes, address, now } = input;
  const { store } = platform;
  const codes = store.transaction((): DeviceCodes => {
    if (isLoopbackAddress(address)) dropLoopbackDeviceGrants(store, application.id, MAX_LOOPBACK_ROWS - 1);
    else {
      const { count, firstExpiry } = outstandingDeviceGrants(store, application.id, address, now);
      if (count >= MAX_PENDING) {
        throw tooManyDeviceCodes(MAX_PENDING, Math.max(Math.ceil((firstExpiry - now) / SECOND), 1));
      }
    }
    // A user code stays taken until its row is removed; another draw is free with near certainty.
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

/** A request that a person is asked about. */
export interface PendingDeviceGrant extends DeviceGrantRow {
  readonly application: ApplicationRow;
  /** As it is shown on the device, without the dash. */
  readonly userCode: string;
}

/** What became of a user code that somebody typed: the waiting request, or why there is none. */
export function findByUserCode(
  platform: Platform,
  typed: string,
  now: number,
): PendingDeviceGrant | 'unknown' | 'expired' | 'used' {
  const userCode = normalisedUserCode(typed);
  const grant = deviceGrantByUserCode(platform.store, hashSecret(userCode));
  const application = grant === undefined ? undefined : applicationById(platform.store, grant.application_id);
  if (grant === undefined || application === undefined) return 'unknown';
  if (grant.expires_at <= now) return 'expired';
  return grant.state === 'pending' ? { ...grant, application, userCode } : 'used';
}

/** Writes down what the person decided. False when the request was decided or expired in the meantime. */
export function decide(
  platform: Platform,
  grant: PendingDeviceGrant,
  decision: { readonly user: User; readonly state: 'approved' | 'denied'; readonly now: number },
): boolean {
  const { user, state, now } = decision;
  return platform.store.transaction(() => {
    const isDecided = decideDeviceGrant(platform.store, { id: grant.id, userId: user.id, state, now });
    if (isDecided && state === 'approved') {
      const application = asChanged(grant.application);
      platform.changes.publish({ kind: 'applicationAuthorized', application, userId: user.id, scopes: grant.scopes });
    }
    return isDecided;
  });
}
