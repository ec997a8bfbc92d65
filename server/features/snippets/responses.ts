import * as z from 'zod';
import { address, id, moment, named } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';

export const snippetResponse = named('Snippet', () =>
  z.strictObject({
    id: id(),
    title: z.string(),
    description: z.string().nullable(),
    visibility: z.enum(['private', 'internal', 'public']),
    author: userBasic(),
    created_at: moment(),
    updated_at: moment(),
    project_id: id().nullable(),
    web_url: address(),
    raw_url: address(),
    ssh_url_to_repo: z.string(),
    http_url_to_repo: address(),
    file_name: z.string(),
    files: z.array(z.strictObject({ path: z.string(), raw_url: address() })),
    imported: z.boolean(),
    imported_from: z.string(),
    // Only for administrators.
    repository_storage: z.string().exactOptional(),
  }),
);
