import * as z from 'zod';
import type { Note } from '../../src/contract/issues.ts';
import { id, moment, named, readAs } from '../http/answers.ts';
import { userBasic } from '../identity/identity.ts';

export const noteAnswer = named('Note', () =>
  readAs<Note>()(
    z.strictObject({
      id: id(),
      type: z.string().nullable(),
      body: z.string(),
      attachment: z.null(),
      author: userBasic().nullable(),
      created_at: moment(),
      updated_at: moment(),
      system: z.boolean(),
      noteable_id: id(),
      noteable_type: z.string(),
      project_id: id(),
      resolvable: z.boolean(),
      confidential: z.boolean(),
      internal: z.boolean(),
      imported: z.boolean(),
      imported_from: z.string(),
      noteable_iid: id().nullable(),
      commands_changes: z.strictObject({}),
    }),
  ),
);
