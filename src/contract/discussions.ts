import { readNote, type Note } from './issues.ts';
import { integerMember, isJsonObject, listOf, stringMember } from './json.ts';

/** Thread of comments, from `/projects/:id/issues/:iid/discussions` and similar endpoints. A single comment is a thread, too. */
export interface Discussion {
  readonly id: string;
  /** Oldest first, never empty. */
  readonly notes: readonly Note[];
  /** Location in the changes of a merge request; null for other threads. */
  readonly location: NotePlace | null;
}

export interface NotePlace {
  readonly path: string;
  /** Line number in the new file, or in the old file for a removed line; null for a comment on the whole file. */
  readonly line: number | null;
}

export function readDiscussion(value: unknown): Discussion | undefined {
  if (!isJsonObject(value)) return undefined;
  const id = stringMember(value, 'id');
  const notes = listOf(value.notes, readNote);
  const [first] = notes;
  return id === undefined || first === undefined ? undefined : { id, notes, location: readLocation(first.position) ?? null };
}

function readLocation(value: unknown): NotePlace | undefined {
  if (!isJsonObject(value)) return undefined;
  const path = stringMember(value, 'new_path') ?? stringMember(value, 'old_path');
  const line = integerMember(value, 'new_line') ?? integerMember(value, 'old_line') ?? null;
  return path === undefined ? undefined : { path, line };
}
