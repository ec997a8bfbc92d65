import * as z from 'zod';
import type { Availability } from '../../core/profile.ts';
import { count, id, limitedMember, limitsOf, named } from '../../http/responses.ts';
import { mapValues } from '../../support/mapValues.ts';
import { numbers, switches } from '../settings/settings.ts';

/** Settings that do not exist in the emulated release, tier or offering are omitted. */
export const settingsResponse = named('ApplicationSettings', () =>
  z.strictObject({
    ...mapValues(switches, (definition) => member(definition, z.boolean())),
    ...mapValues(numbers, (definition) => member(definition, definition.minimum === 0 ? count() : id())),
    // Weights of the repository storages by name.
    repository_storages_weighted: z.record(z.string(), count()),
    // Empty if mails only arrive in the local mailbox, or are sent to the server of the command line.
    smtp_url: z.string(),
  }),
);

function member(availability: Availability, schema: z.ZodType): z.ZodType {
  const isLimited = Object.keys(limitsOf(availability)).length > 0;
  return isLimited ? limitedMember(availability, schema.exactOptional()) : schema;
}
