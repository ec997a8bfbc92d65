import type { TrackedError } from '../contract/trackedErrors.ts';
import type { ErrorProject } from '../errorTracking/source.ts';

/** Action on one or several errors of a project. */
export type ErrorAction =
  | 'resolve'
  | 'resolveInNextRelease'
  | 'ignore'
  | 'reopen'
  | 'assign'
  | 'merge'
  | 'split'
  | 'createIssue'
  | 'linkIssue'
  | 'openIssue';

/** Errors of a project on which an action works, with the account of the project. */
export interface ErrorSubject {
  readonly project: ErrorProject;
  /** False if the instance has no API to change errors. */
  readonly canChange: boolean;
  /** At least one. */
  readonly errors: readonly TrackedError[];
}
