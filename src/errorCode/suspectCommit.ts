/** Commit that may have caused an error. */
export interface SuspectCommit {
  readonly hash: string;
  readonly title: string;
  readonly author: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `line`: it has written a line of the stack. `file`: it has changed a file of the stack. */
  readonly by: 'line' | 'file';
  /** Path of the file in the repository. */
  readonly path: string;
  /** Line (1-based) in the release of the event. Null for a commit that has changed the file only. */
  readonly line: number | null;
}

/** Commit that may have caused an error, or none, with a sentence that says why. */
export interface Suspect {
  readonly commit: Pick<SuspectCommit, 'hash' | 'title' | 'author' | 'at'> | null;
  readonly text: string;
}
