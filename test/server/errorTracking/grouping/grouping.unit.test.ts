import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Frame, TrackedEvent } from '../../../../server/features/errorTracking/event/trackedEvent.ts';
import { explainGrouping, whyLeftOut } from '../../../../server/features/errorTracking/grouping/explainGrouping.ts';
import { groupingOf, groupingVersion, hashesBy } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import { normalised } from '../reading.ts';
import { thrownInExpress, twoThrows } from './corpus/throws.ts';
import { frameAt, logMessage, trackedEvent, trackedException, trackedFrame, trackedThread } from '../trackedEvents.ts';

const app = (event: TrackedEvent, project = 1): string => groupingOf(event, project, true).app.toString('hex');
const whole = (event: TrackedEvent): string => groupingOf(event, 1, true).whole().toString('hex');

const former = (version: number, event: TrackedEvent): string => hashesBy(version, event, 1).app.toString('hex');

/** Returns an event with one exception. */
const failure = (type: string, value: string, frames: readonly Frame[] = [], members: Partial<TrackedEvent> = {}): TrackedEvent =>
  trackedEvent({ exceptions: [trackedException(type, value, frames)], ...members });
const message = (text: string, members: Partial<TrackedEvent> = {}): TrackedEvent =>
  trackedEvent({ message: logMessage(text), ...members });
const library = (name: string): Frame => frameAt(`node_modules/express/${name}.js ${name}`, { inApp: false });
const java = (module: string, name: string, members: Partial<Frame> = {}): Frame =>
  trackedFrame({ module, function: name, filename: 'A.java', ...members });

const inBrowser = (name: string, value = 'x'): TrackedEvent =>
  failure(
    'TypeError',
    value,
    [trackedFrame({ filename: 'https://shop.example/app.min.js', function: name, line: 1, column: 9 })],
    {
      platform: 'javascript',
    },
  );
const rust = (...names: readonly string[]): TrackedEvent =>
  failure(
    'panic',
    'x',
    names.map((name) => trackedFrame({ function: name })),
    { platform: 'native' },
  );

const f = frameAt('app/a.js f:10');
const g = frameAt('app/g.py g:3');
const main = frameAt('app/main.py main:1');
const recursion = (depth: number): Frame[] => [main, ...Array.from({ length: depth }, () => frameAt('app/tree.py walk:7')), g];

