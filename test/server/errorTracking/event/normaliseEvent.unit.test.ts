import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { TrackedEvent } from '../../../../server/features/errorTracking/event/trackedEvent.ts';
import { cutEvent } from '../../../../server/features/errorTracking/event/cutEvent.ts';
import { mayHoldSecrets } from '../../../../server/features/errorTracking/event/secretScan.ts';
import { IngestFailure } from '../../../../server/features/errorTracking/body/ingestFailure.ts';
import { isErrorEvent, readPayload, readStorePayload } from '../../../../server/features/errorTracking/body/storePayload.ts';
import type { JsonObject } from '../../../../src/contract/json.ts';
import { base64Json, ID } from '../grouping/corpus/writers.ts';
import { noMechanism } from '../trackedEvents.ts';
import { normalised, RECEIVED_AT } from '../reading.ts';

const problems = (event: TrackedEvent): string[] => event.problems.map(({ name, type }) => `${name} ${type}`);
const frameOf = (frame: unknown) => normalised({ stacktrace: { frames: [frame] } }).frames[0];
const many = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index));

const names = [
  'event_id',
  'timestamp',
  'level',
  'platform',
  'exception',
  'values',
  'type',
  'value',
  'stacktrace',
  'frames',
  'function',
  'lineno',
  'colno',
  'context_line',
  'pre_context',
  'vars',
  'in_app',
  'mechanism',
  'threads',
  'message',
  'logentry',
  'formatted',
  'params',
  'breadcrumbs',
  'data',
  'tags',
  'user',
  'id',
  'ip_address',
  'contexts',
  'request',
  'headers',
  'cookies',
  'query_string',
  'url',
  'modules',
  'fingerprint',
  'checksum',
  'extra',
  'sdk',
  'name',
  'debug_meta',
  'images',
  'release',
  'password',
  'constructor',
] as const;

describe('members with the names of former SDKs', () => {
  const current: JsonObject = {
    exception: {
      values: [{ type: 'E', value: 'x', stacktrace: { frames: [{ filename: 'a.py', function: 'f', context_line: 'raise E' }] } }],
    },
    user: { id: '7', ip_address: '{{auto}}' },
    logentry: { message: 'lost %s', params: ['a'] },
    request: { url: 'http://localhost/', headers: { Cookie: 'a=b' } },
    stacktrace: { frames: [{ filename: 'b.py', function: 'g' }] },
    contexts: { runtime: { name: 'CPython' } },
    breadcrumbs: { values: [{ message: 'm' }] },
    query: { query: 'SELECT 1', engine: 'sqlite3' },
  };
  const formerName = (name: string): string =>
    `sentry.interfaces.${{ logentry: 'Message', request: 'Http' }[name] ?? name.charAt(0).toUpperCase() + name.slice(1)}`;
  const named = (payload: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(payload).map(([name, value]) => [formerName(name), value]));
  const about = { givenId: ID };

  it('all members are read by their former names', () => {
    assert.deepEqual(normalised(named(current), about), normalised(current, about));
    const { contexts } = normalised(current);
    assert.deepEqual(contexts, { query: { query: 'SELECT 1', engine: 'sqlite3' }, runtime: { name: 'CPython' } });
  });

  it('the line of a template is the stack of an event without another one', () => {
    const template = { filename: 'cart.html', abs_path: '/srv/cart.html', lineno: 4, context_line: '{% cart %}' };
    for (const name of ['template', 'sentry.interfaces.Template']) {
      const { frames } = normalised({ [name]: template });
      assert.deepEqual(
        frames.map(({ filename, line, contextLine }) => [filename, line, contextLine]),
        [['cart.html', 4, '{% cart %}']],
      );
    }
    assert.equal(normalised({ template, stacktrace: current['stacktrace'] }).frames[0]?.filename, 'b.py');
  });

  it('a template message has precedence over the text of the event, and a current name over a former one', () => {
    const sent = { 'sentry.interfaces.Message': { message: 'lost %s', params: ['a'] }, message: 'lost a' };
    assert.deepEqual(normalised(sent).message, { template: 'lost %s', text: 'lost a', isParameterised: true });
    assert.equal(normalised({ ...sent, logentry: 'now' }).message?.text, 'now');
    assert.equal(normalised({ 'sentry.interfaces.User': { id: '8' }, user: { id: '7' } }).user?.id, '7');
    assert.equal(normalised({ 'sentry.interfaces.User': { id: '8' }, user: null }).user?.id, '8');
  });

  it('secrets in members with former names are removed', () => {
    const payload = { 'sentry.interfaces.Http': { url: 'http://localhost/?token=abcdefgh', data: { password: 'hunter2' } } };
    assert.doesNotMatch(JSON.stringify(normalised(payload).request), /abcdefgh|hunter2/);
    assert.equal(mayHoldSecrets({ 'sentry.interfaces.Http': { query_string: { a: 'b' } } }), true);
  });
});

