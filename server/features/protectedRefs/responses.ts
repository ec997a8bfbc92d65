import * as z from 'zod';
import { id, named } from '../../http/responses.ts';

const accessLevel = named('ProtectedRefAccessLevel', () =>
  z.strictObject({
    id: id(),
    // Null for users, groups and deploy keys.
    access_level: z.int().nonnegative().nullable(),
    access_level_description: z.string(),
    deploy_key_id: id().exactOptional(),
    // In Premium and Ultimate.
    user_id: id().nullable().exactOptional(),
    group_id: id().nullable().exactOptional(),
  }),
);

export const protectedBranch = named('ProtectedBranch', () =>
  z.strictObject({
    id: id(),
    name: z.string(),
    push_access_levels: z.array(accessLevel()),
    merge_access_levels: z.array(accessLevel()),
    unprotect_access_levels: z.array(accessLevel()),
    allow_force_push: z.boolean(),
    code_owner_approval_required: z.boolean(),
    // In Premium and Ultimate.
    inherited: z.boolean().exactOptional(),
  }),
);

export const protectedTag = named('ProtectedTag', () =>
  z.strictObject({ name: z.string(), create_access_levels: z.array(accessLevel()) }),
);
