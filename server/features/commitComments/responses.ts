import * as z from 'zod';
import { moment, named } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';

export const commitComment = named('CommitComment', () =>
  z.strictObject({
    note: z.string(),
    // Null for comments on the whole commit, as are the next two.
    path: z.string().nullable(),
    line: z.int().nullable(),
    line_type: z.enum(['new', 'old']).nullable(),
    author: userBasic().nullable(),
    created_at: moment(),
  }),
);