/** Pairs of events. `+` marks edge cases. */
const pairs: readonly (readonly [name: string, one: TrackedEvent, other: TrackedEvent, expected: 'same' | 'different'])[] = [
  ['1 code above changed', failure('TypeError', 'x', [f]), failure('TypeError', 'x', [{ ...f, line: 14, column: 9 }]), 'same'],
  ['2 value without a stack', failure('ValueError', 'user 17 missing'), failure('ValueError', 'user 992 missing'), 'same'],
  [
    '3 other callers',
    failure('ValueError', 'x', [main, frameAt('app/io.py load'), frameAt('app/io.py parse')]),
    failure('ValueError', 'x', [main, frameAt('app/io.py save'), frameAt('app/io.py write')]),
    'different',
  ],
  ['4 other type', failure('KeyError', 'x', [main, g]), failure('IndexError', 'x', [main, g]), 'different'],
  [
    '5 other framework frames between',
    failure('E', 'x', [main, library('a'), library('b'), library('c'), g]),
    failure('E', 'x', [main, library('d'), library('e'), library('f'), g]),
    'same',
  ],
  [
    '6 an empty fingerprint is none',
    failure('NullPointerException', 'x', [java('com.acme.A', 'x')], { fingerprint: [] }),
    failure('NullPointerException', 'x', [java('com.acme.B', 'y')], { fingerprint: [] }),
    'different',
  ],
  [
    '7 a fingerprint replaces everything',
    failure('A', 'x', [f], { fingerprint: ['db-down'], platform: 'node' }),
    failure('B', 'y', [g], { fingerprint: [' db-down '], platform: 'python' }),
    'same',
  ],
  [
    '8 the default token split by another',
    failure('A', 'x', [f], { fingerprint: ['{{ default }}', 'tenant-1'] }),
    failure('A', 'x', [f], { fingerprint: ['{{default}}', 'tenant-2'] }),
    'different',
  ],
  ['9 only the default token', failure('A', 'x', [f], { fingerprint: ['{{ default }}'] }), failure('A', 'x', [f]), 'same'],
  [
    '10 other types in the chain',
    trackedEvent({ exceptions: [trackedException('TimeoutError', 'x'), trackedException('ServiceError', 'x', [f])] }),
    trackedEvent({ exceptions: [trackedException('AuthError', 'x'), trackedException('ServiceError', 'x', [f])] }),
    'different',
  ],
  [
    '12 a template with other parameters',
    trackedEvent({ message: logMessage('Slow query a', 'Slow query %s') }),
    trackedEvent({ message: logMessage('Slow query b of mine', 'Slow query %s') }),
    'same',
  ],
  [
    '13 a message captured elsewhere',
    message('hello', { threads: [trackedThread({ frames: [f] })] }),
    message('hello', { threads: [trackedThread({ frames: [g] })] }),
    'same',
  ],
  [
    '14 a message with ids and dates',
    message('job 7f3a0c1e-1111-4222-8333-944445555666 failed at 2026-01-02T03:04:05Z'),
    message('job 01234567-89ab-4cde-8f01-23456789abcd failed at 2025-11-30T23:59:59.123Z'),
    'same',
  ],
  [
    '15 hashes in the names of files',
    failure('E', 'x', [frameAt('/srv/app/dist/main.3f2a9c1b.js onClick')]),
    failure('E', 'x', [frameAt('/home/u/dist/main.99ab12cd.js onClick')]),
    'same',
  ],
  ['+ recursion of another depth', failure('E', 'x', recursion(10)), failure('E', 'x', recursion(500)), 'same'],
  ['+ recursion of depth one', failure('E', 'x', recursion(1)), failure('E', 'x', recursion(500)), 'same'],
  [
    '+ synthetic types',
    trackedEvent({ exceptions: [trackedException('Error', 'x', [f], { synthetic: true })] }),
    trackedEvent({ exceptions: [trackedException('Object', 'x', [f], { synthetic: true })] }),
    'same',
  ],
  [
    '+ signals, which are synthetic types',
    trackedEvent({ exceptions: [trackedException('SIGSEGV', 'x', [f], { synthetic: true })] }),
    trackedEvent({ exceptions: [trackedException('SIGABRT', 'x', [f], { synthetic: true })] }),
    'different',
  ],
  [
    '+ signals that the mechanism names',
    trackedEvent({ exceptions: [trackedException('Crash', 'x', [f], { synthetic: true, signal: 'SIGSEGV' })] }),
    trackedEvent({ exceptions: [trackedException('Crash', 'x', [f], { synthetic: true, signal: 'SIGABRT' })] }),
    'different',
  ],
  [
    '+ a signal as a type and in the mechanism',
    trackedEvent({ exceptions: [trackedException('SIGSEGV /SEGV_MAPERR', 'x', [f], { synthetic: true })] }),
    trackedEvent({ exceptions: [trackedException('Crash', 'x', [f], { synthetic: true, signal: 'SIGSEGV' })] }),
    'same',
  ],
  [
    '+ frames of the runtime of Rust that are marked as those of the program',
    rust('shop::run', 'rust_begin_unwind', 'core::panicking::panic_fmt'),
    rust('shop::run', '__rustc::rust_begin_unwind', 'core::panicking::panic'),
    'same',
  ],
  [
    '+ functions of the program before a panic',
    rust('shop::run', 'rust_begin_unwind'),
    rust('shop::load', 'rust_begin_unwind'),
    'different',
  ],
  ['+ a receiver in a browser', inBrowser('Cart.add'), inBrowser('Shop.add'), 'same'],
  ['+ another function in a browser', inBrowser('Cart.add'), inBrowser('Cart.remove'), 'different'],
  [
    '+ a receiver in Node',
    failure('E', 'x', [frameAt('app/a.js OrderRepo.save')]),
    failure('E', 'x', [frameAt('app/a.js UserRepo.save')]),
    'different',
  ],
  [
    '+ the text of functions without a name in a bundle',
    inBrowser('?', "reading 'price'"),
    inBrowser('?', 'a.map is not a function'),
    'different',
  ],
  ['+ the same text there, with other numbers', inBrowser('?', 'no item 17'), inBrowser('<anonymous>', 'no item 4'), 'same'],
  [
    '+ such a frame beside one with a name',
    failure('E', 'one', [f, trackedFrame({ filename: 'app.min.js', function: '?' })]),
    failure('E', 'other', [f]),
    'same',
  ],
  [
    '+ an encoded path',
    failure('E', 'x', [frameAt('https://shop.example/routes/%5Bslug%5D.js load')]),
    failure('E', 'x', [frameAt('/srv/routes/[slug].js load')]),
    'same',
  ],
  ['+ level', failure('E', 'x', [f], { level: 'warning' }), failure('E', 'x', [f], { level: 'error' }), 'same'],
  ['+ release', failure('E', 'x', [f], { appRelease: 'a@1' }), failure('E', 'x', [f], { appRelease: 'a@2' }), 'same'],
  ['+ platform', failure('E', 'x', [f], { platform: 'node' }), failure('E', 'x', [f], { platform: 'python' }), 'different'],
  [
    '+ lambdas of Java',
    failure('E', 'x', [java('com.acme.Foo$$Lambda$12/0x0000000800c03000', 'apply')]),
    failure('E', 'x', [java('com.acme.Foo$$Lambda$31/0x0000000801234000', 'apply')]),
    'same',
  ],
  [
    '+ only frames of java.* differ',
    failure('E', 'x', [java('com.acme.A', 'x'), java('java.util.ArrayList', 'get', { inApp: false })]),
    failure('E', 'x', [java('com.acme.A', 'x'), java('java.util.HashMap', 'get', { inApp: false })]),
    'same',
  ],
  ['+ NUL in a value beside a stack', failure('E', 'a\0b', [f]), failure('E', 'ab', [f]), 'same'],
  ['+ NUL in a value without one', failure('E', 'a\0b'), failure('E', 'ab'), 'same'],
  [
    '+ the default without braces is text',
    failure('A', 'x', [f], { fingerprint: ['default'] }),
    failure('A', 'x', [f]),
    'different',
  ],
  ['+ blank tokens', failure('A', 'x', [f], { fingerprint: ['', '  '] }), failure('A', 'x', [f]), 'same'],
  [
    '+ tokens are not run together',
    message('x', { fingerprint: ['a', 'b'] }),
    message('x', { fingerprint: ['ab'] }),
    'different',
  ],
  [
    '+ the default token stands for another error',
    failure('A', 'x', [f], { fingerprint: ['{{ default }}', 'tenant-1'] }),
    failure('B', 'x', [f], { fingerprint: ['{{ default }}', 'tenant-1'] }),
    'different',
  ],
  ['+ value beside a stack', failure('E', 'one', [f]), failure('E', 'other', [f]), 'same'],
  [
    '+ value where every frame says nothing',
    failure('E', 'one', [trackedFrame()]),
    failure('E', 'other', [trackedFrame()]),
    'different',
  ],
  ['+ third line of a value', failure('E', 'a\n\nb\nc'), failure('E', 'a\nb\nd'), 'same'],
  ['+ loggers', message('x', { logger: 'a' }), message('x', { logger: 'b' }), 'different'],
  ['+ logger of an exception', failure('E', 'x', [f], { logger: 'a' }), failure('E', 'x', [f], { logger: 'b' }), 'same'],
  ['+ a message beside an exception', failure('E', 'x', [f], { message: logMessage('a') }), failure('E', 'x', [f]), 'same'],
  [
    '+ the stack of the cause, when the outer has none',
    trackedEvent({ exceptions: [trackedException('A', 'x', [f]), trackedException('B', 'x')] }),
    trackedEvent({ exceptions: [trackedException('A', 'x', [g]), trackedException('B', 'x')] }),
    'different',
  ],
  [
    '+ the thread that crashed',
    failure('E', 'x', [], { threads: [trackedThread({ frames: [f] }), trackedThread({ frames: [g], crashed: true })] }),
    failure('E', 'x', [], { threads: [trackedThread({ frames: [main] }), trackedThread({ frames: [g], crashed: true })] }),
    'same',
  ],
  [
    '+ of several threads none is marked',
    failure('E', 'x', [], { threads: [trackedThread({ frames: [f] }), trackedThread({ frames: [g] })] }),
    failure('E', 'x', [], { threads: [trackedThread({ frames: [main] }), trackedThread({ frames: [g] })] }),
    'same',
  ],
  ['+ only a stack', trackedEvent({ frames: [f] }), trackedEvent({ frames: [g] }), 'different'],
  [
    '+ lambdas are told apart by their line',
    failure('E', 'x', [frameAt('app/a.py <lambda>', { contextLine: '  key=lambda a: a.b' })]),
    failure('E', 'x', [frameAt('app/a.py <lambda>', { contextLine: '  key=lambda a: a.c' })]),
    'different',
  ],
  [
    '+ a line that was only indented',
    failure('E', 'x', [frameAt('app/a.py <lambda>', { contextLine: 'key =  lambda a: a.b' })]),
    failure('E', 'x', [frameAt('app/a.py <lambda>', { contextLine: '\t  key = lambda  a: a.b' })]),
    'same',
  ],
  [
    '+ the line that called a library',
    failure('E', 'x', [{ ...f, contextLine: 'read(a)' }, library('read')]),
    failure('E', 'x', [{ ...f, contextLine: 'read(b)' }, library('read')]),
    'different',
  ],
  [
    '+ the line of a caller',
    failure('E', 'x', [
      { ...f, contextLine: 'read(a)' },
      { ...g, contextLine: 'fail()' },
    ]),
    failure('E', 'x', [
      { ...f, contextLine: 'read(b)' },
      { ...g, contextLine: 'fail()' },
    ]),
    'same',
  ],
  [
    '+ the line in a library',
    failure('E', 'x', [
      { ...f, contextLine: 'read(a)' },
      { ...library('read'), contextLine: 'throw 1' },
    ]),
    failure('E', 'x', [
      { ...f, contextLine: 'read(a)' },
      { ...library('read'), contextLine: 'throw 2' },
    ]),
    'same',
  ],
  [
    '+ the line in a library, if all frames are those of libraries',
    failure('E', 'x', [{ ...library('read'), contextLine: 'throw 1' }]),
    failure('E', 'x', [{ ...library('read'), contextLine: 'throw 2' }]),
    'same',
  ],
  [
    '+ a minified line',
    failure('E', 'x', [{ ...f, contextLine: 'a='.repeat(200) }]),
    failure('E', 'x', [{ ...f, contextLine: 'b='.repeat(200) }]),
    'same',
  ],
  [
    '+ a part of a minified line',
    failure('E', 'x', [{ ...f, contextLine: '{snip} a=b {snip}' }]),
    failure('E', 'x', [{ ...f, contextLine: '{snip} b=a {snip}' }]),
    'same',
  ],
  [
    '+ the throw of a recursion of another depth',
    failure('E', 'x', [main, { ...g, contextLine: 'throw' }]),
    failure('E', 'x', [main, { ...g, contextLine: 'g()' }, { ...g, contextLine: 'g()' }, { ...g, contextLine: 'throw' }]),
    'same',
  ],
  [
    '+ frames beyond the innermost eight',
    failure('E', 'x', [main, ...Array.from({ length: 8 }, (_, at) => frameAt(`app/a.py f${'x'.repeat(at)}`))]),
    failure('E', 'x', [f, ...Array.from({ length: 8 }, (_, at) => frameAt(`app/a.py f${'x'.repeat(at)}`))]),
    'same',
  ],
  [
    '+ built-in functions that only some engines show',
    failure('E', 'x', [f, trackedFrame({ function: 'map', filename: '[native code]' }), g]),
    failure('E', 'x', [f, g]),
    'same',
  ],
];

