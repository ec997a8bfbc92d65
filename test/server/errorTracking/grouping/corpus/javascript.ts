import { gzipSync } from 'node:zlib';
import { base64Json, DSN, HAPPENED, HAPPENED_AT, ID, json, KEY, type Sample, SENT_AT, withoutLengths } from './writers.ts';

const nodeFrames = [
  {
    filename: 'node:internal/process/task_queues',
    module: 'task_queues',
    function: 'process.processTicksAndRejections',
    lineno: 104,
    colno: 5,
    in_app: false,
  },
  {
    filename: '/srv/app/node_modules/express/lib/router/layer.js',
    module: 'express.lib.router:layer',
    function: 'Layer.handle [as handle_request]',
    lineno: 95,
    colno: 5,
    in_app: false,
    pre_context: ['', '  try {'],
    context_line: '    fn(req, res, next);',
    post_context: ['  } catch (err) {', '    next(err);'],
  },
  {
    filename: '/srv/app/dist/orders.js',
    module: 'orders',
    function: 'loadOrder',
    lineno: 14,
    colno: 11,
    in_app: true,
    pre_context: ['async function loadOrder(id) {', '  const rows = await query(id);'],
    context_line: "  if (rows.length === 0) throw new TypeError('no order ' + id, { cause });",
    post_context: ['  return rows[0];', '}', '', "const other = '{snip}';"],
  },
];
const nodeSummary = [
  'process.processTicksAndRejections node:internal/process/task_queues:104',
  'Layer.handle [as handle_request] /srv/app/node_modules/express/lib/router/layer.js:95',
  '*loadOrder /srv/app/dist/orders.js:14',
];

function nodeEvent(version: string): Record<string, unknown> {
  return {
    exception: {
      values: [
        {
          type: 'RangeError',
          value: 'offset 17 is out of range',
          stacktrace: { frames: nodeFrames.slice(0, 2) },
          mechanism: { type: 'chained', handled: true, source: 'cause', exception_id: 1, parent_id: 0 },
        },
        {
          type: 'TypeError',
          value: 'no order 17 🚦',
          stacktrace: { frames: nodeFrames },
          mechanism: { type: 'generic', handled: true, exception_id: 0 },
        },
      ],
    },
    event_id: ID,
    level: 'error',
    platform: 'node',
    contexts: {
      runtime: { name: 'node', version: 'v24.21.0' },
      trace: { trace_id: '11112222333344445555666677778888', span_id: '1111222233334444', parent_span_id: null },
      app: { app_start_time: '2026-03-04T05:00:00.000Z', app_memory: 81_235_968 },
      os: { kernel_version: '6.8.0', name: 'Ubuntu', version: '24.04' },
      device: {
        arch: 'x64',
        memory_size: 8_000_000_000,
        free_memory: 12,
        processor_count: 2,
        cpu_description: 'cpu',
        processor_frequency: 0,
      },
      culture: { locale: 'en-US', timezone: 'Etc/UTC' },
      cloud_resource: {},
    },
    server_name: 'host',
    timestamp: HAPPENED,
    environment: 'production',
    release: 'shop@1.2.3',
    sdk: {
      integrations: ['InboundFilters', 'FunctionToString'],
      name: 'sentry.javascript.node',
      version,
      packages: [{ name: 'npm:@sentry/node', version }],
    },
    tags: { area: 'orders', attempt: 3, last: false, none: null },
    user: { id: 42, email: 'mia@example.com' },
    breadcrumbs: [
      {
        timestamp: HAPPENED - 2,
        category: 'console',
        level: 'log',
        message: 'loading',
        data: { arguments: ['loading'], logger: 'console' },
      },
      {
        timestamp: HAPPENED - 1,
        category: 'http',
        type: 'http',
        data: { 'http.method': 'GET', url: 'http://localhost:9/orders?token=abc', status_code: 200 },
      },
    ],
    request: {
      url: 'http://localhost:3000/orders/17',
      method: 'GET',
      headers: { host: 'localhost:3000', authorization: 'Bearer abc', cookie: 'sid=1' },
      query_string: 'page=2',
      cookies: { sid: '1' },
    },
    modules: { express: '4.21.0', '@sentry/node': version },
  };
}

const nodeExpected = {
  id: ID,
  platform: 'node',
  level: 'error',
  occurredAt: HAPPENED_AT,
  exceptions: ['RangeError: offset 17 is out of range', 'TypeError: no order 17 🚦'],
  frames: nodeSummary,
  breadcrumbs: 2,
  tags: { area: 'orders', attempt: '3', last: 'false' },
  user: '42',
  release: 'shop@1.2.3',
  fingerprint: [],
  handled: true,
};

