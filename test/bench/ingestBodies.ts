import { gzipSync } from 'node:zlib';
import { envelope } from '../server/errorTracking/senders.ts';

const GROUPS = 20;
const USERS = 500;
const RELEASES = 6;

/**
 * Returns compressed envelopes with `events` events each, as SDKs send them: twenty errors, some far more frequent than others, from many
 * users and six releases.
 */
export function envelopes(count: number, events = 1, idOf?: (index: number) => string): Buffer[] {
  return Array.from({ length: count }, (_, index) => {
    const items = Array.from({ length: events }, (__, n) => ({
      event: trackedEvent(index * events + n, idOf?.(index * events + n)),
    }));
    return gzipSync(envelope({}, ...items));
  });
}

/**
 * Returns an event of about six kilobytes, as a Python program sends it. Without an id the server assigns one, so the same bytes are a new
 * event each time.
 */
function trackedEvent(index: number, id: string | undefined): object {
  const group = Math.floor(GROUPS * ((index % 97) / 97) ** 2);
  const frames = Array.from({ length: 12 }, (_, n) => ({
    filename: `app/module${n}.py`,
    abs_path: `/srv/app/module${n}.py`,
    function: n === 11 ? `step${group}` : `call${n}`,
    module: `app.module${n}`,
    lineno: 10 + n,
    in_app: n % 2 === 1,
    context_line: '    return handler(request, *args, **kwargs)',
    pre_context: ['def wrapper(request):', '    check(request)', '    # comment here'],
    post_context: ['', 'def other():', '    pass'],
  }));
  return {
    event_id: id,
    timestamp: new Date().toISOString(),
    platform: 'python',
    level: index % 7 === 0 ? 'warning' : 'error',
    release: `ship@1.${index % RELEASES}.0`,
    environment: index % 5 === 0 ? 'harbour' : 'open sea',
    server_name: 'web-1',
    exception: {
      values: [
        {
          type: 'ValueError',
          value: `cannot load ${index}`,
          mechanism: { type: 'generic', handled: false },
          stacktrace: { frames },
        },
      ],
    },
    breadcrumbs: {
      values: Array.from({ length: 10 }, (_, n) => ({
        timestamp: new Date(Date.now() - 1000 * n).toISOString(),
        category: 'query',
        type: 'default',
        level: 'info',
        message: `SELECT * FROM orders WHERE id = ${n}`,
      })),
    },
    tags: { region: 'eu', tier: 'web', browser: 'firefox' },
    user: { id: String((index * 7919) % USERS), username: `user${(index * 7919) % USERS}` },
    contexts: {
      runtime: { name: 'CPython', version: '3.12.1' },
      trace: { trace_id: '4c79f60c11214eb38604f4ae0781bfb2', span_id: 'fa90fdead5f74052' },
    },
    sdk: { name: 'sentry.python', version: '2.8.0' },
    request: { url: 'http://shop.example/orders', method: 'GET', headers: { Host: 'shop.example', 'User-Agent': 'Mozilla/5.0' } },
  };
}