describe('the SDK of an event', () => {
  it('the SDK is the one that the payload names, otherwise the one of the credentials', () => {
    const client = (): string => 'raven-php/1.8.0';
    assert.deepEqual(normalised({ sdk: { name: 'a', version: '1' } }, { client }).sdk, { name: 'a', version: '1' });
    assert.deepEqual(normalised({}, { client }).sdk, { name: 'raven-php', version: '1.8.0' });
    assert.deepEqual(normalised({}, { client: () => 'shop' }).sdk, { name: 'shop', version: '' });
    assert.equal(normalised({}).sdk, undefined);
  });
});

describe('an empty event', () => {
  it('an empty event has every member', () => {
    const { id, ...rest } = normalised({});
    assert.match(id, /^[0-9a-f]{32}$/);
    assert.deepEqual(rest, {
      occurredAt: RECEIVED_AT,
      level: 'error',
      platform: 'other',
      exceptions: [],
      threads: [],
      message: undefined,
      frames: [],
      breadcrumbs: [],
      tags: new Map(),
      user: undefined,
      fingerprint: [],
      logger: undefined,
      transaction: undefined,
      serverName: undefined,
      appRelease: undefined,
      dist: undefined,
      environment: undefined,
      sdk: undefined,
      request: undefined,
      contexts: {},
      extra: {},
      modules: new Map(),
      debugIds: new Map(),
      problems: [],
    });
  });
});

