import { gzipSync } from 'node:zlib';
import { base64Json, DSN, HAPPENED, HAPPENED_AT, ID, json, KEY, type Sample, SENT_AT, withoutLengths } from './writers.ts';

const php = {
  timestamp: HAPPENED,
  platform: 'php',
  sdk: { name: 'sentry.php', version: '4.29.0' },
  level: 'error',
  transaction: '',
  server_name: 'host',
  release: 'shop@3.0.0',
  environment: 'production',
  modules: { 'sentry/sentry': '4.29.0' },
  tags: { area: 'orders' },
  user: { id: '42', username: null, email: null, ip_address: null, segment: null },
  contexts: {
    os: { name: 'Linux', version: '6.8.0', build: '#1', kernel_version: 'Linux host 6.8.0' },
    runtime: { name: 'php', sapi: 'cli', version: '8.3.6' },
  },
  breadcrumbs: {
    values: [{ type: 'default', category: 'error_reporting', level: 'info', timestamp: HAPPENED - 1, message: 'x' }],
  },
  request: {
    url: 'http://localhost/orders',
    method: 'POST',
    headers: { Host: ['localhost'], Accept: ['a', 'b'], Cookie: ['sid=1'] },
    cookies: { sid: '1' },
    data: { password: 'hunter2', page: '1' },
  },
  exception: {
    values: [
      {
        type: 'App\\OrderException',
        value: 'order 17',
        stacktrace: {
          frames: [
            {
              filename: '/vendor/laravel/framework/Kernel.php',
              lineno: 144,
              in_app: false,
              abs_path: '/srv/shop/vendor/laravel/framework/Kernel.php',
              function: 'Kernel::handle',
              raw_function: 'Kernel::handle',
            },
            {
              filename: '/app/Orders.php',
              lineno: 31,
              in_app: true,
              abs_path: '/srv/shop/app/Orders.php',
              function: 'App\\Orders::load',
              pre_context: ['{'],
              context_line: '    throw new OrderException();',
              post_context: ['}'],
              vars: { id: 17 },
            },
          ],
        },
        mechanism: { type: 'generic', handled: true, data: { code: 0 } },
      },
    ],
  },
};
const phpExpected = {
  id: ID,
  platform: 'php',
  occurredAt: HAPPENED_AT,
  exceptions: ['App\\OrderException: order 17'],
  frames: ['Kernel::handle /vendor/laravel/framework/Kernel.php:144', '*App\\Orders::load /app/Orders.php:31'],
  breadcrumbs: 1,
  user: '42',
};
const phpAuth = (version: string) => `Sentry sentry_version=7, sentry_client=sentry.php/${version}, sentry_key=${KEY}`;

const ruby = {
  event_id: ID,
  level: 'error',
  timestamp: '2026-03-04T05:06:07Z',
  environment: 'production',
  server_name: 'host',
  modules: { rails: '7.2.0' },
  message: '',
  user: {},
  tags: {},
  contexts: { os: { name: 'Linux' }, runtime: { name: 'ruby', version: 'ruby 3.3.0' } },
  extra: {},
  fingerprint: [],
  platform: 'ruby',
  sdk: { name: 'sentry.ruby.rails', version: '5.9.0' },
  type: 'event',
  release: 'f00dcafe',
  breadcrumbs: { values: [{ category: 'sql', data: {}, level: null, message: 'SELECT', timestamp: 1772600766, type: null }] },
  exception: {
    values: [
      {
        type: 'ActiveRecord::RecordNotFound',
        value: "Couldn't find Order with 'id'=17 (ActiveRecord::RecordNotFound)",
        module: 'ActiveRecord',
        thread_id: 8,
        stacktrace: {
          frames: [
            {
              project_root: '/srv/shop',
              abs_path: '/usr/local/bundle/gems/rack-3.1.0/lib/rack/head.rb',
              function: 'call',
              lineno: 15,
              in_app: false,
              filename: 'rack/head.rb',
            },
            {
              project_root: '/srv/shop',
              abs_path: '/srv/shop/app/models/order.rb',
              function: 'block in load',
              lineno: 9,
              in_app: true,
              filename: 'app/models/order.rb',
              pre_context: ['def load\n'],
              context_line: '  find(id)\n',
              post_context: ['end\n'],
            },
          ],
        },
      },
    ],
  },
};

