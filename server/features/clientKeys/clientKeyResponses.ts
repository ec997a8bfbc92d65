import * as z from 'zod';
import type { ClientKey } from '../../../src/contract/clientKeys.ts';
import { id, named, readAs } from '../../http/responses.ts';

const members = () => ({
  id: id(),
  active: z.boolean(),
  public_key: z.string().regex(/^glet_[0-9a-f]{32}$/),
});

/** A client key. The name of the DSN depends on the dialect. */
export const clientKey = named('ErrorTrackingClientKey', () =>
  z.union([
    readAs<ClientKey>()(z.strictObject({ ...members(), tracker_dsn: z.url() })),
    z.strictObject({ ...members(), sentry_dsn: z.url() }),
  ]),
);
