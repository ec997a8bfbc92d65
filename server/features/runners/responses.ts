import * as z from 'zod';
import { address, id, moment, named } from '../../http/responses.ts';
import { projectBasic } from '../projects/projects.ts';
import { accessLevels, runnerStatuses, runnerTypes } from './rules.ts';

const members = () => ({
  id: id(),
  description: z.string().nullable(),
  ip_address: z.null(),
  active: z.boolean(),
  paused: z.boolean(),
  is_shared: z.boolean(),
  runner_type: z.enum(runnerTypes),
  name: z.string().nullable(),
  online: z.boolean().nullable(),
  status: z.enum([...runnerStatuses, 'paused']),
});

export const runner = named('Runner', () => z.strictObject(members()));

export const runnerDetails = named('RunnerDetails', () =>
  z.strictObject({
    ...members(),
    tag_list: z.array(z.string()),
    run_untagged: z.boolean(),
    locked: z.boolean(),
    maximum_timeout: z.int().nullable(),
    access_level: z.enum(accessLevels),
    version: z.string().nullable(),
    revision: z.string().nullable(),
    platform: z.string().nullable(),
    architecture: z.string().nullable(),
    contacted_at: moment().nullable(),
    // Null for callers who do not manage the runner.
    maintenance_note: z.string().nullable(),
    projects: z.array(projectBasic()),
    groups: z.array(z.strictObject({ id: id(), web_url: address(), name: z.string() })),
  }),
);

/** The authentication token of a runner. It does not expire. */
export const runnerRegistration = named('RunnerRegistration', () =>
  z.strictObject({ id: id(), token: z.string(), token_expires_at: z.null() }),
);

export const authenticationToken = named('RunnerAuthenticationToken', () =>
  z.strictObject({ token: z.string(), token_expires_at: z.null() }),
);

export const registrationTokenResponse = named('RunnerRegistrationToken', () => z.strictObject({ token: z.string() }));
