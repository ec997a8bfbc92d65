import * as z from 'zod';
import { count, named, readAs } from '../http/responses.ts';
import type { AppliedSeed } from './seeds.ts';

/** Schema of the response to an applied seed file: counts, and the secrets of what it created. */
export const appliedSeed = named('PlantedSeed', () =>
  readAs<AppliedSeed>()(
    z.strictObject({
      counts: z.strictObject({
        users: count(),
        groups: count(),
        projects: count(),
        commits: count(),
        tags: count(),
        labels: count(),
        milestones: count(),
        epics: count(),
        issues: count(),
        merge_requests: count(),
        notes: count(),
        snippets: count(),
        releases: count(),
        pipelines: count(),
        jobs: count(),
        packages: count(),
        container_repositories: count(),
        client_keys: count(),
        personal_access_tokens: count(),
        applications: count(),
      }),
      passwords: z.array(z.strictObject({ username: z.string(), password: z.string() })),
      tokens: z.array(z.strictObject({ username: z.string(), name: z.string(), token: z.string() })),
      applications: z.array(z.strictObject({ name: z.string(), application_id: z.string(), secret: z.string().nullable() })),
    }),
  ),
);
