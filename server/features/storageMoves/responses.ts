import * as z from 'zod';
import { address, id, moment, named } from '../../http/responses.ts';
import { snippetResponse } from '../snippets/snippets.ts';
import { moveStates } from './store.ts';

const members = () => ({
  id: id(),
  created_at: moment(),
  state: z.enum(moveStates),
  source_storage_name: z.string(),
  destination_storage_name: z.string(),
  error_message: z.string().nullable(),
});

const projectMove = named('ProjectRepositoryStorageMove', () =>
  z.strictObject({
    ...members(),
    project: z.strictObject({
      id: id(),
      description: z.string().nullable(),
      name: z.string(),
      name_with_namespace: z.string(),
      path: z.string(),
      path_with_namespace: z.string(),
      created_at: moment(),
    }),
  }),
);

const snippetMove = named('SnippetRepositoryStorageMove', () => z.strictObject({ ...members(), snippet: snippetResponse() }));

const groupMove = named('GroupRepositoryStorageMove', () =>
  z.strictObject({ ...members(), group: z.strictObject({ id: id(), web_url: address(), name: z.string() }) }),
);

export const moveResponses = { project: projectMove, snippet: snippetMove, group: groupMove } as const;
