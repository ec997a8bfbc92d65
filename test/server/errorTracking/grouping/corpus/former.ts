import { deflateSync, gzipSync } from 'node:zlib';
import { base64Json, HAPPENED, ID, json, KEY, type Sample } from './writers.ts';

/** SDKs that name members `sentry.interfaces.…`, as they were captured. Paths, variables and lists of packages are shortened. */

const happened = '2026-03-04T05:06:07';
const breadcrumbs = { values: [{ timestamp: '2026-03-04T05:06:06.311Z', message: 'lamp 7 switched on', category: 'lamp' }] };

const javaFrames = (inApp: boolean) => [
  { filename: 'Ship.java', module: 'Ship', in_app: inApp, function: 'main', lineno: 18 },
  { filename: 'Ship.java', module: 'Ship', in_app: inApp, function: 'sail', lineno: 13 },
  { filename: 'Ship.java', module: 'Ship', in_app: inApp, function: 'steer', lineno: 12 },
];
const java = {
  event_id: ID,
  message: 'cannot steer',
  timestamp: happened,
  level: 'error',
  logger: null,
  platform: 'java',
  culprit: null,
  transaction: null,
  sdk: { name: 'sentry-java', version: '1.7.30-7a445' },
  tags: { deck: 'upper' },
  breadcrumbs,
  server_name: 'localhost',
  release: 'ship@1.2.3',
  dist: null,
  environment: 'harbour',
  extra: {},
  checksum: null,
  'sentry.interfaces.User': { id: '7', username: null, email: 'ann@example.com', ip_address: null },
};
const javaHeaders = {
  'user-agent': 'sentry-java/1.7.30-7a445',
  'x-sentry-auth': `Sentry sentry_version=6,sentry_client=sentry-java/1.7.30-7a445,sentry_key=${KEY}`,
  'content-type': 'application/json',
  'content-encoding': 'gzip',
};

const pythonFrame = (name: string, line: number, source: string) => ({
  abs_path: '/srv/ship/ship.py',
  filename: 'ship/ship.py',
  module: '__main__',
  function: name,
  lineno: line,
  pre_context: ['def steer():'],
  context_line: source,
  post_context: ['def sail(): steer()'],
  in_app: true,
});
const python = {
  user: { id: '7', email: 'ann@example.com' },
  tags: { deck: 'upper' },
  extra: { 'sys.argv': ["'ship.py'"] },
  server_name: 'vm',
  modules: { python: '3.11.7' },
  release: 'ship@1.2.3',
  environment: 'harbour',
  project: '7',
  timestamp: `${happened}Z`,
  time_spent: null,
  event_id: ID,
  platform: 'python',
  sdk: { name: 'raven-python', version: '6.10.0' },
  repos: {},
  breadcrumbs: {
    values: [
      { type: 'default', timestamp: HAPPENED - 1, level: null, message: 'lamp 7 switched on', category: 'lamp', data: null },
    ],
  },
};
const pythonHeaders = {
  'user-agent': 'raven-python/6.10.0',
  'x-sentry-auth': `Sentry sentry_timestamp=1772600767.7145915, sentry_client=raven-python/6.10.0, sentry_version=6, sentry_key=${KEY}, sentry_secret=s`,
  'content-encoding': 'deflate',
  'content-type': 'application/octet-stream',
  connection: 'close',
};

const ruby = {
  environment: 'harbour',
  event_id: ID,
  extra: { server: { os: { name: 'Linux' }, runtime: { name: 'ruby3.1', version: 'ruby 3.1.7p261' } } },
  logger: 'ruby',
  modules: { json: '2.6.1' },
  platform: 'ruby',
  release: 'ship@1.2.3',
  sdk: { name: 'raven-ruby', version: '3.1.2' },
  server_name: 'vm',
  tags: { deck: 'upper' },
  timestamp: happened,
  user: { id: '7', email: 'ann@example.com' },
  breadcrumbs: {
    values: [{ category: 'lamp', data: {}, level: null, message: 'lamp 7 switched on', timestamp: 1772600766, type: null }],
  },
};
const rubyHeaders = {
  'x-sentry-auth': `Sentry sentry_version=5, sentry_client=raven-ruby/3.1.2, sentry_timestamp=1772600767, sentry_key=${KEY}`,
  'content-type': 'application/octet-stream',
};

