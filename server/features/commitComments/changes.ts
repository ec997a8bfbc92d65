import type { NoteCreated } from '../notes/notes.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    commitComments: NoteCreated<{ readonly type: 'Commit'; readonly commit: CommentedCommit }>;
  }
}

interface CommentedCommit {
  /** Number that this server gives to the commit. */
  readonly id: number;
  readonly projectId: number;
  readonly title: string;
}
