import * as z from 'zod';
import { id, moment, named } from '../../http/responses.ts';

const members = () => ({
  id: id(),
  name: z.string(),
  username: z.string(),
  expires_at: moment().nullable(),
  scopes: z.array(z.string()),
  revoked: z.boolean(),
  expired: z.boolean(),
});

export const deployToken = named('DeployToken', () => z.strictObject(members()));
export const newDeployToken = named('DeployTokenWithToken', () => z.strictObject({ ...members(), token: z.string() }));
