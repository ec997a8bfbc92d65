import type { Change } from '../changes.ts';
import { findError } from '../errorTracking/errors.ts';
import type { Platform } from '../platform.ts';
import { activitySince, lastActivity } from '../activity/activity.ts';

const words = {
  errorAppeared: 'new',
  errorRegressed: 'regressed',
  errorEscalated: 'escalated',
  errorStatusChanged: 'status',
  errorsMerged: 'merged',
  errorSplit: 'split',
} as const;
type ErrorChange = Extract<Change, { readonly kind: keyof typeof words }>;

function isOfError(change: Change): change is ErrorChange {
  return Object.hasOwn(words, change.kind);
}

/**
 * Tells what happens to those who listen, once it is committed: changes are published inside their transaction, so that at the next
 * turn of the event loop it is looked up what came of them.
 */
export function followLive(platform: Platform): void {
  const { changes, live, log } = platform;
  let told = lastActivity(platform);
  let errors: ErrorChange[] = [];
  let isWaiting = false;
  const tell = (): void => {
    isWaiting = false;
    // The database may be closed by now.
    if (live.isEnded) return;
    const seen = errors;
    errors = [];
    try {
      for (const { id, projectId, isConfidential } of activitySince(platform, told)) {
        told = id;
        live.publish({
          event: 'activity',
          projectId,
          role: isConfidential ? 'reporter' : undefined,
          data: { project_id: projectId },
        });
      }
      for (const change of seen) {
        const error = findError(platform, change.projectId, change.fingerprint);
        if (error === undefined) continue;
        const { projectId, fingerprint } = change;
        live.publish({
          event: 'error',
          projectId,
          role: 'reporter',
          data: {
            project_id: projectId,
            fingerprint,
            change: words[change.kind],
            title: error.title,
            level: error.level,
            status: error.status,
          },
        });
      }
    } catch (error) {
      log.error('what happened could not be told to those who listen', error);
    }
  };
  changes.subscribe((change) => {
    if (isOfError(change)) errors.push(change);
    if (isWaiting) return;
    isWaiting = true;
    setImmediate(tell);
  });
}
