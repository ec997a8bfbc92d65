import * as z from 'zod';
import { count, id, moment, named } from '../../../http/responses.ts';

const share = () => z.number().min(0).max(1).nullable();

/** Version of an application with its release health. Rates are from 0 to 1. */
export const appRelease = named('AppRelease', () =>
  z.strictObject({
    id: id(),
    version: z.string(),
    first_seen: moment(),
    commit: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/)
      .nullable(),
    events: count(),
    new_errors: count(),
    sessions: z.strictObject({
      total: count(),
      healthy: count(),
      errored: count(),
      crashed: count(),
      abnormal: count(),
      crash_free_rate: share(),
      duration_p50: z.number().nonnegative().nullable(),
    }),
    users: z.strictObject({ total: count(), crashed: count(), crash_free_rate: share() }),
    adoption: share(),
  }),
);
