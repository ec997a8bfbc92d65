import { MINUTE, SECOND } from '../clock.ts';
import { countDiscarded, type Sender } from '../clientKeys/clientKeys.ts';
import type { Platform } from '../platform.ts';
import { settingNumber } from '../settings/settings.ts';
import { IngestRefusal } from './ingestRefusal.ts';

/** What refused requests count as, beside what SDKs say they have dropped themselves. */
const REFUSED = { reason: 'key_quota', category: 'error' } as const;

/**
 * Counts the requests of each client key in minutes of the platform's time, and refuses what is more than the setting
 * `error_tracking_requests_per_minute` allows (errors.md §1.7). The setting is read again after settings were changed.
 */
export function createKeyLimit(platform: Platform): (sender: Sender, now: number) => void {
  let most: number | undefined;
  let minute = Number.NaN;
  const counts = new Map<number, number>();
  /** Written once in a while, so that a flood is not answered with a flood of writes. */
  let refused = new Map<number, number>();
  const noteRefused = (keyId: number): void => {
    refused.set(keyId, (refused.get(keyId) ?? 0) + 1);
    if (refused.size > 1 || refused.get(keyId) !== 1) return;
    setImmediate(() => {
      const noted = refused;
      refused = new Map();
      void platform.store
        .sharedTransaction(() => {
          for (const [key, quantity] of noted) countDiscarded(platform, key, [{ ...REFUSED, quantity }]);
        })
        .catch((error: unknown) => platform.log.error('refused requests could not be counted', error));
    });
  };
  platform.changes.subscribe(({ kind }) => {
    if (kind === 'settingsChanged') most = undefined;
  });

  return ({ keyId }, now) => {
    most ??= settingNumber(platform, 'error_tracking_requests_per_minute');
    const running = Math.floor(now / MINUTE);
    if (running !== minute) {
      minute = running;
      counts.clear();
    }
    const count = (counts.get(keyId) ?? 0) + 1;
    counts.set(keyId, count);
    if (count <= most) return;
    noteRefused(keyId);
    const seconds = Math.max(Math.ceil(((running + 1) * MINUTE - now) / SECOND), 1);
    throw new IngestRefusal(429, `more than ${most} requests within a minute came with this client key`, seconds);
  };
}