const query = (version: string): string => `sentry_version=7&sentry_key=${KEY}&sentry_client=sentry.javascript.node%2F${version}`;
const traced = (version: string) => ({
  event_id: ID,
  sent_at: SENT_AT,
  sdk: { name: 'sentry.javascript.node', version },
  trace: { environment: 'production', release: 'shop@1.2.3', public_key: KEY, trace_id: '11112222333344445555666677778888' },
});
const session = (init: boolean, status: string, errors: number) => ({
  sid: '0123456789abcdef0123456789abcdef',
  init,
  started: '2026-03-04T05:06:00.000Z',
  timestamp: '2026-03-04T05:06:07.000Z',
  status,
  errors,
  did: '42',
  duration: 7.1,
  attrs: { release: 'shop@1.2.3', environment: 'production', ip_address: undefined, user_agent: undefined },
});
const raven = (version: string) => `Sentry sentry_version=7, sentry_client=sentry.javascript.node/${version}, sentry_key=${KEY}`;

export const javascript: readonly Sample[] = [
  {
    name: 'node 5 stores an event',
    endpoint: 'store',
    headers: { 'x-sentry-auth': raven('5.30.0'), 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    body: json(nodeEvent('5.30.0')),
    event: nodeExpected,
  },
  {
    name: 'node 6 stores an event',
    endpoint: 'store',
    headers: { 'x-sentry-auth': raven('6.19.7'), 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    body: json(nodeEvent('6.19.7')),
    event: nodeExpected,
  },
  {
    name: 'node 6 sends a session as JSON by its type',
    endpoint: 'envelope',
    headers: { 'x-sentry-auth': raven('6.19.7'), 'content-type': 'application/json' },
    body: withoutLengths({ sent_at: SENT_AT, sdk: { name: 'sentry.javascript.node', version: '6.19.7' } }, [
      { header: { type: 'session' }, payload: session(true, 'ok', 0) },
    ]),
    items: ['session'],
  },
  ...['7.38.0', '8.55.0', '10.78.0'].map(
    (version): Sample => ({
      name: `node ${version.split('.')[0]} sends an event`,
      endpoint: 'envelope',
      query: query(version),
      headers: { 'transfer-encoding': 'chunked' },
      body: withoutLengths(traced(version), [{ header: { type: 'event' }, payload: nodeEvent(version) }]),
      items: ['event'],
      event: nodeExpected,
    }),
  ),
  {
    name: 'node 10 compresses a large event with an attachment behind it',
    endpoint: 'envelope',
    query: query('10.78.0'),
    headers: { 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' },
    body: gzipSync(
      Buffer.concat([
        withoutLengths(traced('10.78.0'), [
          {
            header: { type: 'event' },
            payload: { ...nodeEvent('10.78.0'), extra: { a: 'x'.repeat(15_000), b: 'y'.repeat(15_000), c: 'z'.repeat(15_000) } },
          },
        ]),
        Buffer.from('\n{"type":"attachment","length":12,"filename":"a.bin","content_type":"application/octet-stream"}\n'),
        Buffer.from([0, 10, 123, 34, 10, 10, 255, 254, 0, 10, 13, 10]),
      ]),
    ),
    items: ['event', 'attachment'],
    event: nodeExpected,
  },
  {
    name: 'node 10 sends its first session, and drops it counted',
    endpoint: 'envelope',
    query: query('10.78.0'),
    headers: { 'transfer-encoding': 'chunked' },
    body: withoutLengths({ sent_at: SENT_AT, sdk: { name: 'sentry.javascript.node', version: '10.78.0' } }, [
      { header: { type: 'session' }, payload: session(true, 'ok', 0) },
      {
        header: { type: 'client_report' },
        payload: { timestamp: HAPPENED, discarded_events: [{ reason: 'sample_rate', category: 'error', quantity: 3 }] },
      },
    ]),
    items: ['session', 'client_report'],
  },
  {
    name: 'node 10 sends a message with parameters',
    endpoint: 'envelope',
    query: query('10.78.0'),
    headers: { 'transfer-encoding': 'chunked' },
    body: withoutLengths(traced('10.78.0'), [
      {
        header: { type: 'event' },
        payload: {
          event_id: ID,
          timestamp: HAPPENED,
          platform: 'node',
          level: 'log',
          logentry: { message: 'slow query %s took %d', params: ['orders', 17] },
        },
      },
    ]),
    items: ['event'],
    event: { message: ['slow query %s took %d', 'slow query orders took 17'], level: 'info', exceptions: [] },
  },
  {
    name: 'node 10 sends logs, a transaction and what is not known yet',
    endpoint: 'envelope',
    query: query('10.78.0'),
    headers: {},
    body: withoutLengths(traced('10.78.0'), [
      {
        header: { type: 'log', item_count: 1, content_type: 'application/vnd.sentry.items.log+json' },
        payload: { items: [{ body: 'x' }] },
      },
      { header: { type: 'transaction' }, payload: { type: 'transaction', transaction: 'GET /', spans: [] } },
      { header: { type: 'of_tomorrow' }, payload: [1] },
    ]),
    items: ['log', 'transaction', 'of_tomorrow'],
  },
  {
    name: 'a browser sends an unhandled error of a bundle',
    endpoint: 'envelope',
    query: `sentry_version=7&sentry_key=${KEY}&sentry_client=sentry.javascript.browser%2F10.78.0`,
    headers: { 'content-type': 'text/plain;charset=UTF-8', origin: 'http://localhost:5173' },
    body: withoutLengths({ event_id: ID, sent_at: SENT_AT, sdk: { name: 'sentry.javascript.browser', version: '10.78.0' } }, [
      {
        header: { type: 'event' },
        payload: {
          exception: {
            values: [
              {
                type: 'Error',
                value: 'clicked',
                stacktrace: {
                  frames: [
                    {
                      filename: 'http://localhost:5173/assets/index.3f2a9c1b.js',
                      function: '?',
                      in_app: true,
                      lineno: 1,
                      colno: 8012,
                    },
                    { filename: '<anonymous>', function: 'HTMLButtonElement.onclick', in_app: true, lineno: 2, colno: 5 },
                  ],
                },
                mechanism: { type: 'auto.browser.global_handlers.onerror', handled: false },
              },
            ],
          },
          event_id: ID,
          platform: 'javascript',
          request: { url: 'http://localhost:5173/', headers: { 'User-Agent': 'Mozilla/5.0', Referer: 'http://localhost/' } },
          timestamp: HAPPENED,
          environment: 'production',
          debug_meta: {
            images: [
              {
                type: 'sourcemap',
                code_file: 'http://localhost:5173/assets/index.3f2a9c1b.js',
                debug_id: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
              },
            ],
          },
          user: { ip_address: '{{auto}}' },
          sdk: { name: 'sentry.javascript.browser', version: '10.78.0' },
        },
      },
    ]),
    items: ['event'],
    event: {
      platform: 'javascript',
      exceptions: ['Error: clicked'],
      frames: ['*? http://localhost:5173/assets/index.3f2a9c1b.js:1', '*HTMLButtonElement.onclick <anonymous>:2'],
      handled: false,
    },
  },
  {
    name: 'a browser through a tunnel has the DSN in the header',
    endpoint: 'envelope',
    headers: { 'content-type': 'text/plain;charset=UTF-8' },
    body: withoutLengths({ event_id: ID, sent_at: SENT_AT, dsn: DSN }, [
      { header: { type: 'event' }, payload: { message: 'hello', event_id: ID, platform: 'javascript', timestamp: HAPPENED } },
    ]),
    items: ['event'],
    event: { message: ['hello', 'hello'], level: 'error' },
  },
  {
    name: 'raven-js stores an event as text',
    endpoint: 'store',
    query: `sentry_version=7&sentry_client=raven-js%2F3.27.2&sentry_key=${KEY}`,
    headers: { 'content-type': 'text/plain;charset=UTF-8' },
    body: json({
      project: '7',
      logger: 'javascript',
      platform: 'javascript',
      exception: {
        values: [
          {
            type: 'Error',
            value: 'old',
            stacktrace: { frames: [{ filename: 'http://localhost/a.js', lineno: 3, colno: 1, function: 'f', in_app: true }] },
          },
        ],
      },
      transaction: 'http://localhost/a.js',
      extra: { 'session:duration': 120 },
      breadcrumbs: { values: [{ timestamp: HAPPENED, message: 'x', category: 'sentry' }] },
      event_id: ID,
    }),
    event: { id: ID, exceptions: ['Error: old'], frames: ['*f http://localhost/a.js:3'], breadcrumbs: 1 },
  },
  {
    name: 'raven-node stores base64',
    endpoint: 'store',
    headers: {
      'x-sentry-auth': `Sentry sentry_version=5, sentry_timestamp=1772600767, sentry_client=raven-node/2.6.4, sentry_key=${KEY}`,
      'content-type': 'application/octet-stream',
    },
    body: base64Json({
      event_id: ID,
      message: 'boom',
      level: 40,
      platform: 'node',
      timestamp: '2026-03-04T05:06:07',
      culprit: 'f(a)',
    }),
    event: { id: ID, level: 'error', occurredAt: '2026-03-04T05:06:07.000Z', message: ['boom', 'boom'] },
  },
];
