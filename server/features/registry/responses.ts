import * as z from 'zod';
import { count, id, moment, named } from '../../http/responses.ts';

export const listedTag = named('RegistryTag', () => z.strictObject({ name: z.string(), path: z.string(), location: z.string() }));

export const tagResponse = named('RegistryTagDetail', () =>
  z.strictObject({
    name: z.string(),
    path: z.string(),
    location: z.string(),
    revision: z.string().regex(/^[0-9a-f]{64}$/),
    short_revision: z.string().regex(/^[0-9a-f]{9}$/),
    digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    created_at: moment(),
    total_size: count(),
  }),
);

/** The response to the deletion of a single tag, which takes effect immediately. */
export const tagDeleted = named('RegistryTagDeleted', () => z.strictObject({ message: z.literal('200 OK') }));

const members = () => ({
  id: id(),
  name: z.string(),
  path: z.string(),
  project_id: id(),
  location: z.string(),
  created_at: moment(),
  // There are no cleanup policies, and deletions take effect immediately.
  cleanup_policy_started_at: z.null(),
  status: z.null(),
});

export const groupRepository = named('GroupRegistryRepository', () => z.strictObject(members()));

/** Only included on request. */
const requestedDetails = () => ({ tags_count: count().exactOptional(), tags: z.array(listedTag()).exactOptional() });

export const repositoryResponse = named('RegistryRepository', () => z.strictObject({ ...members(), ...requestedDetails() }));

export const repositoryDetail = named('RegistryRepositoryDetail', () =>
  z.strictObject({ ...members(), ...requestedDetails(), size: count().exactOptional() }),
);
