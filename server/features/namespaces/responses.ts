import * as z from 'zod';
import { count, day, named } from '../../http/responses.ts';
import { namespaceMembers } from '../projects/projects.ts';

export const namespaceResponse = named('Namespace', () =>
  // The member count is for owners of the group only.
  z.strictObject({
    ...namespaceMembers(),
    members_count_with_descendants: count().exactOptional(),
    // For owners on the multi-tenant offering.
    plan: z.string().exactOptional(),
    trial: z.boolean().exactOptional(),
    trial_ends_on: day().nullable().exactOptional(),
    // For administrators on the multi-tenant offering.
    shared_runners_minutes_limit: count().nullable().exactOptional(),
    extra_shared_runners_minutes_limit: count().nullable().exactOptional(),
    additional_purchased_storage_size: count().exactOptional(),
    additional_purchased_storage_ends_on: day().nullable().exactOptional(),
  }),
);
