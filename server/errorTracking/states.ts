import type { ReleaseOrder } from './releases/releases.ts';

/**
 * What people have said about a tracked error, and what the next event makes of it. Times are milliseconds since 1970 by the clock of the
 * server. Stored as it is.
 */
export type ErrorState =
  | { readonly status: 'unresolved' }
  | {
      /**
       * `resolved`: it is fixed from `release` on. `resolved_in_next_release`: from the first release behind it on. `release` is the newest
       * one that the project had heard of at that time.
       */
      readonly status: 'resolved' | 'resolved_in_next_release';
      readonly at: number;
      readonly release: string | undefined;
    }
  | { readonly status: 'ignored'; readonly at: number; readonly until: IgnoreEnd | undefined };

export type ErrorStatus = ErrorState['status'];

/** When an ignored error is told of again; without one, never. */
export type IgnoreEnd =
  | { readonly kind: 'next_occurrence' }
  /** With the event that is the so-manieth since it was ignored. */
  | { readonly kind: 'occurrences'; readonly count: number }
  /** With the event that is the so-manieth of one hour of the clock. */
  | { readonly kind: 'occurrences_per_hour'; readonly count: number }
  /** With the first event from then on. */
  | { readonly kind: 'date'; readonly at: number };

export interface EventMetadata {
  readonly occurredAt: number;
  readonly receivedAt: number;
  /** The error was made by this event. */
  readonly isFirst: boolean;
  /** Of the event's release, seen from the `release` of the state. */
  readonly releaseOrder: ReleaseOrder;
  /** Events since it was ignored, this one included: all of them, and those of this hour. */
  readonly sinceIgnored: { readonly total: number; readonly thisHour: number };
}

/** Of which people are told: anything but `none`. `escalated`: the condition under which it was ignored is met. */
export type StateChange = 'none' | 'new' | 'regressed' | 'escalated';

export interface AfterEvent {
  /** The same object when nothing has changed. */
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
 * A release that is older than the fix fails still, and says nothing of it. Where the order is not known, a plain resolution ends with any
 * event that happened after it, so that nothing is hidden; one in the next release waits for an event that is known to be of it.
 */
function isRegression(status: 'resolved' | 'resolved_in_next_release', resolvedAt: number, metadata: EventMetadata): boolean {
  // What happened before was sent late, for instance by a device that was offline.
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

/** What somebody asks for. */
export interface StateInput {
  readonly status: ErrorStatus;
  /** Only with `ignored`. */
  readonly until?: IgnoreEnd | undefined;
}

/** Most occurrences that somebody may wait for. */
const MAX_OCCURRENCES = 1_000_000;

/**
 * The state that somebody asks for, or why it cannot be, as a sentence for them. What is so already stays as it is, apart from `ignored`,
 * which begins to count anew. `newestRelease`: the newest one that events of the project have named.
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
