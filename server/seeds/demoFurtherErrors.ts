import type { JsonObject } from '../../src/contract/json.ts';
import { DAY, HOUR } from '../core/clock.ts';
import type { ErrorHistory, PastEvent, RepeatedEvent } from '../features/errorTracking/errorTracking.ts';
import { type DemoFrame, demoReleases, endUser } from './demoFailures.ts';
import { demoPageDebugId, demoPageMap } from './demoPageMap.ts';
import type { Random } from './random.ts';

/** Location in the minified booking page, with the function as the browser names it. */
type PageFrame = readonly [name: string, column: number];

interface Browser {
  readonly name: string;
  readonly version: string;
  readonly message: string;
  readonly frames: readonly PageFrame[];
}

const PAGE = 'https://berths.tidemark.example/assets/booking.min.js';
const PAGE_RELEASE = 'booking-page@1.4.0';
const LATEST = demoReleases.at(-1) ?? '';

/** Both report the same failure of the booking page. */
export const demoBrowsers: readonly Browser[] = [
  {
    name: 'Chrome',
    version: '142.0.0',
    message: "Cannot read properties of undefined (reading 'amount')",
    frames: [
      ['HTMLFormElement.<anonymous>', 98],
      ['r', 250],
      ['c', 328],
    ],
  },
  {
    name: 'Firefox',
    version: '145.0',
    message: 'can\'t access property "amount", e.deposit is undefined',
    frames: [
      ['</<', 98],
      ['r', 250],
      ['c', 318],
    ],
  },
];

/** Frames of the exception group in `media/demo-workspace/berth-api`: of the group itself, and of its members. */
export const demoGroupFrames = {
  group: ['tides.js', 'askMirrors', 39, 9, "  throw new AggregateError(reasons, 'No tide mirror answered');"],
  caller: ['server.js', 'checkMirrors', 40, 17, '  const table = await askMirrors(job.mirrors);'],
  fetch: [
    'tides.js',
    'askMirror',
    29,
    18,
    '  const answer = await fetch(`${mirror}/tides.json`, { signal: AbortSignal.timeout(800) });',
  ],
  refusal: ['tides.js', 'askMirror', 30, 25, '  if (!answer.ok) throw new RangeError(`${mirror} answered ${answer.status}`);'],
} as const satisfies Readonly<Record<string, DemoFrame>>;

/** Events of the last two weeks, of an error that shows one ability of error tracking. */
interface FurtherError {
  readonly count: number;
  /** The first event is at most this many days old. */
  readonly days: number;
  payload(random: Random): JsonObject;
}

const pageErrors = demoBrowsers.map(
  (browser, index): FurtherError => ({
    count: index === 0 ? 46 : 17,
    days: 13,
    payload: (random) => pageFailure(browser, random.integer(1, 60)),
  }),
);
const serverErrors: readonly FurtherError[] = [
  { count: 58, days: 10, payload: (random) => mirrorFailure(random.integer(1, 3)) },
  { count: 9, days: 6, payload: crash },
];

/**
 * Returns the occurrences of an exception group, of a crash of a native program, and of a failure of a minified page in two browsers.
 * Yields what has to be awaited: the upload of the source map of the page, and its use.
 */
export function* furtherOccurrences(
  history: ErrorHistory,
  random: Random,
  end: number,
): Generator<Promise<void>, readonly Omit<PastEvent, 'id'>[]> {
  yield history.uploadSourceMap(Buffer.from(demoPageMap), PAGE_RELEASE);
  const occurrences: Omit<PastEvent, 'id'>[] = [];
  const add = ({ days, count }: FurtherError, what: () => RepeatedEvent): void => {
    for (let number = 0; number < count; number += 1)
      occurrences.push({ at: end - HOUR - Math.floor(random.next() * (days * DAY - HOUR)), what: what() });
  };
  for (const error of serverErrors) add(error, () => history.read(error.payload(random)));
  for (const error of pageErrors) {
    let mapped: RepeatedEvent[] = [];
    const payloads = Array.from({ length: error.count }, () => error.payload(random));
    yield Promise.all(payloads.map((payload) => history.readMapped(payload))).then((all) => {
      mapped = all;
    });
    add(error, () => mapped.pop() ?? missing());
  }
  return occurrences;
}

function missing(): never {
  throw new Error('the demo data has no such event');
}

