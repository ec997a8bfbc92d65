import { type Dsn, readDsn } from '../contract/dsn.ts';
import type { IngestStyle, Language } from './languages.ts';

/** Release of all test events, by which a program that only tests a key is told apart. */
export const TEST_RELEASE = 'signalbox-test';

/** Request of an SDK. */
export interface IngestRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Values that are different in each test event. */
export interface TestEventValues {
  /** 32 lower-case hexadecimal digits. */
  readonly eventId: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly serverName: string;
}

/** Returns the title of the error that test events of a language become. */
export function testTitle(language: Language): string {
  return `${shapes[language].type}: ${MESSAGE}`;
}

const MESSAGE = 'Test error of Signalbox';

/** Shape of the requests of an SDK (docs/interface.md#error-ingestion). */
interface Shape {
  readonly platform: string;
  readonly sdk: { readonly name: string; readonly version: string };
  /** Type of the exception. */
  readonly type: string;
  readonly timestamp: (now: number) => number | string;
  /** Frames, the one that failed last. */
  readonly frames: readonly Readonly<Record<string, unknown>>[];
  /** True if the exceptions are the list itself, without `values`. */
  readonly hasBareExceptions?: true;
  /** Members that the SDK always sends. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** True if the event of an envelope has no ID of its own. */
  readonly leavesOutId?: true;
  /** True if the level is left out when it is `error`. */
  readonly leavesOutLevel?: true;
  readonly credentials: 'query' | 'header' | 'headerWithoutSpaces';
  readonly contentType: string | undefined;
  /** True if item headers state the length of the payload. */
  readonly hasLength: boolean;
  readonly endsWithNewline: boolean;
}

const ENVELOPE = 'application/x-sentry-envelope';
const seconds = (now: number): number => now / 1000;
const inUtc = (now: number): string => new Date(now).toISOString();

const shapes: Readonly<Record<Language, Shape>> = {
  go: {
    platform: 'go',
    sdk: { name: 'sentry.go', version: '0.20.0' },
    type: '*errors.errorString',
    timestamp: (now) => inUtc(now).replace('Z', '000000+00:00'),
    frames: [
      { function: 'main', module: 'main', abs_path: '/app/main.go', filename: 'main.go', lineno: 12, in_app: true },
      { function: 'sendTestError', module: 'main', abs_path: '/app/main.go', filename: 'main.go', lineno: 7, in_app: true },
    ],
    hasBareExceptions: true,
    credentials: 'header',
    contentType: 'application/json',
    hasLength: true,
    endsWithNewline: true,
  },
  java: {
    platform: 'java',
    sdk: { name: 'sentry.java', version: '6.18.1' },
    type: 'IllegalStateException',
    timestamp: inUtc,
    frames: [
      { function: 'main', module: 'com.example.Main', filename: 'Main.java', lineno: 12, native: false },
      { function: 'sendTestError', module: 'com.example.Main', filename: 'Main.java', lineno: 7, native: false },
    ],
    more: { fingerprint: [], breadcrumbs: [] },
    credentials: 'headerWithoutSpaces',
    contentType: ENVELOPE,
    hasLength: true,
    endsWithNewline: true,
  },
  node: {
    platform: 'node',
    sdk: { name: 'sentry.javascript.node', version: '7.38.0' },
    type: 'Error',
    timestamp: seconds,
    frames: [
      { function: 'main', module: 'main', filename: '/app/main.js', lineno: 12, colno: 3, in_app: true },
      { function: 'sendTestError', module: 'main', filename: '/app/main.js', lineno: 7, colno: 9, in_app: true },
    ],
    more: { breadcrumbs: [] },
    credentials: 'query',
    contentType: undefined,
    hasLength: false,
    endsWithNewline: false,
  },
  php: {
    platform: 'php',
    sdk: { name: 'sentry.php', version: '3.18.0' },
    type: 'RuntimeException',
    timestamp: seconds,
    frames: [
      { function: 'main', filename: '/main.php', abs_path: '/app/main.php', lineno: 12, in_app: true },
      { function: 'sendTestError', filename: '/main.php', abs_path: '/app/main.php', lineno: 7, in_app: true },
    ],
    more: { breadcrumbs: { values: [] }, user: { id: null, email: null, ip_address: null } },
    leavesOutId: true,
    credentials: 'header',
    contentType: ENVELOPE,
    hasLength: false,
    endsWithNewline: false,
  },
  python: {
    platform: 'python',
    sdk: { name: 'sentry.python', version: '1.21.0' },
    type: 'RuntimeError',
    timestamp: (now) => inUtc(now).replace('Z', '000Z'),
    frames: [
      { function: '<module>', module: '__main__', filename: 'main.py', abs_path: '/app/main.py', lineno: 12, in_app: true },
      { function: 'send_test_error', module: '__main__', filename: 'main.py', abs_path: '/app/main.py', lineno: 7, in_app: true },
    ],
    more: { breadcrumbs: { values: [] }, modules: {} },
    credentials: 'header',
    contentType: ENVELOPE,
    hasLength: true,
    endsWithNewline: true,
  },
  ruby: {
    platform: 'ruby',
    sdk: { name: 'sentry.ruby', version: '5.9.0' },
    type: 'RuntimeError',
    timestamp: (now) => inUtc(now).replace(/\.\d+Z/, 'Z'),
    frames: [
      { function: '<main>', filename: 'main.rb', abs_path: '/app/main.rb', lineno: 12, in_app: true },
      { function: 'send_test_error', filename: 'main.rb', abs_path: '/app/main.rb', lineno: 7, in_app: true },
    ],
    more: { type: 'event', fingerprint: [], breadcrumbs: { values: [] } },
    credentials: 'header',
    contentType: ENVELOPE,
    hasLength: false,
    endsWithNewline: false,
  },
  rust: {
    platform: 'native',
    sdk: { name: 'sentry.rust', version: '0.31.0' },
    type: 'ParseIntError',
    timestamp: seconds,
    frames: [
      { function: 'program::main', filename: 'main.rs', abs_path: '/app/src/main.rs', lineno: 12, in_app: true },
      { function: 'program::send_test_error', filename: 'main.rs', abs_path: '/app/src/main.rs', lineno: 7, in_app: true },
    ],
    leavesOutLevel: true,
    credentials: 'header',
    contentType: undefined,
    hasLength: true,
    endsWithNewline: true,
  },
};

