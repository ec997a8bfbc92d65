import type { Core } from './core.ts';

/** Contributions of users to one feature, such as issues. Called in the transaction in which the account of a user is deleted. */
export interface Contributions {
  /** Makes another user the author of what a user contributed. */
  readonly handOver: (core: Core, fromUserId: number, toUserId: number) => void;
  /** Deletes what a user contributed, or hands over what must stay because it belongs to a project. */
  readonly remove: (core: Core, userId: number, toUserId: number) => void;
}
