// Sends errors and messages with one of two releases of an SDK. Usage: `ship.mjs PACKAGES SDK story|crash`, with the DSN in SHIP_DSN.
import { createRequire } from 'node:module';

const [packages, sdk, part] = process.argv.slice(2);
const Sentry = createRequire(packages)(sdk);

const { SHIP_DSN: dsn, SHIP_SPOTLIGHT: spotlight } = process.env;
Sentry.init({ dsn, spotlight, release: 'ship@1.2.3', environment: 'harbour', sendClientReports: true });
Sentry.setUser({ id: 7, email: 'ann@example.com' });
Sentry.setTag('deck', 'upper');
Sentry.addBreadcrumb({ category: 'lamp', message: 'lamp 7 switched on', level: 'info' });

function steer() {
  try {
    throw new RangeError('no wind');
  } catch (cause) {
    throw new Error('cannot steer', { cause });
  }
}

function sail() {
  steer();
}

function sink() {
  throw new TypeError('the hull leaks');
}

if (part === 'crash') {
  setTimeout(() => sink(), 0);
} else {
  try {
    sail();
  } catch (error) {
    Sentry.captureException(error);
  }
  for (const lamp of [7, 8]) Sentry.captureMessage(Sentry.parameterize`lamp ${lamp} stays dark`);
  await Sentry.flush(5000);
}
