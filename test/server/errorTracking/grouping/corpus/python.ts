import { brotliCompressSync, gzipSync } from 'node:zlib';
import { asciiJson, DASHED_ID, HAPPENED_AT, ID, KEY, type Sample, SENT_AT, withLengths } from './writers.ts';

const frame = (filename: string, name: string, line: number, inApp: boolean) => ({
  filename,
  abs_path: `/usr/lib/python3/${filename}`,
  function: name,
  module: filename.replace('.py', '').replaceAll('/', '.'),
  lineno: line,
  pre_context: ['def load(key):', '    try:'],
  context_line: '        return table[key]',
  post_context: ['    finally:', '        done()'],
  in_app: inApp,
  vars: { key: "'17'", table: { a: '1' }, password: "'hunter2'", name: 'ä' },
});

const event = {
  level: 'error',
  exception: {
    values: [
      {
        module: null,
        type: 'KeyError',
        value: "'17'",
        mechanism: { type: 'chained', handled: false },
        stacktrace: { frames: [frame('shop/db.py', 'load', 31, true)] },
      },
      {
        module: 'shop.errors',
        type: 'OrderError',
        value: 'order 17\u0000 äöü',
        mechanism: { type: 'excepthook', handled: false },
        stacktrace: {
          frames: [frame('site-packages/flask/app.py', 'wsgi_app', 1473, false), frame('shop/orders.py', '<lambda>', 8, true)],
        },
      },
    ],
  },
  event_id: ID,
  timestamp: '2026-03-04T05:06:07.250000Z',
  breadcrumbs: {
    values: [
      { level: 'warning', category: 'shop', message: 'slow', timestamp: '2026-03-04T05:06:06.000001Z', data: {}, type: 'log' },
    ],
  },
  tags: { n: 1, area: 'orders' },
  user: { id: 42 },
  extra: { 'sys.argv': ['manage.py'] },
  modules: { flask: '3.0.0' },
  contexts: {
    runtime: { name: 'CPython', version: '3.12.3', build: '3.12.3 (main)\n[GCC]' },
    trace: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), parent_span_id: null },
  },
  transaction: 'orders.show',
  transaction_info: {},
  release: 'f00dcafe',
  environment: 'production',
  server_name: 'host',
  sdk: {
    name: 'sentry.python.flask',
    version: '2.68.0',
    packages: [{ name: 'pypi:sentry-sdk', version: '2.68.0' }],
    integrations: ['argv', 'flask'],
  },
  platform: 'python',
  _meta: { exception: { values: { 0: { stacktrace: { frames: { 0: { vars: { '': { len: 12 } } } } } } } } },
};

const expected = {
  id: ID,
  platform: 'python',
  occurredAt: HAPPENED_AT,
  exceptions: ["KeyError: '17'", 'OrderError: order 17 äöü'],
  frames: ['wsgi_app site-packages/flask/app.py:1473', '*<lambda> shop/orders.py:8'],
  breadcrumbs: 1,
  tags: { n: '1', area: 'orders' },
  user: '42',
  release: 'f00dcafe',
  handled: false,
};

const auth = (version: string) => `Sentry sentry_key=${KEY}, sentry_version=7, sentry_client=sentry.python/${version}`;
const header = { event_id: ID, sent_at: SENT_AT, trace: { trace_id: 'a'.repeat(32), public_key: KEY } };

export const python: readonly Sample[] = [
  {
    name: 'python 0.20 stores an event',
    endpoint: 'store',
    headers: {
      'x-sentry-auth': `${auth('0.20.3')}, sentry_secret=abc`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: gzipSync(asciiJson(event)),
    event: expected,
  },
  {
    name: 'python 1.21 stores an event',
    endpoint: 'store',
    headers: {
      'x-sentry-auth': auth('1.21.0'),
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'sentry-trace': `${'a'.repeat(32)}-${'b'.repeat(16)}-`,
    },
    body: gzipSync(asciiJson(event)),
    event: expected,
  },
  {
    name: 'python 1.45 with tracing sends an event',
    endpoint: 'envelope',
    headers: { 'x-sentry-auth': auth('1.45.0'), 'content-type': 'application/x-sentry-envelope', 'content-encoding': 'gzip' },
    body: gzipSync(
      withLengths(header, [{ header: { type: 'event', content_type: 'application/json' }, payload: event }], asciiJson),
    ),
    items: ['event'],
    event: expected,
  },
  {
    name: 'python 2 sends an event with brotli',
    endpoint: 'envelope',
    headers: { 'x-sentry-auth': auth('2.68.0'), 'content-type': 'application/x-sentry-envelope', 'content-encoding': 'br' },
    body: brotliCompressSync(
      withLengths(header, [{ header: { type: 'event', content_type: 'application/json' }, payload: event }], asciiJson),
    ),
    items: ['event'],
    event: expected,
  },
  {
    name: 'python 2 sends what its logging module wrote',
    endpoint: 'envelope',
    headers: { 'x-sentry-auth': auth('2.68.0'), 'content-encoding': 'gzip' },
    body: gzipSync(
      withLengths(
        header,
        [
          {
            header: { type: 'event', content_type: 'application/json' },
            payload: {
              event_id: ID,
              level: 'error',
              logger: 'shop',
              logentry: { message: 'lost %s of %d', formatted: 'lost a of 3', params: ['a', 3] },
              extra: { asctime: 'x' },
              timestamp: '2026-03-04T05:06:07.250000Z',
              platform: 'python',
            },
          },
        ],
        asciiJson,
      ),
    ),
    items: ['event'],
    event: { message: ['lost %s of %d', 'lost a of 3'], exceptions: [] },
  },
  {
    name: 'python 2 sends counts of sessions and a report',
    endpoint: 'envelope',
    headers: { 'x-sentry-auth': auth('2.68.0'), 'content-encoding': 'gzip' },
    body: gzipSync(
      withLengths(
        {},
        [
          {
            header: { type: 'sessions', content_type: 'application/json' },
            payload: {
              attrs: { release: 'f00dcafe', environment: 'production' },
              aggregates: [{ started: '2026-03-04T05:06:00.000000Z', exited: 12, errored: 1 }],
            },
          },
          {
            header: { type: 'session', content_type: 'application/json' },
            payload: {
              sid: DASHED_ID,
              init: true,
              started: '2026-03-04T05:06:00.000000Z',
              timestamp: '2026-03-04T05:06:07.000000Z',
              status: 'crashed',
              errors: 1,
              attrs: { release: 'f00dcafe' },
            },
          },
          {
            header: { type: 'client_report', content_type: 'application/json' },
            payload: {
              timestamp: 1772600767.1,
              discarded_events: [{ reason: 'ratelimit_backoff', category: 'error', quantity: 12 }],
            },
          },
        ],
        asciiJson,
      ),
    ),
    items: ['sessions', 'session', 'client_report'],
  },
];
