import * as z from 'zod';
import { moment, named } from '../../http/responses.ts';

/** Values of the availability in a user status. */
export const availabilities = ['not_set', 'busy'] as const;

/** Status of a user. */
export const userStatus = named('UserStatus', () =>
  z.strictObject({
    emoji: z.string().nullable(),
    message: z.string().nullable(),
    availability: z.enum(availabilities).nullable(),
    message_html: z.string(),
    clear_status_at: moment().nullable(),
  }),
);

export const versionResponse = named('Version', () =>
  z.strictObject({
    version: z.string(),
    revision: z.string(),
    kas: z.strictObject({
      enabled: z.boolean(),
      externalUrl: z.string().nullable(),
      externalK8sProxyUrl: z.string().nullable(),
      version: z.string().nullable(),
    }),
    enterprise: z.boolean(),
  }),
);

/** Response of an action that succeeded. */
export const done = named('Done', () => z.literal(true));
/** Response of a state change: true if it was made, false if it was not possible, null if it was not needed. */
export const doneOrNot = named('DoneOrNot', () => z.boolean().nullable());
