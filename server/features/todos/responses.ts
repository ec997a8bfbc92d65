import * as z from 'zod';
import { address, id, moment, named } from '../../http/responses.ts';
import { userBasic } from '../profiles/profiles.ts';
import { issueResponse } from '../issues/issues.ts';
import { listedMergeRequest } from '../mergeRequests/mergeRequests.ts';
import { madeActions } from './rules.ts';

export const todoResponse = named('Todo', () =>
  z.strictObject({
    id: id(),
    project: z.strictObject({
      id: id(),
      description: z.string().nullable(),
      name: z.string(),
      name_with_namespace: z.string(),
      path: z.string(),
      path_with_namespace: z.string(),
      created_at: moment(),
    }),
    author: userBasic(),
    action_name: z.enum(madeActions),
    target_type: z.enum(['Issue', 'MergeRequest']),
    target: z.union([issueResponse(), listedMergeRequest()]),
    target_url: address(),
    body: z.string(),
    state: z.enum(['pending', 'done']),
    created_at: moment(),
    updated_at: moment(),
  }),
);
