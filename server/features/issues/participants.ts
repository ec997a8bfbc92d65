import type { User } from '../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import { type IssueRow, participantIds } from './store.ts';

/** Returns true if a user participates in an issue and is therefore subscribed by default. */
export function participates(platform: Platform, issue: IssueRow, user: User): boolean {
  return participantIds(platform.store, issue.id, true).includes(user.id);
}