export const former: readonly Sample[] = [
  {
    name: 'io.sentry 1.7 stores an exception',
    endpoint: 'store',
    headers: javaHeaders,
    body: gzipSync(
      json({
        ...java,
        'sentry.interfaces.Exception': [
          { type: 'ArithmeticException', value: 'no wind', module: 'java.lang', stacktrace: { frames: javaFrames(false) } },
          { type: 'IllegalStateException', value: 'cannot steer', module: 'java.lang', stacktrace: { frames: javaFrames(true) } },
        ],
      }),
    ),
    event: {
      id: ID,
      platform: 'java',
      exceptions: ['ArithmeticException: no wind', 'IllegalStateException: cannot steer'],
      frames: ['*main Ship.java:18', '*sail Ship.java:13', '*steer Ship.java:12'],
      breadcrumbs: 1,
      user: '7',
    },
  },
  {
    name: 'io.sentry 1.7 stores a message with parameters',
    endpoint: 'store',
    headers: javaHeaders,
    body: gzipSync(
      json({
        ...java,
        message: 'lamp 7 stays dark',
        level: 'info',
        'sentry.interfaces.Message': { message: 'lamp %s stays dark', params: ['7'], formatted: 'lamp 7 stays dark' },
      }),
    ),
    event: { level: 'info', message: ['lamp %s stays dark', 'lamp 7 stays dark'], exceptions: [], user: '7' },
  },
  {
    name: 'raven for Python stores an exception',
    endpoint: 'store',
    headers: pythonHeaders,
    body: deflateSync(
      json({
        ...python,
        level: 40,
        exception: {
          values: [
            {
              value: 'no wind',
              type: 'LookupError',
              module: 'builtins',
              stacktrace: { frames: [pythonFrame('steer', 8, "    try: raise LookupError('no wind')")] },
            },
            {
              value: 'cannot steer',
              type: 'ValueError',
              module: 'builtins',
              stacktrace: {
                frames: [
                  pythonFrame('<module>', 11, 'try: sail()'),
                  pythonFrame('sail', 10, 'def sail(): steer()'),
                  pythonFrame('steer', 9, "    except LookupError as e: raise ValueError('cannot steer') from e"),
                ],
              },
            },
          ],
        },
      }),
    ),
    event: {
      level: 'error',
      exceptions: ['LookupError: no wind', 'ValueError: cannot steer'],
      frames: ['*<module> ship/ship.py:11', '*sail ship/ship.py:10', '*steer ship/ship.py:9'],
      breadcrumbs: 1,
      user: '7',
    },
  },
  {
    name: 'raven for Python stores a message with parameters and the stack of its own functions',
    endpoint: 'store',
    headers: pythonHeaders,
    body: deflateSync(
      json({
        ...python,
        level: 'info',
        message: 'lamp 8 stays dark',
        'sentry.interfaces.Message': { message: 'lamp %s stays dark', params: ["'8'"], formatted: 'lamp 8 stays dark' },
        stacktrace: {
          frames: [
            pythonFrame('<module>', 14, "    c.captureMessage('lamp %s stays dark')"),
            {
              abs_path: '/srv/packages/raven/base.py',
              filename: 'raven/base.py',
              module: 'raven.base',
              function: 'captureMessage',
              lineno: 804,
              in_app: false,
            },
          ],
        },
      }),
    ),
    event: { level: 'info', message: ['lamp %s stays dark', 'lamp 8 stays dark'], eventFrames: 2 },
  },
  {
    name: 'raven for Python stores a database query',
    endpoint: 'store',
    headers: pythonHeaders,
    body: deflateSync(
      json({
        ...python,
        level: 40,
        message: 'SELECT 1 FROM lamps',
        'sentry.interfaces.Query': { query: 'SELECT 1 FROM lamps', engine: 'sqlite3' },
      }),
    ),
    event: { message: ['SELECT 1 FROM lamps', 'SELECT 1 FROM lamps'], contexts: ['query'] },
  },
  {
    name: 'raven for Ruby stores an exception',
    endpoint: 'store',
    headers: rubyHeaders,
    body: base64Json({
      ...ruby,
      level: 'error',
      exception: {
        values: [
          {
            type: 'ArgumentError',
            value: 'cannot steer',
            module: '',
            stacktrace: {
              frames: [
                {
                  abs_path: '/srv/ship/ship.rb',
                  function: 'sail',
                  lineno: 13,
                  in_app: true,
                  pre_context: ['end\n'],
                  context_line: 'def sail; steer; end\n',
                  post_context: ['begin\n'],
                  project_root: '/srv/ship',
                  filename: 'ship.rb',
                },
              ],
            },
          },
        ],
      },
    }),
    event: {
      platform: 'ruby',
      exceptions: ['ArgumentError: cannot steer'],
      frames: ['*sail ship.rb:13'],
      user: '7',
      breadcrumbs: 1,
    },
  },
  {
    name: 'raven for Ruby stores a message',
    endpoint: 'store',
    headers: rubyHeaders,
    body: base64Json({
      ...ruby,
      level: 'info',
      message: 'lamp 7 stays dark',
      logentry: { params: ['lamp 7 stays dark', []], message: 'lamp 7 stays dark' },
    }),
    event: { level: 'info', message: ['lamp 7 stays dark', 'lamp 7 stays dark'] },
  },
];
