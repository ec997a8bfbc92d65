import * as z from 'zod';
import { count, id, moment, named } from '../../http/responses.ts';

export const newUpload = named('NewUpload', () =>
  z.strictObject({ id: id(), alt: z.string(), url: z.string(), full_path: z.string(), markdown: z.string() }),
);

export const listedUpload = named('Upload', () =>
  z.strictObject({
    id: id(),
    size: count(),
    filename: z.string(),
    created_at: moment(),
    // Null if the user was deleted.
    uploaded_by: z.strictObject({ id: id(), name: z.string(), username: z.string() }).nullable(),
  }),
);
