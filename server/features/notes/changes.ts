/** The change that a note is added. Each feature with notes declares it for its own objects. */
export interface NoteCreated<On> {
  readonly kind: 'noteCreated';
  readonly note: ChangedNote;
  readonly on: On;
  readonly authorId: number;
}

export interface ChangedNote {
  readonly id: number;
  readonly type: 'Note' | 'DiscussionNote' | 'DiffNote';
  readonly internal: boolean;
  readonly system: boolean;
}
