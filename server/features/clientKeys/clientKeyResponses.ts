import * as z from 'zod';
import type { ClientKey } from '../../../src/contract/clientKeys.ts';
import { id, named, readAs } from '../../http/responses.ts';

const members = () => ({
  id: id(),
  active: z.boolean(),
  public_key: z.string().regex(/^glet_[0-9a-f]{32}$/),
});

/** Members of a client key in the documented and in the observed dialect, which name the DSN differently. */
export const clientKeyMembers = () =>
  [
    { ...members(), tracker_dsn: z.url() },
    { ...members(), sentry_dsn: z.url() },
  ] as const;

/** A client key. The name of the DSN depends on the dialect. */
export const clientKey = named('ErrorTrackingClientKey', () => {
  const [documented, observed] = clientKeyMembers();
  return z.union([readAs<ClientKey>()(z.strictObject(documented)), z.strictObject(observed)]);
});
