import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { type IssueRow, participantIds } from './store.ts';

/** Whether somebody takes part in an issue, and so follows it unless they said otherwise. */
export function takesPart(platform: Platform, issue: IssueRow, user: User): boolean {
  return participantIds(platform.store, issue.id, true).includes(user.id);
}