export const phpAndRuby: readonly Sample[] = [
  {
    name: 'php 3 stores an event',
    endpoint: 'store',
    headers: { 'x-sentry-auth': phpAuth('3.18.0'), 'content-type': 'application/json', 'content-encoding': 'gzip' },
    body: gzipSync(json({ event_id: ID, ...php })),
    event: phpExpected,
  },
  {
    name: 'php 4 sends an event, whose id stands in the header only',
    endpoint: 'envelope',
    headers: { 'x-sentry-auth': phpAuth('4.29.0'), 'content-type': 'application/x-sentry-envelope', 'content-encoding': 'gzip' },
    body: gzipSync(
      withoutLengths({ event_id: ID, sent_at: SENT_AT, dsn: DSN, sdk: php.sdk }, [
        { header: { type: 'event', content_type: 'application/json' }, payload: php },
      ]),
    ),
    items: ['event'],
    event: phpExpected,
  },
  {
    name: 'php 4 sends a message with parameters and a stack of its own',
    endpoint: 'envelope',
    headers: { 'x-sentry-auth': phpAuth('4.29.0'), 'content-type': 'application/x-sentry-envelope' },
    body: withoutLengths({ event_id: ID, sent_at: SENT_AT, dsn: DSN }, [
      {
        header: { type: 'event', content_type: 'application/json' },
        payload: {
          ...php,
          exception: undefined,
          message: { message: 'Slow query %s', params: ['orders'], formatted: 'Slow query orders' },
          stacktrace: php.exception.values[0]?.stacktrace,
        },
      },
    ]),
    items: ['event'],
    event: { message: ['Slow query %s', 'Slow query orders'], eventFrames: 2, exceptions: [] },
  },
  {
    name: 'php 4 reports what it left out',
    endpoint: 'envelope',
    headers: { 'x-sentry-auth': phpAuth('4.29.0') },
    body: withoutLengths({}, [
      {
        header: { type: 'client_report' },
        payload: { timestamp: HAPPENED, discarded_events: [{ reason: 'before_send', category: 'error', quantity: 1 }] },
      },
    ]),
    items: ['client_report'],
  },
  {
    name: 'php 1 stores base64',
    endpoint: 'store',
    headers: {
      'x-sentry-auth': `Sentry sentry_timestamp=1772600767.1, sentry_client=sentry-php/1.10.0, sentry_version=6, sentry_key=${KEY}, sentry_secret=abc`,
      'content-type': 'application/octet-stream',
    },
    body: base64Json({
      event_id: ID,
      message: 'old',
      tags: [['area', 'orders']],
      platform: 'php',
      timestamp: '2026-03-04T05:06:07Z',
      level: 'warning',
    }),
    event: { id: ID, level: 'warning', message: ['old', 'old'], tags: { area: 'orders' } },
  },
  {
    name: 'ruby 5 sends a small event with an empty encoding',
    endpoint: 'envelope',
    headers: {
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=sentry-ruby/5.9.0, sentry_timestamp=1772600767, sentry_key=${KEY}`,
      'content-type': 'application/x-sentry-envelope',
      'content-encoding': '',
    },
    body: withoutLengths({ event_id: ID, dsn: DSN, sdk: ruby.sdk, sent_at: SENT_AT }, [
      { header: { type: 'event', content_type: 'application/json' }, payload: ruby },
    ]),
    items: ['event'],
    event: {
      id: ID,
      platform: 'ruby',
      exceptions: ["ActiveRecord::RecordNotFound: Couldn't find Order with 'id'=17 (ActiveRecord::RecordNotFound)"],
      frames: ['call rack/head.rb:15', '*block in load app/models/order.rb:9'],
      fingerprint: [],
      breadcrumbs: 1,
    },
  },
  {
    name: 'ruby 5 counts sessions',
    endpoint: 'envelope',
    headers: {
      'x-sentry-auth': `Sentry sentry_version=7, sentry_client=sentry-ruby/5.9.0, sentry_key=${KEY}`,
      'content-encoding': '',
    },
    body: withoutLengths({}, [
      {
        header: { type: 'sessions' },
        payload: {
          attrs: { release: 'f00dcafe', environment: null },
          aggregates: [{ started: '2026-03-04T05:06:00Z', exited: 3, errored: 0 }],
        },
      },
    ]),
    items: ['sessions'],
  },
  {
    name: 'sentry-raven stores base64',
    endpoint: 'store',
    headers: {
      'x-sentry-auth': `Sentry sentry_version=5, sentry_client=raven-ruby/3.0.0, sentry_timestamp=1772600767, sentry_key=${KEY}`,
      'content-type': 'application/octet-stream',
    },
    body: base64Json({ ...ruby, exception: { values: ruby.exception.values } }),
    event: { id: ID, platform: 'ruby', frames: ['call rack/head.rb:15', '*block in load app/models/order.rb:9'] },
  },
];
