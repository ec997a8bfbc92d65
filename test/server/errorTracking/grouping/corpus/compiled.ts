import { gzipSync } from 'node:zlib';
import { DSN, HAPPENED, HAPPENED_AT, ID, json, KEY, type Sample, SENT_AT, withLengths } from './writers.ts';

const javaFrames = [
  { filename: 'Thread.java', module: 'java.lang.Thread', function: 'run', lineno: 1583 },
  {
    filename: 'NativeMethodAccessorImpl.java',
    module: 'jdk.internal.reflect.NativeMethodAccessorImpl',
    function: 'invoke0',
    lineno: -2,
    native: true,
  },
  { filename: 'Orders.java', module: 'com.example.shop.Orders', function: 'lambda$load$0', lineno: 31 },
];
const java = {
  timestamp: '2026-03-04T05:06:07.250Z',
  exception: {
    values: [
      {
        type: 'IllegalStateException',
        value: 'closed',
        module: 'java.lang',
        thread_id: 1,
        stacktrace: { frames: javaFrames.slice(2) },
        mechanism: { type: 'chained', exception_id: 1, parent_id: 0 },
      },
      {
        type: 'OrderException',
        value: 'order 17',
        module: 'com.example.shop',
        thread_id: 1,
        stacktrace: { frames: javaFrames, snapshot: false },
        mechanism: { type: 'UncaughtExceptionHandler', handled: false, exception_id: 0 },
      },
    ],
  },
  threads: {
    values: [{ id: 1, priority: 5, name: 'main', state: 'RUNNABLE', crashed: true, current: true, daemon: false, main: true }],
  },
  fingerprint: [],
  level: 'fatal',
  event_id: ID,
  contexts: {
    runtime: { name: 'Eclipse Adoptium', version: '21.0.4' },
    trace: { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), op: 'default' },
  },
  sdk: { name: 'sentry.java', version: '6.18.1', packages: [{ name: 'maven:io.sentry:sentry', version: '6.18.1' }] },
  release: 'shop@2.0.0',
  environment: 'production',
  platform: 'java',
  user: { id: '42', ip_address: '{{auto}}' },
  server_name: 'host',
  breadcrumbs: [{ timestamp: '2026-03-04T05:06:06.000Z', message: 'x', type: 'default', data: {}, level: 'info' }],
  tags: { area: 'orders' },
  extra: {},
};
const javaAuth = `Sentry sentry_version=7,sentry_client=sentry.java/6.18.1,sentry_key=${KEY}`;
const javaHeaders = {
  'x-sentry-auth': javaAuth,
  'content-type': 'application/x-sentry-envelope',
  'content-encoding': 'gzip',
  accept: 'application/json',
  connection: 'close',
};
const javaHeader = { event_id: ID, sdk: java.sdk, trace: { trace_id: 'a'.repeat(32), public_key: KEY }, sent_at: SENT_AT };

const goException = [
  { type: '*errors.errorString', value: 'no rows', stacktrace: { frames: [] } },
  {
    type: '*fmt.wrapError',
    value: 'load order 17: no rows',
    module: 'main',
    thread_id: 1,
    stacktrace: {
      frames: [
        {
          function: 'main',
          module: 'main',
          abs_path: '/srv/shop/main.go',
          lineno: 40,
          pre_context: ['func main() {'],
          context_line: '\tload(17)',
          post_context: ['}'],
          in_app: true,
        },
        {
          function: 'Handle',
          module: 'github.com/x/y',
          filename: 'y.go',
          abs_path: '/home/ship/go/pkg/mod/github.com/x/y@v1.2.3/y.go',
          lineno: 7,
          in_app: false,
        },
      ],
    },
  },
];
const go = {
  contexts: {
    device: { arch: 'amd64', num_cpu: 2 },
    os: { name: 'linux' },
    runtime: { name: 'go', version: 'go1.23.1', go_maxprocs: 2 },
  },
  event_id: ID,
  level: 'error',
  platform: 'go',
  release: 'v1.4.0',
  sdk: { name: 'sentry.go', version: '0.20.0', integrations: ['Modules'], packages: [{ name: 'sentry-go', version: '0.20.0' }] },
  server_name: 'host',
  timestamp: '2026-03-04T07:06:07.250456789+02:00',
  user: { id: '42' },
  tags: { area: 'orders' },
  modules: { 'github.com/x/y': 'v1.2.3' },
  exception: goException,
  breadcrumbs: [{ category: 'x', message: 'y', timestamp: '2026-03-04T07:06:06.1+02:00', type: 'default' }],
};
const goExpected = {
  id: ID,
  platform: 'go',
  occurredAt: HAPPENED_AT,
  exceptions: ['*errors.errorString: no rows', '*fmt.wrapError: load order 17: no rows'],
  frames: ['*main /srv/shop/main.go:40', 'Handle y.go:7'],
  breadcrumbs: 1,
  user: '42',
};

