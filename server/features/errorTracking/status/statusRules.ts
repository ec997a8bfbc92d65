import type { ReleaseAge } from '../releases/releaseOrder.ts';

/**
 * State of a tracked error, set by users and changed by new events. Times are milliseconds since 1970 of the server's clock.
 * Stored in this form.
 */
export type ErrorState =
  | { readonly status: 'unresolved' }
  | {
      /**
       * `resolved`: fixed from now on. `resolved_in_next_release`: fixed in the first release after one of `releases`, which are the newest
       * releases of the events of the error at that time, one of each application.
       */
      readonly status: 'resolved' | 'resolved_in_next_release';
      readonly at: number;
      readonly releases: readonly string[];
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
  /** Age of the event's release relative to the `releases` of the state. */
  readonly releaseAge: ReleaseAge;
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
 * Any later event reopens a resolved error, whatever its release. Only an error resolved in the next release stays resolved, for events
 * of releases that are known not to have the fix (docs/interface.md#tracked-errors).
 */
function isRegression(status: 'resolved' | 'resolved_in_next_release', resolvedAt: number, metadata: EventMetadata): boolean {
  // Earlier events can be sent late, for example by a device that was offline.
  if (metadata.occurredAt <= resolvedAt) return false;
  switch (metadata.releaseAge) {
    case 'newer':
    case 'unknown':
      return true;
    case 'same_or_older':
    case 'repository':
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
 * except that `ignored` starts counting again. `releases` are the newest releases in the events of the error, one of each application.
 */
export function changeState(
  state: ErrorState,
  input: StateInput,
  { now, releases }: { readonly now: number; readonly releases: readonly string[] },
): { readonly state: ErrorState } | { readonly refusal: string } {
  const { status, until } = input;
  if (until !== undefined && status !== 'ignored') return { refusal: 'Only an ignored error has a time at which it comes back.' };
  switch (status) {
    case 'unresolved':
      return { state: state.status === status ? state : unresolved };
    case 'resolved_in_next_release':
      if (releases.length === 0) {
        return {
          refusal: 'No event of this error has named its release, so that there is no next one. Resolve the error instead.',
        };
      }
      return { state: state.status === status ? state : { status, at: now, releases } };
    case 'resolved':
      return { state: state.status === status ? state : { status, at: now, releases } };
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
