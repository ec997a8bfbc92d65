// Sends the same error for three users with 64-bit IDs. Usage: `ids.mjs PACKAGES`, with the DSN in SHIP_DSN.
import { createRequire } from 'node:module';

const Sentry = createRequire(process.argv[2])('@sentry/node');
Sentry.init({ dsn: process.env.SHIP_DSN });
for (const id of [1234567890123456789n, 1234567890123456788n, 1234567890123456700n]) {
  Sentry.withScope((scope) => {
    scope.setUser({ id });
    scope.setTag('guild', String(id));
    scope.setExtra('order', id);
    scope.setContext('order', { id });
    // The SDK leaves out an event that is the same as the one before.
    Sentry.captureException(new Error(`cannot steer ${id}`));
  });
}
await Sentry.flush(5000);
