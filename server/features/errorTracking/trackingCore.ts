import type { Core } from '../../core/core.ts';
import type { Inbox } from './write/inbox.ts';
import type { IngestStats } from './receive/ingestStats.ts';

/** The core with the parts that receive and count error events. */
export interface TrackingCore extends Core {
  /** Queue of the events that SDKs send. */
  readonly inbox: Inbox;
  /** Statistics of what SDKs send. */
  readonly ingestStats: IngestStats;
}