describe('accepted types of members', () => {
  const thrown = (type: string): object => ({ type, value: undefined, module: undefined, frames: [], mechanism: undefined });
  const thread = { id: undefined, name: undefined, crashed: false, current: false, frames: [] };
  // Member of the normalised event, payload, expected value, problems.
  const table: readonly [
    name: string,
    payload: JsonObject,
    member: keyof TrackedEvent,
    wanted: unknown,
    ...problems: string[],
  ][] = [
    ['level log', { level: 'log' }, 'level', 'info'],
    ['level critical', { level: 'CRITICAL' }, 'level', 'fatal'],
    ['level warn', { level: 'warn' }, 'level', 'warning'],
    ['level 30', { level: 30 }, 'level', 'warning'],
    ['level as digits', { level: '50' }, 'level', 'fatal'],
    ['level null', { level: null }, 'level', 'error'],
    ['level unknown', { level: 'loud' }, 'level', 'error', 'level invalid_data'],
    ['level list', { level: ['error'] }, 'level', 'error', 'level invalid_data'],
    ['level of every object', { level: 'constructor' }, 'level', 'error', 'level invalid_data'],
    ['platform number', { platform: 7 }, 'platform', '7'],
    ['platform object', { platform: {} }, 'platform', 'other', 'platform invalid_data'],
    ['message text', { message: 'hi' }, 'message', { template: 'hi', text: 'hi', isParameterised: false }],
    ['message empty', { message: '' }, 'message', undefined],
    ['message list', { message: ['hi'] }, 'message', undefined, 'message invalid_data'],
    [
      'message with %s',
      { logentry: { message: 'a %s b %d c', params: ['x', 2] } },
      'message',
      { template: 'a %s b %d c', text: 'a x b 2 c', isParameterised: true },
    ],
    [
      'message with too few parameters',
      { logentry: { message: '%s %s', params: ['x'] } },
      'message',
      { template: '%s %s', text: 'x %s', isParameterised: true },
    ],
    [
      'message with names',
      { logentry: { message: '%(a)s {b} {c}', params: { a: 1, b: 'x' } } },
      'message',
      { template: '%(a)s {b} {c}', text: '1 x {c}', isParameterised: true },
    ],
    [
      'message with braces',
      { logentry: { message: '{} {1} {}', params: ['x', 'y'] } },
      'message',
      { template: '{} {1} {}', text: 'x y y', isParameterised: true },
    ],
    [
      'message with 100%',
      { logentry: { message: '100% of %s', params: ['x'] } },
      'message',
      { template: '100% of %s', text: '100% of x', isParameterised: true },
    ],
    [
      'message of every object',
      { logentry: { message: '{constructor} {__proto__}', params: {} } },
      'message',
      { template: '{constructor} {__proto__}', text: '{constructor} {__proto__}', isParameterised: false },
    ],
    [
      'message formatted only',
      { logentry: { formatted: 'hi' } },
      'message',
      { template: 'hi', text: 'hi', isParameterised: false },
    ],
    [
      'message whose parameters are a text',
      { logentry: { message: '%s', params: 'x' } },
      'message',
      { template: '%s', text: '%s', isParameterised: false },
      'logentry.params invalid_data',
    ],
    ['logentry before message', { message: 'b', logentry: 'a' }, 'message', { template: 'a', text: 'a', isParameterised: false }],
    [
      'tags of other types',
      { tags: { a: 1, b: true, c: null, d: 'x' } },
      'tags',
      new Map([
        ['a', '1'],
        ['b', 'true'],
        ['d', 'x'],
      ]),
    ],
    [
      'tags as pairs',
      { tags: [['a', 1], { key: 'b', value: 'x' }, null] },
      'tags',
      new Map([
        ['a', '1'],
        ['b', 'x'],
      ]),
    ],
    ['tags as garbage', { tags: 'x' }, 'tags', new Map(), 'tags invalid_data'],
    ['tags with objects', { tags: { a: {}, b: '1' } }, 'tags', new Map([['b', '1']]), 'tags.a invalid_data'],
    ['tags that are no pairs', { tags: [7, ['b', '1']] }, 'tags', new Map([['b', '1']]), 'tags[0] invalid_data'],
    [
      'user with a number',
      { user: { id: 42, email: null } },
      'user',
      { id: '42', username: undefined, email: undefined, address: undefined, name: undefined },
    ],
    ['user of nothing', { user: {} }, 'user', undefined],
    ['user of nulls', { user: { id: null, ip_address: '' } }, 'user', undefined],
    [
      'user of this connection',
      { user: { ip_address: '{{auto}}' } },
      'user',
      { id: undefined, username: undefined, email: undefined, address: '127.0.0.1', name: undefined },
    ],
    ...(
      [
        // SDKs that leave the address to the server say so, or are older than the setting.
        ['auto', { sdk: { settings: { infer_ip: 'auto' } } }, '127.0.0.1'],
        ['auto with an empty user', { user: {}, sdk: { settings: { infer_ip: 'auto' } } }, '127.0.0.1'],
        ['never', { platform: 'javascript', sdk: { settings: { infer_ip: 'never' } } }, undefined],
        ['never, but {{auto}}', { user: { ip_address: '{{auto}}' }, sdk: { settings: { infer_ip: 'never' } } }, undefined],
        ['never, but sent', { user: { ip_address: '192.0.2.1' }, sdk: { settings: { infer_ip: 'never' } } }, '192.0.2.1'],
        ['a browser', { platform: 'javascript', sdk: { name: 'sentry.javascript.browser' } }, '127.0.0.1'],
        ['an app of Apple', { platform: 'cocoa' }, '127.0.0.1'],
        ['legacy on a server', { platform: 'python', sdk: { settings: { infer_ip: 'legacy' } } }, undefined],
        ['an unknown setting', { platform: 'python', sdk: { settings: { infer_ip: 7 } } }, undefined],
        ['a setting that is no map', { platform: 'python', sdk: { settings: 'auto' } }, undefined],
        // Servers send the address of the client of the request that they were handling.
        ['a request', { platform: 'php', request: { env: { REMOTE_ADDR: '192.0.2.7' } } }, '192.0.2.7'],
        ['a request with IPv6', { request: { env: { REMOTE_ADDR: '2001:db8::1' } } }, '2001:db8::1'],
        ['a request without an address', { request: { env: { REMOTE_ADDR: 'unix:' } } }, undefined],
        ['a request that refers to the sender', { request: { env: { REMOTE_ADDR: '{{auto}}' } } }, '127.0.0.1'],
        [
          'a user with an address and a request',
          { user: { ip_address: '192.0.2.1' }, request: { env: { REMOTE_ADDR: '192.0.2.7' } } },
          '192.0.2.1',
        ],
      ] as const
    ).map(([name, sent, address]): [string, Readonly<Record<string, unknown>>, 'user', unknown] => [
      `address of the user of ${name}`,
      sent,
      'user',
      address === undefined ? undefined : { id: undefined, username: undefined, email: undefined, address, name: undefined },
    ]),
    [
      'tags with long names',
      { tags: { ['a'.repeat(100) + 1]: 'x', ['a'.repeat(100) + 2]: 'y' } },
      'tags',
      new Map([
        ['a'.repeat(100) + 1, 'x'],
        ['a'.repeat(100) + 2, 'y'],
      ]),
    ],
    ['user as garbage', { user: 'mia' }, 'user', undefined, 'user invalid_data'],
    [
      'user with a bad name',
      { user: { id: 1, name: {} } },
      'user',
      { id: '1', username: undefined, email: undefined, address: undefined, name: undefined },
      'user.name invalid_data',
    ],
    ['fingerprint empty', { fingerprint: [] }, 'fingerprint', []],
    ['fingerprint of many types', { fingerprint: ['a', 1, null, ' b ', '', true] }, 'fingerprint', ['a', '1', 'b', 'true']],
    ['fingerprint of the default', { fingerprint: ['{{ default }}', 'x'] }, 'fingerprint', ['{{ default }}', 'x']],
    ['fingerprint as a text', { fingerprint: 'db' }, 'fingerprint', ['db']],
    ['fingerprint with objects', { fingerprint: [{}, 'x'] }, 'fingerprint', ['x'], 'fingerprint[0] invalid_data'],
    ['checksum', { checksum: 'abc' }, 'fingerprint', ['abc']],
    ['checksum beside an empty fingerprint', { checksum: 'abc', fingerprint: [] }, 'fingerprint', ['abc']],
    ['checksum beside a fingerprint', { checksum: 'abc', fingerprint: ['x'] }, 'fingerprint', ['x']],
    ['release number', { release: 1.5 }, 'appRelease', '1.5'],
    ['transaction empty', { transaction: '' }, 'transaction', undefined],
    ['transaction or culprit', { transaction: '', culprit: 'f(a)' }, 'transaction', 'f(a)'],
    ['sdk', { sdk: { name: 'a', version: '1', packages: {} } }, 'sdk', { name: 'a', version: '1' }],
    ['sdk without a version', { sdk: { name: 'a' } }, 'sdk', { name: 'a', version: '' }],
    ['sdk without a name', { sdk: { version: '1' } }, 'sdk', undefined],
    ['modules as a list', { modules: [{ name: 'a', version: '1' }, { name: 'b' }, 7] }, 'modules', new Map([['a', '1']])],
    ['modules as garbage', { modules: 'a' }, 'modules', new Map(), 'modules invalid_data'],
    [
      'debug ids',
      { debug_meta: { images: [{ type: 'sourcemap', code_file: 'a.js', debug_id: 'x-y' }, null, { code_file: 7 }] } },
      'debugIds',
      new Map([['a.js', 'x-y']]),
    ],
    [
      'exception list',
      { exception: [{ type: 'A' }] },
      'exceptions',
      [{ type: 'A', value: undefined, module: undefined, frames: [], mechanism: undefined }],
    ],
    [
      'exception alone',
      { exception: { type: 'A', value: 1 } },
      'exceptions',
      [{ type: 'A', value: '1', module: undefined, frames: [], mechanism: undefined }],
    ],
    ['exception of nothing', { exception: { values: [null, {}, { type: null }, { type: '' }] } }, 'exceptions', []],
    ['exception empty', { exception: {} }, 'exceptions', [], 'exception invalid_data'],
    ['exception null', { exception: null }, 'exceptions', []],
    ['exception values null', { exception: { values: null } }, 'exceptions', []],
    ['exception text', { exception: 'A' }, 'exceptions', [], 'exception invalid_data'],
    [
      'exception of texts',
      { exception: { values: ['A', { type: 'B', stacktrace: [] }] } },
      'exceptions',
      [{ type: 'B', value: undefined, module: undefined, frames: [], mechanism: undefined }],
      'exception.values[0] invalid_data',
    ],
    [
      'exception value object',
      { exception: [{ type: 'A', value: { a: [1] } }] },
      'exceptions',
      [{ type: 'A', value: '{"a":[1]}', module: undefined, frames: [], mechanism: undefined }],
    ],
    [
      'exception mechanism',
      { exception: [{ type: 'A', mechanism: { type: 'm', handled: 'no', synthetic: true, is_exception_group: null } }] },
      'exceptions',
      [
        {
          type: 'A',
          value: undefined,
          module: undefined,
          frames: [],
          mechanism: { ...noMechanism, type: 'm', synthetic: true },
        },
      ],
      'exception[0].mechanism.handled invalid_data',
    ],
    ['an exception in the place of the list', { exception: { type: 'A' } }, 'exceptions', [thrown('A')]],
    ['an exception in the place of `values`', { exception: { values: { type: 'A' } } }, 'exceptions', [thrown('A')]],
    ['no exception', { exception: {} }, 'exceptions', [], 'exception invalid_data'],
    ['a thread in the place of the list', { threads: { id: 7 } }, 'threads', [{ ...thread, id: '7' }]],
    ['a thread in the place of `values`', { threads: { values: { id: 7 } } }, 'threads', [{ ...thread, id: '7' }]],
    [
      'a breadcrumb in the place of `values`',
      { breadcrumbs: { values: { message: 'x' } } },
      'breadcrumbs',
      [{ at: undefined, category: undefined, type: undefined, level: undefined, message: 'x', data: undefined }],
    ],
    [
      'relations of an exception',
      {
        exception: [{ type: 'A', mechanism: { exception_id: 2, parent_id: '0', source: 'errors[0]', is_exception_group: true } }],
      },
      'exceptions',
      [
        {
          ...thrown('A'),
          mechanism: { ...noMechanism, exceptionId: 2, parentId: 0, source: 'errors[0]', isExceptionGroup: true },
        },
      ],
    ],
    [
      'relations that are none',
      { exception: [{ type: 'A', mechanism: { exception_id: -1, parent_id: {}, source: [] } }] },
      'exceptions',
      [{ ...thrown('A'), mechanism: noMechanism }],
      'exception[0].mechanism.exception_id invalid_data',
      'exception[0].mechanism.parent_id invalid_data',
      'exception[0].mechanism.source invalid_data',
    ],
    [
      'the signal of a crash',
      { exception: [{ type: 'A', mechanism: { meta: { signal: { number: 11, name: 'SIGSEGV' } } } }] },
      'exceptions',
      [{ ...thrown('A'), mechanism: { ...noMechanism, signal: 'SIGSEGV' } }],
    ],
    [
      'unknown variables of a fingerprint',
      { fingerprint: ['{{ default }}', 'a-{{ tenant }}', '{{transaction}}'] },
      'fingerprint',
      ['{{ default }}', 'a-{{ tenant }}', '{{transaction}}'],
      'fingerprint[1] invalid_data',
    ],
    ['frames that are none', { stacktrace: { frames: [null, 7] } }, 'frames', [], 'stacktrace.frames[1] invalid_data'],
    ['frames as garbage', { stacktrace: { frames: 'x' } }, 'frames', [], 'stacktrace.frames invalid_data'],
    [
      'threads',
      { threads: [{ id: 1, name: 'main', crashed: true, stacktrace: null }] },
      'threads',
      [{ id: '1', name: 'main', crashed: true, current: false, frames: [] }],
    ],
    [
      'breadcrumbs',
      { breadcrumbs: { values: [{ timestamp: 1772600767, level: 'warn', message: 7, data: 'x' }, null, 'y'] } },
      'breadcrumbs',
      [{ at: 1772600767000, category: undefined, type: undefined, level: 'warning', message: '7', data: undefined }],
      'breadcrumbs[0].data invalid_data',
      'breadcrumbs[2] invalid_data',
    ],
    [
      'breadcrumb of no time',
      { breadcrumbs: [{ timestamp: {} }] },
      'breadcrumbs',
      [{ at: undefined, category: undefined, type: undefined, level: undefined, message: undefined, data: undefined }],
      'breadcrumbs[0].timestamp invalid_data',
    ],
    ['contexts', { contexts: { a: { b: null, c: '1\n' }, d: null } }, 'contexts', { a: { b: null, c: '1\n' }, d: null }],
    ['contexts as garbage', { contexts: [1] }, 'contexts', {}, 'contexts invalid_data'],
    ['a text with NUL and half a pair', { release: 'a\0b\ud800c' }, 'appRelease', 'ab\ufffdc'],
    ['a text with bidi marks and escapes', { release: '\u202e\u001b[31m' }, 'appRelease', '\u202e\u001b[31m'],
  ];
  for (const [name, payload, member, wanted, ...wrong] of table) {
    it(name, () => {
      const event = normalised(payload);
      assert.deepEqual(event[member], wanted);
      assert.deepEqual(problems(event), wrong);
    });
  }
});

