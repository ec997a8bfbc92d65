import * as z from 'zod';
import { address, day, id, moment, named } from '../../http/responses.ts';

export const milestoneResponse = named('Milestone', () =>
  z.strictObject({
    id: id(),
    iid: id(),
    // The project or the group of the milestone; exactly one of the two is set.
    project_id: id().exactOptional(),
    group_id: id().exactOptional(),
    title: z.string(),
    description: z.string().nullable(),
    state: z.enum(['active', 'closed']),
    created_at: moment(),
    updated_at: moment(),
    due_date: day().nullable(),
    start_date: day().nullable(),
    expired: z.boolean(),
    web_url: address(),
  }),
);
