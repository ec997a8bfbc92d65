import * as z from 'zod';
import type { ErrorTrackingSettings } from '../../../../src/contract/errorTracking.ts';
import { named, readAs } from '../../../http/responses.ts';

const members = () => ({
  active: z.boolean(),
  project_name: z.null(),
  api_url: z.null(),
  integrated: z.boolean(),
});

/** One member has a different name in each dialect. */
export const errorTrackingSettings = named('ErrorTrackingSettings', () =>
  z.union([
    readAs<ErrorTrackingSettings>()(z.strictObject({ ...members(), tracker_external_url: z.null() })),
    z.strictObject({ ...members(), sentry_external_url: z.null() }),
  ]),
);

/** Setting that scrubs secrets from events. */
export const errorTrackingScrubbing = named('ErrorTrackingScrubbing', () => z.strictObject({ enabled: z.boolean() }));