describe('grouping of events into errors', () => {
  for (const [name, one, other, expected] of pairs) {
    it(`${name}: ${expected}`, () => {
      if (expected === 'same') assert.equal(app(one), app(other));
      else assert.notEqual(app(one), app(other));
    });
  }

  it('the same event in two projects gives two errors', () => {
    assert.notEqual(app(failure('E', 'x', [f]), 1), app(failure('E', 'x', [f]), 2));
  });

  it('other in_app flags change the hash of the application frames, but not that of the whole stack', () => {
    const one = failure('E', 'x', [main, { ...g, inApp: false }, f]);
    const other = failure('E', 'x', [main, g, f]);
    assert.notEqual(app(one), app(other));
    assert.equal(whole(one), whole(other));
    const lines = [main, g, f].map((frame, at) => ({ ...frame, contextLine: `step(${at})` }));
    const ofLibraries = lines.map((frame) => ({ ...frame, inApp: false }));
    assert.equal(whole(failure('E', 'x', lines)), whole(failure('E', 'x', ofLibraries)));
    assert.notEqual(whole(failure('E', 'x', lines)), whole(other));
    assert.notEqual(whole(one), whole(failure('E', 'x', [main, f])));
  });

  it('stacks that differ outside a deep library have different whole-stack hashes', () => {
    const deep = Array.from({ length: 12 }, (_, at) => library(`step${'x'.repeat(at)}`));
    assert.notEqual(whole(failure('E', 'x', [main, ...deep])), whole(failure('E', 'x', [f, ...deep])));
  });

  it('a grouping has hashes of 32 bytes, and a version', () => {
    const grouping = groupingOf(message('x'), 1, true);
    assert.deepEqual([grouping.app.length, grouping.whole().length, grouping.version], [32, 32, groupingVersion]);
    assert.equal(grouping.app.equals(grouping.whole()), true);
  });

  it('the hashes of the grouping versions never change', () => {
    // A change of these splits existing groups, so it requires a new version.
    const source = { contextLine: '  throw new TypeError();' };
    const events = [
      failure('TypeError', 'x', [main, library('a'), f]),
      failure('TypeError', 'x', [main, { ...library('a'), ...source }, { ...f, ...source }]),
      message('user 17 has no address', { logger: 'mail' }),
      trackedEvent({ fingerprint: ['{{ default }}', 'tenant-1'] }),
    ];
    const hashes = (version: number): string[] =>
      events.flatMap((event) => {
        const { app: own, whole: all } = hashesBy(version, event, 1);
        return [own, all()].map((hash) => hash.toString('hex').slice(0, 8));
      });
    assert.deepEqual(hashes(1), ['3f5b36fa', '2bbb9c2c', '3f5b36fa', '2bbb9c2c', 'd10ccf89', 'd10ccf89', '2d58608c', '2d58608c']);
    assert.deepEqual(hashes(2), ['8b93ba37', '664eed2c', 'b7946889', '79c42a75', 'd7146549', 'd7146549', 'b8f4a55f', 'b8f4a55f']);
    assert.deepEqual(hashes(3), ['9b9b1ac5', '5c309fc8', 'de7dccdd', 'bdfb6408', '7d11fd13', '7d11fd13', '8d23b41e', '8d23b41e']);
  });

  for (const { language, left, right, moved } of twoThrows) {
    it(`two throws of one type in one function of ${language} are two errors, in builds that only move lines the same ones`, () => {
      const [one, other, later] = [left, right, moved].map((payload) => normalised(payload));
      assert.ok(one && other && later);
      assert.notEqual(app(one), app(other));
      assert.notEqual(whole(one), whole(other));
      assert.equal(app(one), app(later));
      assert.equal(former(1, one), former(1, other));
      assert.deepEqual(
        groupingOf(one, 1, true)
          .former()
          .map(({ app: hash }) => hash.toString('hex')),
        [former(2, one), former(1, one)],
      );
    });
  }

  it('values without a stack that handlers of Express throw are told apart by their text', () => {
    const [one, same, other, object] = [
      'no wind for 7 days',
      'no wind for 8 days',
      'no crew',
      'Object captured as exception with keys: code',
    ].map((value) => normalised(thrownInExpress(value)));
    assert.ok(one && same && other && object);
    assert.equal(app(one), app(same));
    assert.equal(new Set([one, other, object].map(app)).size, 3);
    assert.equal(new Set([one, other, object].map(whole)).size, 3);
    const { by, text, stack, leftOut } = explainGrouping(one);
    assert.deepEqual([by, text, stack], ['exception', { kind: 'value', text: 'no wind for <duration>' }, undefined]);
    assert.deepEqual(leftOut, ['synthetic_type', 'stack_of_sdk']);
  });
});

