import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { type IssueRow, participantIds } from './store.ts';

/** Returns true if a user participates in an issue and is therefore subscribed by default. */
export function participates(core: Core, issue: IssueRow, user: User): boolean {
  return participantIds(core.store, issue.id, true).includes(user.id);
}
