import type { ReleaseOrder } from '../releases/releaseOrder.ts';

/**
 * State of a tracked error, set by users and changed by new events. Times are milliseconds since 1970 of the server's clock.
 * Stored in this form.
 */
export type ErrorState =
  | { readonly status: 'unresolved' }
  | {
      /**
       * `resolved`: fixed since `release`. `resolved_in_next_release`: fixed since the first release after it. `release` is the
       * newest release of the project at that time.
       */
      readonly status: 'resolved' | 'resolved_in_next_release';
      readonly at: number;
      readonly release: string | undefined;
    }
  | { readonly status: 'ignored'; readonly at: number; readonly until: IgnoreEnd | undefined };

export type ErrorStatus = ErrorState['status'];

/** Condition that ends the ignored status. Without one the error is ignored permanently. */
export type IgnoreEnd =
  | { readonly kind: 'next_occurrence' }
  /** Ends with this number of events since the error was ignored. */
  | { readonly kind: 'occurrences'; readonly count: number }
  /** Ends with this number of events within one clock hour. */
  | { readonly kind: 'occurrences_per_hour'; readonly count: number }
  /** Ends with the first event from this time on. */
  | { readonly kind: 'date'; readonly at: number };

export interface EventMetadata {
  readonly occurredAt: number;
  readonly receivedAt: number;
  /** True if the error was created by this event. */
  readonly isFirst: boolean;
  /** Order of the event's release relative to the `release` of the state. */
  readonly releaseOrder: ReleaseOrder;
  /** Events since the error was ignored, including this one: all, and those of this hour. */
  readonly sinceIgnored: { readonly total: number; readonly thisHour: number };
}

/**
 * Change of the state, of which users are notified unless it is `none`. `escalated`: the condition that ends the ignored status
 * is met.
 */
export type StateChange = 'none' | 'new' | 'regressed' | 'escalated';

export interface AfterEvent {
  /** The same object if nothing changed. */
  readonly state: ErrorState;
  readonly change: StateChange;
}

const unresolved: ErrorState = { status: 'unresolved' };

export function afterEvent(state: ErrorState, metadata: EventMetadata): AfterEvent {
  switch (state.status) {
    case 'unresolved':
      return { state, change: metadata.isFirst ? 'new' : 'none' };
    case 'resolved':
    case 'resolved_in_next_release':
      return isRegression(state.status, state.at, metadata)
        ? { state: unresolved, change: 'regressed' }
        : { state, change: 'none' };
    case 'ignored':
      return state.until !== undefined && isReached(state.until, metadata)
        ? { state: unresolved, change: 'escalated' }
        : { state, change: 'none' };
  }
}

/**
 * Releases older than the fix still fail, which is not a regression. If the order is unknown, any later event reopens a resolved
 * error, so that nothing is hidden. An error resolved in the next release is reopened only by an event known to be from it.
 */
function isRegression(status: 'resolved' | 'resolved_in_next_release', resolvedAt: number, metadata: EventMetadata): boolean {
  // Earlier events can be sent late, for example by a device that was offline.
  if (metadata.occurredAt <= resolvedAt) return false;
  switch (metadata.releaseOrder) {
    case 'newer':
      return true;
    case 'older':
      return false;
    case 'same':
    case 'unknown':
      return status === 'resolved';
  }
}

function isReached(until: IgnoreEnd, { receivedAt, sinceIgnored }: EventMetadata): boolean {
  switch (until.kind) {
    case 'next_occurrence':
      return true;
    case 'occurrences':
      return sinceIgnored.total >= until.count;
    case 'occurrences_per_hour':
      return sinceIgnored.thisHour >= until.count;
    case 'date':
      return receivedAt >= until.at;
  }
}

/** Requested change of the state. */
export interface StateInput {
  readonly status: ErrorStatus;
  /** Only with the status `ignored`. */
  readonly until?: IgnoreEnd | undefined;
}

/** Maximum number of occurrences in a condition. */
const MAX_OCCURRENCES = 1_000_000;

/**
 * Returns the requested state, or why it is not possible, as a sentence. An error that has the status already is unchanged,
 * except that `ignored` starts counting again. `newestRelease` is the newest release in the events of the project.
 */
export function changeState(
  state: ErrorState,
  input: StateInput,
  { now, newestRelease }: { readonly now: number; readonly newestRelease: string | undefined },
): { readonly state: ErrorState } | { readonly refusal: string } {
  const { status, until } = input;
  if (until !== undefined && status !== 'ignored') return { refusal: 'Only an ignored error has a time at which it comes back.' };
  switch (status) {
    case 'unresolved':
      return { state: state.status === status ? state : unresolved };
    case 'resolved_in_next_release':
      if (newestRelease === undefined) {
        return {
          refusal: 'No event of this project has named its release, so that there is no next one. Resolve the error instead.',
        };
      }
      return { state: state.status === status ? state : { status, at: now, release: newestRelease } };
    case 'resolved':
      return { state: state.status === status ? state : { status, at: now, release: newestRelease } };
    case 'ignored': {
      const refusal = until === undefined ? undefined : refusalOf(until, now);
      return refusal === undefined ? { state: { status, at: now, until } } : { refusal };
    }
  }
}

function refusalOf(until: IgnoreEnd, now: number): string | undefined {
  switch (until.kind) {
    case 'next_occurrence':
      return undefined;
    case 'occurrences':
    case 'occurrences_per_hour':
      return Number.isInteger(until.count) && until.count >= 1 && until.count <= MAX_OCCURRENCES
        ? undefined
        : `The number of occurrences must be from 1 to ${MAX_OCCURRENCES}.`;
    case 'date':
      return Number.isSafeInteger(until.at) && until.at > now
        ? undefined
        : 'The date until which an error is ignored must be in the future.';
  }
}
