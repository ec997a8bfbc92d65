import { type TrackingCore, findError } from '../errorTracking/errorTracking.ts';
import type { LiveCore, Occurrence } from '../../core/live.ts';
import type { Change, ChangeOf } from '../../core/changes.ts';
import { activitySince, lastActivity } from '../activity/activity.ts';

const text = {
  errorAppeared: 'new',
  errorRegressed: 'regressed',
  errorEscalated: 'escalated',
  errorStatusChanged: 'status',
  errorsMerged: 'merged',
  errorSplit: 'split',
  errorAssigned: 'assigned',
  errorIssueChanged: 'issue',
} as const;
type ErrorChange = ChangeOf<keyof typeof text>;

/**
 * Minimum milliseconds between two announcements of what can happen many times a second, because each announcement makes all listeners check
 * their credential.
 */
const PAUSE = 1_000;
/** Number of activity events that are read per turn of the event loop. */
const MAX_AT_ONCE = 100;

function isOfError(change: Change): change is ErrorChange {
  return Object.hasOwn(text, change.kind);
}

/** Returns the occurrence of a change that can happen many times a second; undefined for others. */
function frequentOccurrence(change: Change): Occurrence | undefined {
  const { kind } = change;
  if (kind === 'errorCounted') {
    const { projectId, fingerprint } = change;
    return { event: 'count', projectId, data: { project_id: projectId, fingerprint } };
  }
  if (kind === 'clientKeyUsed' || kind === 'clientKeyMade' || kind === 'clientKeyRemoved') {
    const { projectId, keyId } = change;
    return { event: 'key', projectId, data: { project_id: projectId, key_id: keyId } };
  }
  return undefined;
}

/**
 * Publishes committed changes to the listeners of the stream. Changes are announced inside their transaction, so the result is read in the
 * next turn of the event loop. Every change, and every adjustment of the clock, also makes the listeners check their credential.
 */
export function followLive(core: LiveCore & TrackingCore): void {
  const { changes, clock, live, log } = core;
  let lastId = lastActivity(core);
  /** Changes by their content, because a transaction that is rolled back and repeated announces its changes again. */
  let errors = new Map<string, ErrorChange>();
  const frequent = createFrequent(() => schedule());
  let isWaiting = false;
  const schedule = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    setImmediate(publish);
  };
  const publish = (): void => {
    isWaiting = false;
    // The database may already be closed.
    if (live.isEnded) return;
    const seen = errors;
    errors = new Map();
    try {
      const activity = activitySince(core, lastId, MAX_AT_ONCE);
      lastId = activity.at(-1)?.id ?? lastId;
      if (activity.length === MAX_AT_ONCE) schedule();
      live.publish([
        ...activity.map(
          ({ id, projectId }): Occurrence => ({
            event: 'activity',
            projectId,
            activityId: id,
            data: { project_id: projectId },
          }),
        ),
        ...[...seen.values()].flatMap((change) => errorOccurrence(core, change)),
        ...frequent.take(),
      ]);
    } catch (error) {
      log.error('could not publish changes to the listeners of the stream', error);
    }
  };
  changes.subscribe((change) => {
    const occurrence = frequentOccurrence(change);
    if (occurrence !== undefined) return frequent.add(occurrence);
    if (isOfError(change)) errors.set(`${change.kind} ${change.projectId} ${change.fingerprint}`, change);
    schedule();
  });
  clock.onMove(schedule);
}

/** Combines occurrences that are repeated. The first one is due at once, what follows within the pause together at its end. */
function createFrequent(schedule: () => void) {
  let waiting = new Map<string, Occurrence>();
  let pause: NodeJS.Timeout | undefined;
  return {
    add: (occurrence: Occurrence): void => {
      waiting.set(JSON.stringify(occurrence), occurrence);
      if (pause === undefined) schedule();
    },
    /** Returns what is due. */
    take: (): readonly Occurrence[] => {
      if (pause !== undefined || waiting.size === 0) return [];
      const due = [...waiting.values()];
      waiting = new Map();
      pause = setTimeout(() => {
        pause = undefined;
        if (waiting.size > 0) schedule();
      }, PAUSE).unref();
      return due;
    },
  };
}

/** Returns the occurrence of a change, or an empty list if the error no longer exists. */
function errorOccurrence(core: TrackingCore, { kind, projectId, fingerprint }: ErrorChange): readonly Occurrence[] {
  const error = findError(core, projectId, fingerprint);
  if (error === undefined) return [];
  const { title, level, status } = error;
  return [
    {
      event: 'error',
      projectId,
      data: { project_id: projectId, fingerprint, change: text[kind], title, level, status },
    },
  ];
}
