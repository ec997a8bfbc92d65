// A page that sends errors and messages: `?part=story|crash&dsn=…`. Its title becomes `sent` at the end.
import * as Sentry from '@sentry/browser';

const options = new URLSearchParams(location.search);

Sentry.init({ dsn: options.get('dsn'), release: 'ship@1.2.3', environment: 'harbour' });
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

async function end() {
  await Sentry.flush(5000);
  document.title = 'sent';
}

if (options.get('part') === 'crash') {
  addEventListener('error', () => setTimeout(end, 0));
  setTimeout(() => sink(), 0);
} else {
  try {
    sail();
  } catch (error) {
    Sentry.captureException(error);
  }
  for (const lamp of [7, 8]) Sentry.captureMessage(Sentry.parameterize`lamp ${lamp} stays dark`);
  void end();
}
