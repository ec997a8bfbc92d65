import * as z from 'zod';
import { id, moment, named } from '../../http/responses.ts';
import { userPrivate } from '../profiles/profiles.ts';
import { usageTypes } from './store.ts';

const members = () => ({
  id: id(),
  title: z.string(),
  created_at: moment(),
  expires_at: moment().nullable(),
  key: z.string(),
  usage_type: z.enum(usageTypes),
});

export const sshKey = named('SshKey', () => z.strictObject(members()));

export const sshKeyWithUser = named('SshKeyWithUser', () => z.strictObject({ ...members(), user: userPrivate() }));
