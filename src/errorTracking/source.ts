import type { ErrorStatus, TrackedError, TrackedFrame } from '../contract/trackedErrors.ts';

export const ERROR_ORDERS = ['last_seen', 'first_seen', 'frequency'] as const;
export type ErrorOrder = (typeof ERROR_ORDERS)[number];

export interface ErrorQuery {
  readonly order: ErrorOrder;
  /** Where the source cannot list by status, unresolved errors are listed. */
  readonly statuses: readonly ErrorStatus[];
}

/** What a platform offers beside reading unresolved errors. */
export interface ErrorAbilities {
  readonly listsByStatus: boolean;
  readonly changesStatus: boolean;
}

export interface ErrorPage {
  readonly items: readonly TrackedError[];
  /** To be handed to `follow`; absent on the last page. */
  readonly next: string | undefined;
  /** Nobody tracks errors of the project. */
  readonly isOff: boolean;
  readonly abilities: ErrorAbilities;
}

/** Where the errors of a project come from. Everything rejects with an `ApiFailure`. */
export interface ErrorSource {
  readonly list: (query: ErrorQuery, signal?: AbortSignal) => Promise<ErrorPage>;
  readonly follow: (query: ErrorQuery, next: string, signal?: AbortSignal) => Promise<ErrorPage>;
  /** The stack of its latest event, innermost frame first. */
  readonly frames: (id: string, signal?: AbortSignal) => Promise<readonly TrackedFrame[]>;
  readonly changeStatus: (id: string, status: ErrorStatus) => Promise<void>;
}

/** A project by its number, or path where that is all that is known, and by its path, which GraphQL needs. */
export interface ErrorProject {
  readonly id: number | string;
  readonly path: string;
}
