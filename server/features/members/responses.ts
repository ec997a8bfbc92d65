import { userBasic, userBasicMembers } from '../profiles/profiles.ts';
import { day, moment, named } from '../../http/responses.ts';
import * as z from 'zod';

export const member = named('Member', () =>
  z.strictObject({
    ...userBasicMembers(),
    access_level: z.int(),
    created_at: moment(),
    // Omitted if the creator of the membership is unknown or was deleted.
    created_by: userBasic().exactOptional(),
    expires_at: day().nullable(),
    membership_state: z.literal('active'),
  }),
);

/** The result of adding several users at once: errors by username or id. */
export const membersAdded = named('MembersAdded', () =>
  z.union([
    z.strictObject({ status: z.literal('success') }),
    z.strictObject({ status: z.literal('error'), message: z.record(z.string(), z.string()) }),
  ]),
);
