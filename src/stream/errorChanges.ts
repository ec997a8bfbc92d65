/** What is reported of the errors and client keys of a project. */
export interface ErrorChange {
  /** `error`: an error is new or was changed. `count`: an error has further events. `key`: a client key was used or changed. */
  readonly kind: 'error' | 'count' | 'key';
  /** Undefined if everything of this kind may have changed, in every project. */
  readonly projectId?: number;
  /** ID of the error or the client key. */
  readonly id?: number;
}

/** Any error may have changed. */
export const ANY_ERROR: ErrorChange = { kind: 'error' };
/** Everything may have changed. */
export const ANYTHING: readonly ErrorChange[] = [ANY_ERROR, { kind: 'key' }];

/** Returns true if a change may be about a project. Its ID is a path, or undefined, if it is unknown. */
export function isAbout({ projectId }: ErrorChange, { id }: { readonly id: number | string | undefined }): boolean {
  return projectId === undefined || typeof id !== 'number' || projectId === id;
}
