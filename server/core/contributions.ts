import type { Core } from './core.ts';

/** How the contributions of a user to one feature, such as issues, end when the account is deleted. Called in a transaction. */
export interface Contributions {
  /** Makes another user the author of what a user contributed. */
  readonly handOver: (core: Core, fromUserId: number, toUserId: number) => void;
  /** Deletes what a user contributed, or hands over what must stay because it belongs to a project. */
  readonly remove: (core: Core, userId: number, toUserId: number) => void;
}