describe('normalised frames', () => {
  it('members of a frame have one type', () => {
    const frame = frameOf({
      filename: 'a.py',
      abs_path: '/a.py',
      module: 'm',
      raw_function: 'f',
      lineno: '7',
      colno: 0,
      context_line: '',
      pre_context: ['a', null, 7],
      post_context: null,
      in_app: true,
      vars: { a: 1 },
    });
    assert.deepEqual(frame, {
      filename: 'a.py',
      absPath: '/a.py',
      module: 'm',
      function: 'f',
      package: undefined,
      instructionAddress: undefined,
      symbolAddress: undefined,
      line: 7,
      column: undefined,
      contextLine: undefined,
      preContext: ['a', '', ''],
      postContext: [],
      inApp: true,
      vars: { a: 1 },
    });
  });

  it('a frame with invalid members keeps the others', () => {
    const event = normalised({
      stacktrace: {
        frames: [{ filename: {}, function: 'f', lineno: 1.5, colno: -2, in_app: 'yes', vars: 'x', pre_context: 'y' }],
      },
    });
    assert.equal(event.frames[0]?.function, 'f');
    assert.equal(event.frames[0]?.inApp, true);
    const at = 'stacktrace.frames[0].';
    assert.deepEqual(
      problems(event).sort(),
      ['filename', 'in_app', 'lineno', 'pre_context', 'vars'].map((name) => `${at}${name} invalid_data`),
    );
  });

  const guesses: readonly [inApp: boolean, frame: object][] = [
    [true, { filename: '/srv/app/a.js' }],
    [true, { filename: 'Orders.java', module: 'com.example.Orders' }],
    [true, { filename: '/srv/internal/a.go' }],
    [true, { module: 'javaish.A' }],
    [true, {}],
    [false, { filename: '/srv/node_modules/a/b.js' }],
    [false, { filename: 'C:\\app\\node_modules\\a.js' }],
    [false, { filename: 'a.py', abs_path: '/usr/lib/python3/site-packages/a.py' }],
    [false, { filename: '/usr/lib/python3/dist-packages/a.py' }],
    [false, { abs_path: '/usr/local/bundle/gems/rack-3/a.rb' }],
    [false, { filename: 'vendor/a/b.php' }],
    [false, { abs_path: '/home/ship/.cargo/registry/src/a.rs' }],
    [false, { abs_path: '/rustc/abc/a.rs' }],
    [false, { abs_path: '/home/ship/go/pkg/mod/a@v1/a.go' }],
    [false, { filename: 'node:internal/a' }],
    [false, { filename: '<frozen importlib._bootstrap>' }],
    ...[
      'java.lang.Thread',
      'javax.a.B',
      'jdk.a.B',
      'sun.a.B',
      'kotlin.A',
      'scala.A',
      'org.springframework.A',
      'org.apache.A',
      'io.netty.A',
      'com.sun.A',
    ].map((module): [boolean, object] => [false, { module }]),
  ];
  for (const [inApp, frame] of guesses) {
    it(`a frame without in_app is ${inApp ? 'an application frame' : 'a library frame'}: ${JSON.stringify(frame)}`, () => {
      assert.equal(frameOf(frame)?.inApp, inApp);
      assert.equal(frameOf({ ...frame, in_app: !inApp })?.inApp, !inApp);
    });
  }

  it('a frame of a minified file has the source around its column', () => {
    const line = `${'a'.repeat(450_000)}HERE${'b'.repeat(450_000)}`;
    const stored = frameOf({ colno: 450_001, context_line: line })?.contextLine ?? '';
    assert.ok(stored.length <= 1024);
    assert.match(stored, /^…a+HEREb+…$/);
    assert.match(frameOf({ colno: 1, context_line: line })?.contextLine ?? '', /^a+…$/);
    assert.match(frameOf({ colno: line.length, context_line: line })?.contextLine ?? '', /^…b+$/);
    assert.match(frameOf({ context_line: line })?.contextLine ?? '', /^a{1023}…$/);
  });
});

