import type { Core } from '../../core/core.ts';
import { changed } from './manageIssues.ts';
import { clearDueNotice, clearDueNotices, issuesToAnnounce, nextDueNotice } from './store.ts';

/** Maximum number of issues announced in one turn of the event loop. */
const SLICE = 50;

/** Skips the announcements that are due by now. For seed files, whose issues were due in the past. */
export function skipDueNotices({ store, clock }: Core): void {
  clearDueNotices(store, clock.now());
}

/**
 * Schedules the announcement of issues that are due on the next day. The time of the announcement is stored with the due date and removed
 * when it has come, so every due date is announced once, also after a time without a server. Closed issues are not announced.
 */
export function scheduleDueIssues(core: Core): void {
  const { store, schedule, changes } = core;
  schedule.add({
    name: 'announcements of due issues',
    next: () => nextDueNotice(store),
    run: (now) =>
      store.transaction(() => {
        const issues = issuesToAnnounce(store, now, SLICE);
        for (const issue of issues) {
          clearDueNotice(store, issue.id);
          if (issue.state === 'opened') changes.publish({ kind: 'issueDue', issue: changed(issue) });
        }
        return issues.length === SLICE;
      }),
  });
}
