import type { Change } from '../../changes.ts';
import type { Platform } from '../../platform.ts';
import type { NewNotificationEvent } from './event.ts';
import { recordEvent } from './work.ts';

/** Records the events that follow from changes, in the transaction of the change. */
export function recordNotifications(platform: Platform): void {
  platform.changes.subscribe((change) => {
    for (const event of eventsOf(change)) recordEvent(platform, event);
  });
}

function eventsOf(change: Change): readonly NewNotificationEvent[] {
  if (change.kind === 'noteCreated' && !change.note.system && change.on.type === 'Issue') {
    const { issue } = change.on;
    return [
      {
        event: 'new_note',
        actorId: change.authorId,
        projectId: issue.projectId,
        groupId: null,
        targetType: 'Issue',
        targetId: issue.id,
        details: { noteId: change.note.id },
      },
    ];
  }
  return [];
}