/** Returns the request with which the SDK of a language sends a test error. Throws if the DSN is not one. */
export function testRequest(language: Language, style: IngestStyle, dsn: string, values: TestEventValues): IngestRequest {
  const read = readDsn(dsn);
  if (read === undefined) throw new Error('not a DSN');
  const shape = shapes[language];
  const event = eventOf(shape, style, values);
  const { query, headers } = credentialsOf(shape, read, values);
  const contentType = style === 'store' ? 'application/json' : shape.contentType;
  return {
    url: `${read.origin}${read.path}/api/${read.projectId}/${style}/${query}`,
    headers: { ...headers, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
    body: style === 'store' ? JSON.stringify(event) : envelopeOf(shape, event, values),
  };
}

function eventOf(
  shape: Shape,
  style: IngestStyle,
  { eventId, now, serverName }: TestEventValues,
): Readonly<Record<string, unknown>> {
  const { platform, sdk, type, timestamp, frames, more } = shape;
  const exceptions = [{ type, value: MESSAGE, stacktrace: { frames }, mechanism: { type: 'generic', handled: true } }];
  return {
    ...(style === 'envelope' && shape.leavesOutId === true ? {} : { event_id: eventId }),
    timestamp: timestamp(now),
    platform,
    ...(shape.leavesOutLevel === true ? {} : { level: 'error' }),
    release: TEST_RELEASE,
    environment: 'test',
    server_name: serverName,
    exception: shape.hasBareExceptions === true ? exceptions : { values: exceptions },
    sdk,
    ...more,
  };
}

function envelopeOf(
  { sdk, hasLength, endsWithNewline }: Shape,
  event: Readonly<Record<string, unknown>>,
  { eventId, now }: TestEventValues,
): string {
  const payload = JSON.stringify(event);
  const length = hasLength ? { length: new TextEncoder().encode(payload).length } : {};
  const lines = [
    JSON.stringify({ event_id: eventId, sent_at: inUtc(now), sdk }),
    JSON.stringify({ type: 'event', ...length }),
    payload,
  ];
  return `${lines.join('\n')}${endsWithNewline ? '\n' : ''}`;
}

function credentialsOf(
  { sdk, credentials }: Shape,
  { publicKey }: Dsn,
  { now }: TestEventValues,
): { readonly query: string; readonly headers: Readonly<Record<string, string>> } {
  const client = `${sdk.name}/${sdk.version}`;
  if (credentials === 'query') {
    return {
      query: `?sentry_version=7&sentry_key=${publicKey}&sentry_client=${encodeURIComponent(client)}`,
      headers: {},
    };
  }
  const words = [
    `sentry_version=7`,
    `sentry_client=${client}`,
    `sentry_timestamp=${Math.floor(now / 1000)}`,
    `sentry_key=${publicKey}`,
  ];
  return { query: '', headers: { 'x-sentry-auth': `Sentry ${words.join(credentials === 'header' ? ', ' : ',')}` } };
}