describe('data that does not affect grouping', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 });
  const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
  const frame = fc
    .record({
      filename: maybe(fc.oneof(text, fc.constantFrom('app/a.js', 'https://host/main.3f2a9c1b.js?x'))),
      module: maybe(fc.oneof(text, fc.constant('com.acme.A'))),
      function: maybe(fc.oneof(text, fc.constantFrom('f', '?', '<lambda>'))),
      contextLine: maybe(text),
      inApp: fc.boolean(),
    })
    .map(trackedFrame);
  const exception = fc
    .tuple(maybe(text), maybe(text), fc.array(frame, { maxLength: 12 }), fc.boolean())
    .map(([type, value, frames, synthetic]) => trackedException(type, value, frames, { synthetic }));
  const event = fc
    .record({
      exceptions: fc.array(exception, { maxLength: 3 }),
      message: maybe(text.map((sent) => logMessage(sent))),
      frames: fc.array(frame, { maxLength: 4 }),
      fingerprint: fc.array(fc.oneof(text, fc.constant('{{ default }}')), { maxLength: 3 }),
      logger: maybe(text),
    })
    .map(trackedEvent);
  const aside = fc.record({
    id: text,
    occurredAt: fc.integer(),
    level: fc.constantFrom('fatal' as const, 'warning' as const, 'debug' as const),
    tags: fc.array(fc.tuple(text, text)).map((tags) => new Map(tags)),
    user: maybe(text.map((id) => ({ id, username: id, email: id, address: id, name: id }))),
    transaction: maybe(text),
    serverName: maybe(text),
    appRelease: maybe(text),
    dist: maybe(text),
    environment: maybe(text),
    extra: fc.dictionary(text, text),
  });

  it('line, column, release, level, user, tags, transaction, environment, server, time', () => {
    fc.assert(
      fc.property(event, aside, fc.nat(), (sent, others, line) => {
        const moved = (frames: readonly Frame[]): Frame[] =>
          frames.map((frame) => ({ ...frame, line: line + 1, column: line + 2, preContext: ['x'], vars: { a: 1 } }));
        const other = {
          ...sent,
          ...others,
          exceptions: sent.exceptions.map((exception) => ({ ...exception, frames: moved(exception.frames) })),
          frames: moved(sent.frames),
        };
        assert.deepEqual([app(other), whole(other)], [app(sent), whole(sent)]);
      }),
    );
  });

  it('the grouping explanation matches the hash', () => {
    const few = fc.constantFrom(f, g, { ...g, contextLine: 'throw' }, main, library('a'), trackedFrame());
    const alike = fc
      .record({
        exceptions: fc.array(
          fc
            .tuple(fc.constantFrom('A', 'B'), fc.constantFrom('x 1', 'y'), fc.array(few, { maxLength: 3 }))
            .map(([type, value, frames]) => trackedException(type, value, frames)),
          { maxLength: 1 },
        ),
        message: fc.constantFrom(undefined, logMessage('x'), logMessage('x', '%s')),
        fingerprint: fc.constantFrom([], ['{{ default }}'], ['a'], ['{{ default }}', 'a']),
        logger: fc.constantFrom(undefined, 'l'),
      })
      .map(trackedEvent);
    const reported = (sent: TrackedEvent): string => {
      const { fingerprint, stack, leftOut: _, text, ...rest } = explainGrouping(sent);
      const used = stack?.frames
        .filter(({ use }) => use === 'used')
        .map(({ location, name, isLine, line }) => [location, name, isLine, line]);
      const tokens = fingerprint.map(({ text, isDefault }) => (isDefault ? 'default' : text));
      return JSON.stringify([rest, tokens, used, text?.text]);
    };
    fc.assert(
      fc.property(alike, alike, (one, other) => {
        assert.equal(app(one) === app(other), reported(one) === reported(other));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('grouping explanations', () => {
  it('the grouping explanation has the use of each frame', () => {
    const sent = [
      library('a'),
      frameAt('/srv/dist/main.3f2a9c1b.js Object.run:3'),
      g,
      g,
      trackedFrame({ filename: '[native code]', function: 'map' }),
      trackedFrame({ line: 3 }),
      frameAt('app/x.js <anonymous>', { contextLine: ' items.map(x  => x)' }),
    ];
    const { stack, ...rest } = explainGrouping(
      trackedEvent({ exceptions: [trackedException('A', 'a'), trackedException('B', 'user 1', sent)], message: logMessage('m') }),
    );
    assert.deepEqual(rest, {
      version: groupingVersion,
      by: 'exception',
      fingerprint: [],
      platform: 'node',
      exceptionTypes: ['A', 'B'],
      text: undefined,
      logger: undefined,
      members: [],
      leftOut: ['value', 'message'],
    });
    assert.equal(stack?.source, 'exception');
    assert.deepEqual(
      stack?.frames.map(({ location, name, isLine, use }) => [use, location, name, isLine]),
      [
        ['library', 'express/a.js', 'a', false],
        ['used', 'dist/main.<hash>.js', 'run', false],
        ['used', 'app/g.py', 'g', false],
        ['repeated', 'app/g.py', 'g', false],
        ['native', '', 'map', false],
        ['says_nothing', '', '', false],
        ['used', 'app/x.js', 'items.map(x => x)', true],
      ],
    );
    assert.equal(stack?.frames[1]?.frame, sent[1]);
  });

  it('the grouping explanation marks frames beyond the limit', () => {
    const far = Array.from({ length: 10 }, (_, at) => frameAt(`app/a.js f${'x'.repeat(at)}`));
    const uses = explainGrouping(failure('E', 'x', far)).stack?.frames.map(({ use }) => use);
    assert.deepEqual(uses, ['beyond_limit', 'beyond_limit', ...Array.from({ length: 8 }, () => 'used')]);
    const libraries = Array.from({ length: 7 }, (_, at) => library(`f${'x'.repeat(at)}`));
    const five = explainGrouping(failure('E', 'x', libraries)).stack?.frames.map(({ use }) => use);
    assert.deepEqual(five, ['beyond_limit', 'beyond_limit', ...Array.from({ length: 5 }, () => 'used')]);
  });

  for (const [name, event, expected] of [
    [
      'a fingerprint',
      failure('E', 'x', [f], { fingerprint: ['a'] }),
      {
        by: 'fingerprint',
        fingerprint: [{ text: 'a', isDefault: false, value: undefined }],
        platform: undefined,
        leftOut: ['everything_else'],
      },
    ],
    [
      'a fingerprint with the default token',
      failure('E', 'x', [f], { fingerprint: ['{{default}}', 'a'] }),
      {
        by: 'exception',
        fingerprint: [
          { text: '{{default}}', isDefault: true, value: undefined },
          { text: 'a', isDefault: false, value: undefined },
        ],
        leftOut: ['value'],
      },
    ],
    [
      'a message',
      message('user 17 missing', { frames: [f], logger: 'mail' }),
      { by: 'message', text: { kind: 'message', text: 'user <int> missing' }, logger: 'mail', leftOut: ['stack_of_message'] },
    ],
    [
      'a template',
      trackedEvent({ message: logMessage('Slow a 1', 'Slow %s 1') }),
      { by: 'message', text: { kind: 'template', text: 'Slow %s 1' }, leftOut: [] },
    ],
    [
      'a value',
      failure('E', 'user 17 missing', [trackedFrame()]),
      { by: 'exception', text: { kind: 'value', text: 'user <int> missing' }, stack: undefined, leftOut: ['stack'] },
    ],
    [
      'a signal',
      trackedEvent({ exceptions: [trackedException('SIGSEGV', 'x', [], { synthetic: true })] }),
      { by: 'exception', exceptionTypes: ['SIGSEGV'], text: { kind: 'value', text: 'x' }, leftOut: [] },
    ],
    [
      'a synthetic type',
      trackedEvent({ exceptions: [trackedException('Error', 'x', [], { synthetic: true })] }),
      { by: 'exception', exceptionTypes: [], text: { kind: 'value', text: 'x' }, leftOut: ['synthetic_type'] },
    ],
    ['nothing', trackedEvent(), { by: 'nothing', platform: 'node', text: undefined, stack: undefined, leftOut: [] }],
  ] as const) {
    it(`${name} is told`, () => {
      const explained = explainGrouping(event);
      for (const [member, value] of Object.entries(expected)) {
        assert.deepEqual(explained[member as keyof typeof explained], value, member);
      }
      for (const what of explained.leftOut) assert.match(whyLeftOut[what], /\.$/);
    });
  }
});
