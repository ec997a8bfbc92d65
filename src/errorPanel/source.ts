import type { ErrorDetail, ErrorEvent } from '../contract/errorDetail.ts';

/** Abilities of an instance beyond showing an error with its latest stack. */
export interface DetailAbilities {
  readonly listsEvents: boolean;
  readonly changesStatus: boolean;
}

/** Times in milliseconds since the epoch: from `from`, before `until`. */
export interface TimeRange {
  readonly from: number;
  readonly until: number;
}

export interface EventPage {
  /** The latest event first. */
  readonly items: readonly ErrorEvent[];
  /** Argument for `followEvents`; undefined on the last page. */
  readonly next: string | undefined;
}

/** Source of one error. All methods reject if the request fails. */
export interface DetailSource {
  readonly detail: (signal?: AbortSignal) => Promise<{ readonly detail: ErrorDetail; readonly abilities: DetailAbilities }>;
  /** Lists the events of the error, or those in a range of time. Must not be called without the ability `listsEvents`. */
  readonly events: (range: TimeRange | undefined, signal?: AbortSignal) => Promise<EventPage>;
  readonly followEvents: (next: string, signal?: AbortSignal) => Promise<EventPage>;
  /** Returns releases that began to report before another one, the newest first; none without the ability `listsEvents`. */
  readonly releasesBefore: (version: string, signal?: AbortSignal) => Promise<readonly string[]>;
}

/** Error that a panel shows. Stored with the panel so that it can be shown again after a reload of the window. */
export interface PanelTarget {
  /** Key of the account that reads the error. */
  readonly account: string;
  readonly project: { readonly id: number | string; readonly path: string };
  readonly errorId: string;
}
