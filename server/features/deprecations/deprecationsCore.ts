import type { Core } from '../../core/core.ts';
import type { DeprecatedCalls } from './calls.ts';
import type { RecordedReads } from './reads.ts';

/** The core with what clients have called. */
export interface DeprecationsCore extends Core {
  readonly deprecatedCalls: DeprecatedCalls;
  /** The latest different reads of the API. */
  readonly recordedReads: RecordedReads;
}
