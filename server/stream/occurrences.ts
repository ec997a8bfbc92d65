import type { Change } from '../changes.ts';
import { findError } from '../errorTracking/errors.ts';
import type { Platform } from '../platform.ts';
import { activitySince, lastActivity } from '../activity/activity.ts';
import type { Occurrence } from './live.ts';

const text = {
  errorAppeared: 'new',
  errorRegressed: 'regressed',
  errorEscalated: 'escalated',
  errorStatusChanged: 'status',
  errorsMerged: 'merged',
  errorSplit: 'split',
} as const;
type ErrorChange = Extract<Change, { readonly kind: keyof typeof text }>;

/** Activity events that are read in one turn of the event loop. */
const MAX_AT_ONCE = 100;

function isOfError(change: Change): change is ErrorChange {
  return Object.hasOwn(text, change.kind);
}

/**
 * Publishes what happens to the listeners of the stream, once it is committed: changes are published inside their transaction, so the
 * result is read in the next turn of the event loop. Every change, and every move of the clock, also makes the listeners look whether
 * their credential still holds.
 */
export function followLive(platform: Platform): void {
  const { changes, clock, live, log } = platform;
  let lastId = lastActivity(platform);
  /** By what they say: a transaction that is rolled back and run again publishes its changes again. */
  let errors = new Map<string, ErrorChange>();
  let isWaiting = false;
  const later = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    setImmediate(tell);
  };
  const tell = (): void => {
    isWaiting = false;
    // The database may be closed by now.
    if (live.isEnded) return;
    const seen = errors;
    errors = new Map();
    try {
      const activity = activitySince(platform, lastId, MAX_AT_ONCE);
      lastId = activity.at(-1)?.id ?? lastId;
      if (activity.length === MAX_AT_ONCE) later();
      live.publish([
        ...activity.map(
          ({ id, projectId }): Occurrence => ({
            event: 'activity',
            projectId,
            activityId: id,
            data: { project_id: projectId },
          }),
        ),
        ...[...seen.values()].flatMap((change) => errorOccurrence(platform, change)),
      ]);
    } catch (error) {
      log.error('could not publish changes to the listeners of the stream', error);
    }
  };
  changes.subscribe((change) => {
    if (isOfError(change)) errors.set(`${change.kind} ${change.projectId} ${change.fingerprint}`, change);
    later();
  });
  clock.onMove(later);
}

/** Empty when the error is gone. */
function errorOccurrence(platform: Platform, { kind, projectId, fingerprint }: ErrorChange): readonly Occurrence[] {
  const error = findError(platform, projectId, fingerprint);
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
