import { HOUR } from '../../../core/clock.ts';
import { invalidRecord } from '../../../core/errors.ts';
import type { Core } from '../../../core/core.ts';
import type { Store } from '../../../store/open.ts';
import { newestReleases, type ReleaseAge, ageOf } from '../releases/releaseOrder.ts';
import { afterEvent, changeState, type ErrorState, type IgnoreEnd, type StateInput } from './statusRules.ts';
import { eventCount, eventsInHour, removeStatusEdits, setState, type StateRow, type WrittenError } from './statusStore.ts';
import { releasesOfError } from '../releases/releaseStore.ts';
import { addReleaseCheck, isKnownOlder } from './releaseCheckStore.ts';

const changeKinds = { new: 'errorAppeared', regressed: 'errorRegressed', escalated: 'errorEscalated' } as const;

export interface CountedEvent {
  readonly occurred_at: number;
  readonly received_at: number;
  readonly release: string | null;
}

/** Events that were added to an error. Reported within the transaction that counts them. */
export interface CountedEvents {
  /** The error, including the new events. */
  readonly error: WrittenError;
  /** True if the error was created by the first of these events. */
  readonly isNew: boolean;
  /** Returns the events in the order in which they were received. */
  seen(): readonly CountedEvent[];
}

/** Updates the status of an error after new events, and publishes the change. Runs in the transaction that counts the events. */
export function updateStates(core: Pick<Core, 'store' | 'changes'>, { error, isNew, seen }: CountedEvents): void {
  const { store, changes } = core;
  if (isNew) publishChange(core, error, 'new');
  else changes.publish({ kind: 'errorCounted', projectId: error.project_id, fingerprint: error.fingerprint });
  // Nearly all errors are unresolved.
  if (error.status === 'unresolved') return;
  const current = stateOf(error);
  const events = seen();
  const unchecked = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const releaseAge = releaseAgeOf(store, error.id, event.release ?? undefined, current);
    const { state, change } = afterEvent(current, {
      occurredAt: event.occurred_at,
      receivedAt: event.received_at,
      isFirst: false,
      releaseAge,
      sinceIgnored: sinceIgnored(store, error, event, events.length - 1 - index),
    });
    if (change !== 'none') {
      endState(core, error, state, change);
      return;
    }
    if (releaseAge === 'repository' && event.release !== null && 'at' in current && event.occurred_at > current.at)
      unchecked.set(event.release, event.received_at);
  }
  if (unchecked.size === 0) return;
  for (const [release, at] of unchecked) addReleaseCheck(store, error.id, release, at);
  changes.publish({ kind: 'releaseCheckAdded', projectId: error.project_id });
}

/** Ends a state that a user has set, because of events, and publishes why. */
export function endState(
  core: Pick<Core, 'store' | 'changes'>,
  error: ErrorToEnd,
  state: ErrorState,
  change: 'new' | 'regressed' | 'escalated',
): void {
  const { store } = core;
  setState(store, { ...rowOf(state), ...uncounted, id: error.id, is_regression: change === 'regressed' ? 1 : 0 });
  // The status of before belongs to a state that these events ended.
  removeStatusEdits(store, error.id);
  publishChange(core, error, change);
}

type ErrorToEnd = Pick<WrittenError, 'id' | 'project_id' | 'fingerprint' | 'title'>;

function publishChange(
  { changes }: Pick<Core, 'changes'>,
  { project_id: projectId, fingerprint, title }: ErrorToEnd,
  change: keyof typeof changeKinds,
): void {
  changes.publish({ kind: changeKinds[change], projectId, fingerprint, title });
}

function releaseAgeOf(store: Store, errorId: number, release: string | undefined, state: ErrorState): ReleaseAge {
  if (state.status !== 'resolved_in_next_release') return 'unknown';
  const age = ageOf(release, state.releases);
  return age === 'repository' && isKnownOlder(store, errorId, release ?? '') ? 'same_or_older' : age;
}

/** Changes the status of an error. Throws `Invalid` if the change is not possible. */
export function changeErrorStatus(
  core: Core & { readonly inbox: { flush(): void } },
  error: WrittenError,
  input: StateInput,
): void {
  const { store, clock, changes, inbox } = core;
  // Events that were received before the change count as earlier events.
  inbox.flush();
  store.transaction(() => {
    const now = clock.now();
    const current = stateOf(error);
    const requested = changeState(current, input, { now, releases: newestReleases(releasesOfError(store, error.id)) });
    if ('refusal' in requested) throw invalidRecord({ status: [requested.refusal] });
    if (requested.state === current) return;
    const hour = Math.floor(now / HOUR);
    setState(store, {
      ...rowOf(requested.state),
      id: error.id,
      is_regression: 0,
      counted_events: eventCount(store, error.id),
      counted_hour: hour,
      counted_of_hour: eventsInHour(store, error.id, hour),
    });
    changes.publish({
      kind: 'errorStatusChanged',
      projectId: error.project_id,
      fingerprint: error.fingerprint,
      title: error.title,
      from: auditText(current),
      to: auditText(requested.state),
    });
  });
}

/** Returns the status for the audit log, with the condition that ends it, if any. */
export function auditText(state: ErrorState): string {
  return state.status === 'ignored' && state.until !== undefined ? `ignored (${state.until.kind})` : state.status;
}

/** Returns the status of an error with its details, such as until when it is ignored. */
export function stateOf(row: StateRow): ErrorState {
  const at = row.status_at ?? 0;
  switch (row.status) {
    case 'unresolved':
      return { status: row.status };
    case 'resolved':
    case 'resolved_in_next_release':
      return { status: row.status, at, releases: releasesOf(row) };
    case 'ignored':
      return { status: row.status, at, until: ignoreEndOf(row) };
  }
}

function releasesOf({ status_releases: releases }: StateRow): readonly string[] {
  const list: unknown = JSON.parse(releases ?? '[]');
  // Errors of former versions have all their releases.
  return Array.isArray(list) ? newestReleases(list.filter((one) => typeof one === 'string')) : [];
}

function ignoreEndOf({ ignored_until: kind, ignored_number: number }: StateRow): IgnoreEnd | undefined {
  switch (kind) {
    case null:
      return undefined;
    case 'next_occurrence':
      return { kind };
    case 'date':
      return { kind, at: number ?? 0 };
    case 'occurrences':
    case 'occurrences_per_hour':
      return { kind, count: number ?? 0 };
  }
}

const uncounted = { counted_events: 0, counted_hour: 0, counted_of_hour: 0 } as const;

function rowOf(state: ErrorState): Omit<StateRow, keyof typeof uncounted> {
  const until = state.status === 'ignored' ? state.until : undefined;
  return {
    status: state.status,
    status_at: state.status === 'unresolved' ? null : state.at,
    status_releases: 'releases' in state ? JSON.stringify(state.releases) : null,
    ignored_until: until?.kind ?? null,
    ignored_number: until === undefined ? null : 'count' in until ? until.count : 'at' in until ? until.at : null,
  };
}

/** `later` is the number of events in the same batch that came after this one. */
function sinceIgnored(
  store: Store,
  error: WrittenError,
  event: CountedEvent,
  laterEvents: number,
): { readonly total: number; readonly thisHour: number } {
  const hour = Math.floor(event.received_at / HOUR);
  const eventsThisHour = eventsInHour(store, error.id, hour) - (error.counted_hour === hour ? error.counted_of_hour : 0);
  return { total: error.event_count - error.counted_events - laterEvents, thisHour: eventsThisHour - laterEvents };
}
