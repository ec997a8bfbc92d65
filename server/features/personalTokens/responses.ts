import { day, id, moment, named, readAs } from '../../http/responses.ts';
import type { PersonalToken } from '../../../src/contract/identity.ts';
import * as z from 'zod';

const tokenMembers = () => ({
  id: id(),
  name: z.string(),
  revoked: z.boolean(),
  created_at: moment(),
  description: z.string().nullable(),
  scopes: z.array(z.string()),
  user_id: id(),
  last_used_at: moment().nullable(),
  active: z.boolean(),
  expires_at: day().nullable(),
});

export const personalToken = named('PersonalAccessToken', () => readAs<PersonalToken>()(z.strictObject(tokenMembers())));

/** New personal access token with its value, which no other response contains. */
export const newPersonalToken = named('NewPersonalAccessToken', () =>
  readAs<PersonalToken>()(z.strictObject({ ...tokenMembers(), token: z.string() })),
);
