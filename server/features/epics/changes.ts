import type { TextEdit } from '../../core/changes.ts';
import type { NoteCreated } from '../notes/notes.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    epics: EpicChange;
  }
}

/** Changes of epics. */
export type EpicChange =
  | { readonly kind: 'epicOpened'; readonly epic: ChangedEpic; readonly authorId: number }
  /** The title or description was edited. */
  | { readonly kind: 'epicEdited'; readonly epic: ChangedEpic; readonly edit: TextEdit; readonly authorId: number }
  | NoteCreated<{ readonly type: 'Epic'; readonly epic: ChangedEpic }>;

export interface ChangedEpic {
  readonly id: number;
  readonly iid: number;
  readonly groupId: number;
}
