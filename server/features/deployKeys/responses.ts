import * as z from 'zod';
import { id, moment, named } from '../../http/responses.ts';

const members = () => ({
  id: id(),
  title: z.string(),
  created_at: moment(),
  expires_at: moment().nullable(),
  key: z.string(),
  fingerprint: z.string(),
  fingerprint_sha256: z.string(),
});

export const deployKey = named('DeployKey', () => z.strictObject({ ...members(), can_push: z.boolean() }));

const keyProject = named('DeployKeyProject', () =>
  z.strictObject({
    id: id(),
    description: z.string().nullable(),
    name: z.string(),
    name_with_namespace: z.string(),
    path: z.string(),
    path_with_namespace: z.string(),
    created_at: moment(),
  }),
);

export const instanceKey = named('DeployKeyWithProjects', () =>
  z.strictObject({
    ...members(),
    projects_with_write_access: z.array(keyProject()),
    projects_with_readonly_access: z.array(keyProject()),
  }),
);
