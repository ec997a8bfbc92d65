import * as z from 'zod';
import type { Note } from '../../../src/contract/issues.ts';
import { id, moment, named, readAs } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';

const line = () => z.int().nullable();
const lineOfRange = () =>
  z.strictObject({ line_code: z.string().nullable(), type: z.string().nullable(), old_line: line(), new_line: line() });

const position = named('NotePosition', () =>
  z.strictObject({
    base_sha: z.string(),
    start_sha: z.string(),
    head_sha: z.string(),
    old_path: z.string().nullable(),
    new_path: z.string().nullable(),
    position_type: z.enum(['text', 'image', 'file']),
    old_line: line(),
    new_line: line(),
    line_range: z.strictObject({ start: lineOfRange(), end: lineOfRange() }).nullable(),
  }),
);

export const noteResponse = named('Note', () =>
  readAs<Note>()(
    z.strictObject({
      id: id(),
      type: z.enum(['DiscussionNote', 'DiffNote']).nullable(),
      body: z.string(),
      attachment: z.null(),
      author: userBasic().nullable(),
      created_at: moment(),
      updated_at: moment(),
      system: z.boolean(),
      // Null for commits, which have a `commit_id`.
      noteable_id: id().nullable(),
      noteable_type: z.string(),
      project_id: id().nullable(),
      commit_id: z.string().nullable().optional(),
      position: position().optional(),
      resolvable: z.boolean(),
      resolved: z.boolean().optional(),
      resolved_by: userBasic().nullable().optional(),
      resolved_at: moment().nullable().optional(),
      confidential: z.boolean(),
      internal: z.boolean(),
      imported: z.boolean(),
      imported_from: z.string(),
      noteable_iid: id().nullable(),
      commands_changes: z.strictObject({}),
    }),
  ),
);

/** Response to a comment that contained only quick actions: no note was created. */
export const noteCommands = named('NoteCommands', () =>
  z.strictObject({ commands_changes: z.strictObject({}), summary: z.array(z.string()) }),
);

export const discussionResponse = named('Discussion', () =>
  z.strictObject({ id: z.string(), individual_note: z.boolean(), notes: z.array(noteResponse()) }),
);
