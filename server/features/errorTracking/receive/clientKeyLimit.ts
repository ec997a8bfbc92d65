import { MINUTE, SECOND } from '../../../core/clock.ts';
import type { Core } from '../../../core/core.ts';
import { settingNumber } from '../../settings/settings.ts';
import { IngestRefusal } from './ingestRefusal.ts';
import type { Sender } from './senders.ts';

/**
 * Limits the requests of each client key per minute of the platform's clock by the setting `error_tracking_requests_per_minute`
 * (docs/interface.md#error-ingestion). The setting is read again when settings change.
 */
export function createKeyLimit(core: Core): (sender: Sender, now: number) => void {
  let most: number | undefined;
  let minute = Number.NaN;
  const counts = new Map<number, number>();
  core.changes.subscribe(({ kind }) => {
    if (kind === 'settingsChanged') most = undefined;
  });

  return ({ keyId }, now) => {
    most ??= settingNumber(core, 'error_tracking_requests_per_minute');
    const running = Math.floor(now / MINUTE);
    if (running !== minute) {
      minute = running;
      counts.clear();
    }
    const count = (counts.get(keyId) ?? 0) + 1;
    counts.set(keyId, count);
    if (count <= most) return;
    const seconds = Math.max(Math.ceil(((running + 1) * MINUTE - now) / SECOND), 1);
    throw new IngestRefusal(
      'limit',
      `more than ${most} requests within a minute came ${keyId === 0 ? 'without a client key' : 'with this client key'}`,
      seconds,
    );
  };
}