describe('the id of an event', () => {
  const dashed = '9EC79C33-ec99-42ab-8353-589fcb2e04dc';
  const table: readonly [header: unknown, own: unknown, wanted: string | undefined, problems: number][] = [
    [ID, 'a'.repeat(32), ID, 0],
    [dashed, undefined, ID, 0],
    [undefined, dashed, ID, 0],
    [null, ID.toUpperCase(), ID, 0],
    ['x', ID, ID, 1],
    [7, undefined, undefined, 1],
    ['0'.repeat(32), '00000000-0000-0000-0000-000000000000', undefined, 2],
    [undefined, undefined, undefined, 0],
    [undefined, `${ID}0`, undefined, 1],
    [undefined, `${ID}\n`, undefined, 1],
  ];
  for (const [headerId, own, wanted, count] of table) {
    it(`the event ID is ${wanted ?? 'generated'} for the header ${String(headerId)} and the event ${String(own)}`, () => {
      const event = normalised({ event_id: own }, { headerId });
      if (wanted === undefined) assert.match(event.id, /^(?!0{32})[0-9a-f]{32}$/);
      else assert.equal(event.id, wanted);
      assert.equal(event.problems.length, count);
    });
  }
});

describe('the time of an event', () => {
  const second = RECEIVED_AT / 1000;
  const day = 24 * 3600;
  const table: readonly [sent: unknown, sentAt: unknown, wanted: number, ...problems: string[]][] = [
    [second - 5, undefined, RECEIVED_AT - 5000],
    [RECEIVED_AT - 5000, undefined, RECEIVED_AT - 5000],
    [undefined, undefined, RECEIVED_AT],
    [second + 60, undefined, RECEIVED_AT + 60_000],
    [second + 61, undefined, RECEIVED_AT, 'timestamp future_timestamp'],
    [4_070_908_800, undefined, RECEIVED_AT, 'timestamp future_timestamp'],
    [second - 30 * day, undefined, RECEIVED_AT - 30 * day * 1000],
    [second - 31 * day, undefined, RECEIVED_AT, 'timestamp past_timestamp'],
    [0, undefined, RECEIVED_AT, 'timestamp past_timestamp'],
    [{}, undefined, RECEIVED_AT, 'timestamp invalid_data'],
    ['garbage', undefined, RECEIVED_AT, 'timestamp invalid_data'],
    [second + day - 5, second + day, RECEIVED_AT - 5000, 'timestamp clock_drift'],
    [12_345, 12_350, RECEIVED_AT - 5000, 'timestamp clock_drift'],
    [second - 5, second - 30, RECEIVED_AT - 5000],
    [second - 5, 'garbage', RECEIVED_AT - 5000],
  ];
  for (const [sent, sentAt, wanted, ...wrong] of table) {
    it(`${JSON.stringify(sent)} sent at ${JSON.stringify(sentAt)}`, () => {
      const event = normalised({ timestamp: sent }, { sentAt });
      assert.equal(event.occurredAt, wanted);
      assert.deepEqual(problems(event), wrong);
    });
  }

  it('a corrected clock also shifts breadcrumbs', () => {
    const event = normalised({ breadcrumbs: [{ timestamp: 12_345 }] }, { sentAt: 12_350 });
    assert.equal(event.breadcrumbs[0]?.at, RECEIVED_AT - 5000);
  });
});