/** Returns what the SDK for browsers sends. */
function pageFailure({ name, version, message, frames }: Browser, user: number): JsonObject {
  return {
    platform: 'javascript',
    level: 'error',
    release: PAGE_RELEASE,
    environment: 'production',
    sdk: { name: 'sentry.javascript.browser', version: '10.2.0' },
    user: { id: endUser(user) },
    tags: { browser: `${name} ${version}`, harbour: user % 2 === 0 ? 'north' : 'south' },
    contexts: { browser: { name, version } },
    request: { url: 'https://berths.tidemark.example/booking' },
    breadcrumbs: [
      { category: 'navigation', message: '/berths → /booking' },
      { category: 'ui.click', message: 'select[name="berth"]' },
    ],
    debug_meta: { images: [{ type: 'sourcemap', code_file: PAGE, debug_id: demoPageDebugId }] },
    exception: {
      values: [
        {
          type: 'TypeError',
          value: message,
          mechanism: { type: 'auto.browser.browserapierrors.addEventListener', handled: false },
          stacktrace: {
            frames: frames.map(([called, colno]) => ({ filename: PAGE, function: called, lineno: 1, colno, in_app: true })),
          },
        },
      ],
    },
  };
}

/** Returns what the SDK for Node sends of an `AggregateError`: the members first. */
function mirrorFailure(server: number): JsonObject {
  const chained = (parent: number, id: number, source: string) =>
    ({ type: 'chained', handled: true, exception_id: id, parent_id: parent, source }) as const;
  const { group, caller, fetch, refusal } = demoGroupFrames;
  return {
    platform: 'node',
    level: 'error',
    release: LATEST,
    environment: 'production',
    server_name: `berth-${server}`,
    sdk: { name: 'sentry.javascript.node', version: '10.2.0' },
    tags: { harbour: ['north', 'south', 'island'][server - 1] ?? '' },
    contexts: { runtime: { name: 'node', version: 'v24.1.0' } },
    exception: {
      values: [
        {
          type: 'RangeError',
          value: 'http://tides-south.local answered 503',
          mechanism: chained(0, 4, 'errors[2]'),
          stacktrace: stackOf(refusal),
        },
        {
          type: 'TimeoutError',
          value: 'The operation was aborted due to timeout',
          mechanism: chained(0, 3, 'errors[1]'),
          stacktrace: stackOf(fetch),
        },
        { type: 'Error', value: 'connect ECONNREFUSED 10.0.0.8:80', mechanism: chained(1, 2, 'cause') },
        { type: 'TypeError', value: 'fetch failed', mechanism: chained(0, 1, 'errors[0]'), stacktrace: stackOf(fetch) },
        {
          type: 'AggregateError',
          value: 'No tide mirror answered',
          mechanism: { type: 'onunhandledrejection', handled: false, exception_id: 0, is_exception_group: true },
          stacktrace: stackOf(caller, group),
        },
      ],
    },
  };
}

function stackOf(...frames: readonly DemoFrame[]): JsonObject {
  return { frames: frames.map(frameOf) };
}

/** Returns a frame as the SDK for Node sends it. */
export function frameOf([file, name, line, column, text]: DemoFrame): JsonObject {
  return {
    filename: `/srv/berth-api/${file}`,
    function: name,
    lineno: line,
    colno: column,
    context_line: text,
    in_app: true,
  };
}

const DRIVER = '/opt/gate-driver/bin/gate-driver';
const MOTOR = '/opt/gate-driver/lib/libmotor.so.2';

/** Returns what the SDK for native programs sends. The system loads libraries at other addresses each time. */
function crash(random: Random): JsonObject {
  const [driver, motor] = [0x55_00_00_00_00_00, 0x7f_00_00_00_00_00].map((area) => area + random.integer(0, 0xff_ff_ff) * 0x1000);
  const frame = (file: string, base = 0, offset: number, name?: string): JsonObject => ({
    package: file,
    instruction_addr: `0x${(base + offset).toString(16)}`,
    ...(name === undefined ? {} : { function: name, symbol_addr: `0x${(base + (offset & ~0xff)).toString(16)}` }),
  });
  return {
    platform: 'native',
    level: 'fatal',
    release: 'gate-driver@0.9.2',
    environment: 'production',
    server_name: `gate-${random.integer(1, 4)}`,
    sdk: { name: 'sentry.native', version: '0.11.2' },
    tags: { motor: 'left' },
    contexts: { os: { type: 'os', name: 'Linux', version: '6.12.48' }, device: { type: 'device', arch: 'aarch64' } },
    exception: {
      values: [
        {
          type: 'SIGSEGV',
          value: 'Segfault',
          mechanism: {
            type: 'signalhandler',
            synthetic: true,
            handled: false,
            meta: { signal: { number: 11, name: 'SIGSEGV' } },
          },
          stacktrace: {
            frames: [
              frame(DRIVER, driver, 0x1_2f40),
              frame(DRIVER, driver, 0x1_8a7c),
              frame(MOTOR, motor, 0x42d8, 'motor_turn'),
              frame(MOTOR, motor, 0x3b14, 'motor_read_angle'),
            ],
          },
        },
      ],
    },
  };
}