export const compiled: readonly Sample[] = [
  {
    name: 'java sends an uncaught exception and the end of its session',
    endpoint: 'envelope',
    headers: javaHeaders,
    body: gzipSync(
      withLengths(javaHeader, [
        { header: { content_type: 'application/json', type: 'event' }, payload: java },
        {
          header: { content_type: 'application/json', type: 'session' },
          payload: {
            sid: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
            did: '42',
            started: '2026-03-04T05:06:00.000Z',
            status: 'crashed',
            seq: 1772600767250,
            errors: 1,
            timestamp: '2026-03-04T05:06:07.250Z',
            duration: 7.25,
            attrs: { release: 'shop@2.0.0', environment: 'production' },
          },
        },
      ]),
    ),
    items: ['event', 'session'],
    event: {
      id: ID,
      platform: 'java',
      level: 'fatal',
      occurredAt: HAPPENED_AT,
      exceptions: ['IllegalStateException: closed', 'OrderException: order 17'],
      frames: ['run Thread.java:1583', 'invoke0 NativeMethodAccessorImpl.java:-', '*lambda$load$0 Orders.java:31'],
      fingerprint: [],
      handled: false,
      user: '42',
    },
  },
  {
    name: 'java sends a message with its stack in a thread',
    endpoint: 'envelope',
    headers: javaHeaders,
    body: gzipSync(
      withLengths(javaHeader, [
        {
          header: { content_type: 'application/json', type: 'event' },
          payload: {
            ...java,
            exception: undefined,
            level: 'info',
            message: { message: 'Slow query %s', formatted: 'Slow query orders', params: ['orders'] },
            threads: { values: [{ id: 1, name: 'main', crashed: false, current: true, stacktrace: { frames: javaFrames } }] },
          },
        },
      ]),
    ),
    items: ['event'],
    event: { message: ['Slow query %s', 'Slow query orders'], level: 'info', threadFrames: 3, exceptions: [], fingerprint: [] },
  },
  {
    name: 'go 0.20 stores an event',
    endpoint: 'store',
    headers: {
      'x-sentry-auth': `Sentry sentry_version=7, sentry_timestamp=1772600767, sentry_client=sentry.go/0.20.0, sentry_key=${KEY}`,
      'content-type': 'application/json',
    },
    body: json(go),
    event: goExpected,
  },
  {
    name: 'go sends an event',
    endpoint: 'envelope',
    headers: {
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=sentry.go/0.31.1, sentry_key=${KEY}`,
      'content-type': 'application/x-sentry-envelope',
    },
    body: withLengths({ event_id: ID, sent_at: SENT_AT, dsn: DSN, sdk: { name: 'sentry.go', version: '0.31.1' } }, [
      { header: { type: 'event' }, payload: go },
    ]),
    items: ['event'],
    event: goExpected,
  },
  {
    name: 'go sends logs by a count instead of a length',
    endpoint: 'envelope',
    headers: {
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=sentry.go/0.36.0, sentry_key=${KEY}`,
      'content-type': 'application/x-sentry-envelope',
    },
    body: Buffer.from(
      `{"event_id":"${ID}","sent_at":"${SENT_AT}","dsn":"${DSN}"}\n{"type":"log","item_count":1,"content_type":"application/vnd.sentry.items.log+json"}\n{"items":[{"body":"x"}]}\n`,
    ),
    items: ['log'],
  },
  {
    name: 'rust sends a panic',
    endpoint: 'envelope',
    headers: {
      'x-sentry-auth': `Sentry sentry_key=${KEY}, sentry_version=7, sentry_timestamp=1772600767.3, sentry_client=sentry.rust/0.31.0`,
    },
    body: withLengths({ event_id: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee' }, [
      {
        header: { type: 'event' },
        payload: {
          event_id: 'aaaaaaaabbbb4ccc8dddeeeeeeeeeeee',
          level: 'fatal',
          timestamp: HAPPENED,
          platform: 'native',
          release: 'shop@0.1.0',
          exception: {
            values: [
              {
                type: 'panic',
                value: 'index out of bounds: the len is 3 but the index is 17',
                stacktrace: {
                  frames: [
                    {
                      function: 'std::rt::lang_start',
                      abs_path: '/rustc/abc/library/std/src/rt.rs',
                      filename: 'rt.rs',
                      lineno: 165,
                      in_app: false,
                      instruction_addr: '0x55d0c0a0',
                    },
                    {
                      function: 'shop::orders::load',
                      abs_path: '/srv/shop/src/orders.rs',
                      filename: 'orders.rs',
                      lineno: 12,
                      in_app: true,
                      instruction_addr: '0x55d0c0b0',
                    },
                  ],
                },
                mechanism: { type: 'panic', handled: false },
              },
            ],
          },
          breadcrumbs: { values: [{ timestamp: HAPPENED, message: 'x' }] },
          sdk: {
            name: 'sentry.rust',
            version: '0.31.0',
            integrations: ['panic'],
            packages: [{ name: 'cargo:sentry', version: '0.31.0' }],
          },
        },
      },
    ]),
    items: ['event'],
    event: {
      id: 'aaaaaaaabbbb4ccc8dddeeeeeeeeeeee',
      platform: 'native',
      level: 'fatal',
      occurredAt: HAPPENED_AT,
      exceptions: ['panic: index out of bounds: the len is 3 but the index is 17'],
      frames: ['std::rt::lang_start rt.rs:165', '*shop::orders::load orders.rs:12'],
    },
  },
  {
    name: 'rust counts sessions of requests',
    endpoint: 'envelope',
    headers: { 'x-sentry-auth': `Sentry sentry_key=${KEY}, sentry_version=7, sentry_client=sentry.rust/0.31.0` },
    body: withLengths({}, [
      {
        header: { type: 'sessions' },
        payload: {
          aggregates: [{ started: '2026-03-04T05:06:00Z', exited: 3 }],
          attrs: { release: 'shop@0.1.0', environment: 'production' },
        },
      },
    ]),
    items: ['sessions'],
  },
];