describe('events above the limits', () => {
  it('frames, exceptions, tags, breadcrumbs, threads, headers and modules above the limits are dropped', () => {
    const read = normalised({
      exception: many(10_000, (index) => ({ type: `E${index}` })),
      stacktrace: { frames: many(100_000, (index) => ({ function: `f${index}` })) },
      tags: Object.fromEntries(many(100_000, (index) => [`t${index}`, 1])),
      breadcrumbs: many(1000, (index) => ({ message: `b${index}` })),
      threads: many(1000, (index) => ({ id: index, crashed: index === 900 })),
      fingerprint: many(1000, String),
      modules: Object.fromEntries(many(1000, (index) => [`m${index}`, '1'])),
      request: { headers: Object.fromEntries(many(1000, (index) => [`h${index}`, '1'])) },
    });
    // Exceptions and frames are grouped before most of them are dropped.
    assert.deepEqual([read.exceptions.length, read.frames.length], [1000, 10_000]);
    const event = cutEvent(read);
    assert.deepEqual(
      event.exceptions.map(({ type }) => type),
      many(50, (index) => `E${9950 + index}`),
    );
    assert.deepEqual(
      event.frames.map((frame) => frame.function),
      many(250, (index) => `f${99_750 + index}`),
    );
    assert.equal(event.tags.size, 100);
    assert.deepEqual(
      event.breadcrumbs.map(({ message }) => message),
      many(100, (index) => `b${900 + index}`),
    );
    assert.deepEqual(
      event.threads.map(({ id }) => id),
      [...many(49, String), '900'],
    );
    assert.equal(event.fingerprint.length, 32);
    assert.equal(event.modules.size, 500);
    assert.equal(event.request?.headers.length, 100);
    assert.deepEqual(
      problems(event).sort(),
      ['breadcrumbs', 'exception', 'fingerprint', 'modules', 'request.headers', 'stacktrace.frames', 'tags', 'threads'].map(
        (name) => `${name} too_many`,
      ),
    );
  });

  it('long texts are truncated with an ellipsis, and not within a surrogate pair', () => {
    const long = 'x'.repeat(900_000);
    const event = normalised({
      exception: [{ type: long, value: long }],
      message: long,
      transaction: long,
      tags: { [long]: long, a: `${'x'.repeat(198)}🚦` },
    });
    assert.equal(event.exceptions[0]?.value, `${'x'.repeat(8191)}…`);
    assert.equal(event.message?.text.length, 8192);
    assert.equal(event.transaction?.length, 200);
    assert.deepEqual(
      [...event.tags],
      [
        [`${'x'.repeat(199)}…`, `${'x'.repeat(199)}…`],
        ['a', `${'x'.repeat(198)}🚦`],
      ],
    );
    assert.equal(normalised({ dist: `${'x'.repeat(198)}🚦y` }).dist, `${'x'.repeat(198)}…`);
    assert.ok(event.problems.every(({ type, value }) => type === 'value_too_long' && (value?.length ?? 0) <= 100));
  });

  it('trees are truncated by size, pairs and depth', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(150)}1${'}'.repeat(150)}`);
    const event = normalised({
      contexts: { deep, long: { a: 'x'.repeat(20_000), b: 1 } },
      extra: {
        wide: Object.fromEntries(many(1000, (index) => [`k${index}`, index])),
        list: many(100_000, () => 'x'),
        text: 'y'.repeat(20_000),
      },
    });
    let depth = 0;
    for (let node: unknown = event.contexts['deep']; typeof node === 'object' && node !== null; depth += 1)
      node = Reflect.get(node, 'a');
    assert.equal(depth, 100);
    assert.ok(JSON.stringify(event.contexts['deep']).includes('"<truncated>"'));
    assert.deepEqual(Object.keys(event.contexts['long'] ?? {}), ['a']);
    assert.ok(JSON.stringify(event.contexts['long']).length < 8300);
    assert.equal(Object.keys(event.extra['wide'] ?? {}).length, 50);
    assert.ok(JSON.stringify(event.extra['list']).length < 17_000);
    assert.equal(String(event.extra['text']).length, 16 * 1024);
  });

  it('extra has a limit in total', () => {
    const event = normalised({ extra: Object.fromEntries(many(40, (index) => [`k${index}`, 'x'.repeat(16_000)])) });
    const size = JSON.stringify(event.extra).length;
    assert.ok(size > 250_000 && size < 265_000, String(size));
    assert.ok(problems(event).includes('extra value_too_long'));
  });

  it('an event has at most a hundred problems', () => {
    assert.equal(normalised({ breadcrumbs: many(100, () => ({ level: {}, data: 1, timestamp: [] })) }).problems.length, 100);
  });

  it('900 nested levels are replaced by a placeholder', () => {
    const nested = readPayload(
      Buffer.from(`{"extra":{"a":${'['.repeat(900)}${']'.repeat(900)}},"tags":{"a":${'{"a":'.repeat(900)}1${'}'.repeat(900)}}}`),
    );
    const event = normalised(nested);
    assert.ok(JSON.stringify(event.extra).includes('<truncated>'));
  });
});

describe('names of Object.prototype', () => {
  it('names of Object.prototype are ordinary names in maps', () => {
    const event = normalised(
      readPayload(
        Buffer.from(
          '{"__proto__":{"level":"fatal"},"tags":{"__proto__":"x","constructor":"y"},"extra":{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1},"b":1}},"contexts":{"constructor":{"prototype":{"polluted":1}}},"modules":{"__proto__":"1"},"user":{"__proto__":{"id":1}}}',
        ),
      ),
    );
    assert.equal(event.level, 'error');
    assert.deepEqual(
      [...event.tags],
      [
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ],
    );
    assert.deepEqual(Object.entries(event.extra), [['a', { b: 1 }]]);
    assert.equal(Reflect.get(event.extra, 'polluted'), undefined);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
    assert.deepEqual([...event.modules], [['__proto__', '1']]);
    assert.equal(event.user, undefined);
  });
});

describe('the body of /store/', () => {
  const refused: readonly [name: string, body: string, status: number][] = [
    ['a text', '"x"', 400],
    ['a list', '[]', 400],
    ['null', 'null', 400],
    ['a number', '7', 400],
    ['nothing of JSON', 'hello', 400],
    ['NaN', '{"a":NaN}', 400],
    ['a form without an event', 'sentry_data=', 400],
    ['a form whose base64 is cut off', 'sentry_data=eJxLBAAA', 400],
    ['another form', 'a=b', 400],
    ['more than 1 MiB', `{"a":"${'x'.repeat(1024 * 1024)}"}`, 413],
    ['far more than 1 MiB in a form', `sentry_data=${'%20'.repeat(1_100_000)}`, 413],
  ];
  for (const [name, body, status] of refused) {
    it(`with ${name} is refused with ${status}`, () => {
      assert.throws(
        () => readStorePayload(Buffer.from(body)),
        (error) => error instanceof IngestFailure && error.status === status,
      );
    });
  }

  it('the body of /store/ is an object, also after a byte order mark or in a form', () => {
    const encoded = Buffer.from('{"a":"ä +"}');
    const packed = base64Json({ a: 'b' }).toString();
    assert.deepEqual(readStorePayload(encoded), { a: 'ä +' });
    assert.deepEqual(readStorePayload(Buffer.concat([Buffer.from('\uFEFF'), encoded])), { a: 'ä +' });
    assert.deepEqual(readStorePayload(Buffer.from(`sentry_version=7&sentry_data=${encodeURIComponent('{"a":"ä +"}')}`)), {
      a: 'ä +',
    });
    assert.deepEqual(readStorePayload(Buffer.from(`sentry_data=${encodeURIComponent(packed)}`)), { a: 'b' });
  });

  it('the body of /store/ can have bytes that are not UTF-8', () => {
    assert.deepEqual(readStorePayload(Buffer.from('{"a":"\u00ff"}', 'latin1')), { a: '\ufffd' });
  });

  it('store bodies and envelope items may not be errors', () => {
    assert.ok([undefined, null, 'error', 'default', 'event'].every((type) => isErrorEvent({ type })));
    assert.ok(['transaction', 'feedback', 'csp', 7].every((type) => !isErrorEvent({ type })));
  });
});

describe('an event with arbitrary JSON', () => {
  const text = fc.constantFrom(
    '',
    'x',
    '\0',
    '\ud800',
    '{{auto}}',
    '2026-03-04T05:06:07Z',
    '7',
    'password=x',
    '__proto__',
    'constructor',
    '%s %(a)s {}',
  );
  const { tree } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
    leaf: fc.oneof(text, fc.jsonValue({ maxDepth: 1 }), fc.integer(), fc.double(), fc.boolean(), fc.constant(null)),
    tree: fc.oneof(
      { maxDepth: 4 },
      tie('leaf'),
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 6 }),
    ),
  }));

  it('arbitrary JSON is normalised, never refused, and can be stored as UTF-8 and JSON', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...names), tree, { maxKeys: 12 }),
        fc.boolean(),
        tree,
        (payload, scrub, headerId) => {
          const before = JSON.stringify(payload);
          const event = normalised(payload, { scrub, headerId, sentAt: headerId });
          assert.equal(JSON.stringify(payload), before);
          const json = JSON.stringify({ ...event, tags: [...event.tags], modules: [...event.modules] });
          assert.ok(json.isWellFormed());
          assert.ok(!/\\u0000|\\ud[89a-f]/.test(json), json);
          assert.match(event.id, /^[0-9a-f]{32}$/);
          assert.ok(Number.isSafeInteger(event.occurredAt));
        },
      ),
      { numRuns: 3000 },
    );
  });
});
