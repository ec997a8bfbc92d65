import * as z from 'zod';
import { id, moment, named } from '../../http/responses.ts';

export const mailBasic = named('MailBasic', () =>
  z.strictObject({
    id: id(),
    user_id: id().nullable(),
    to: z.string(),
    subject: z.string(),
    reason: z.string().nullable(),
    read: z.boolean(),
    created_at: moment(),
  }),
);
