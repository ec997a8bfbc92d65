import * as z from 'zod';
import { count, id, moment, named } from '../http/responses.ts';

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

/** A single tag is gone at once. */
export const tagDeleted = named('RegistryTagDeleted', () => z.strictObject({ message: z.literal('200 OK') }));

const members = () => ({
  id: id(),
  name: z.string(),
  path: z.string(),
  project_id: id(),
  location: z.string(),
  created_at: moment(),
  // There are no policies, and what is deleted is gone at once.
  cleanup_policy_started_at: z.null(),
  status: z.null(),
});

export const groupRepository = named('GroupRegistryRepository', () => z.strictObject(members()));

/** Told where they were asked for. */
const asked = () => ({ tags_count: count().exactOptional(), tags: z.array(listedTag()).exactOptional() });

export const repositoryResponse = named('RegistryRepository', () => z.strictObject({ ...members(), ...asked() }));

export const repositoryDetail = named('RegistryRepositoryDetail', () =>
  z.strictObject({ ...members(), ...asked(), size: count().exactOptional() }),
);
