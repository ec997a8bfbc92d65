import type { JsonObject } from '../../../../../src/contract/json.ts';

/** Events of two errors of one type that one function throws, as SDKs send them. Frames of the runtime are left out. */
export interface TwoThrows {
  readonly language: string;
  readonly left: JsonObject;
  readonly right: JsonObject;
  /** Same as `left`, from a build where lines were moved and indented. */
  readonly moved: JsonObject;
}

function sentBy(platform: string, type: string, frames: readonly object[], value: string): JsonObject {
  return {
    platform,
    exception: { values: [{ type, value, stacktrace: { frames }, mechanism: { type: 'generic', handled: true } }] },
  };
}

/** sentry-sdk 2.68.0. */
function python(folder: string, lines: readonly [caller: number, thrower: number], source: string, value: string): JsonObject {
  const file = { filename: 'ship.py', abs_path: `${folder}/ship.py`, module: '__main__', in_app: true };
  const frames = [
    { ...file, function: '<module>', lineno: lines[0], context_line: 'try: steer(sys.argv[1])' },
    { ...file, function: 'steer', lineno: lines[1], context_line: source },
  ];
  return sentBy('python', 'ValueError', frames, value);
}

/** @sentry/node 10.78.0. */
function node(folder: string, lines: readonly [caller: number, thrower: number], source: string, value: string): JsonObject {
  const file = { filename: `${folder}/ship.js`, module: 'ship', in_app: true };
  const frames = [
    { filename: 'node:internal/modules/cjs/loader', module: 'loader', function: 'Module._compile', lineno: 1521, in_app: false },
    { ...file, function: 'Object.?', lineno: lines[0], colno: 3, context_line: '  steer(process.argv[2]);' },
    { ...file, function: 'steer', lineno: lines[1], colno: 11, context_line: source },
  ];
  return sentBy('node', 'RangeError', frames, value);
}

/** sentry-ruby 5.3.0, which marks no frame of a program that was started by a relative path. */
function ruby(folder: string, lines: readonly [caller: number, thrower: number], source: string, value: string): JsonObject {
  const file = { project_root: folder, abs_path: 'ship.rb', filename: 'ship.rb', in_app: false };
  const frames = [
    { ...file, function: '<main>', lineno: lines[0], context_line: '  steer(ARGV[0])\n' },
    { ...file, function: 'steer', lineno: lines[1], context_line: source },
  ];
  return sentBy('ruby', 'ArgumentError', frames, value);
}

/** The form of sentry-php 4, by its source. */
function php(folder: string, lines: readonly [caller: number, thrower: number], source: string, value: string): JsonObject {
  const file = { filename: '/ship.php', abs_path: `${folder}/ship.php`, in_app: true };
  const frames = [
    { ...file, function: null, lineno: lines[0], context_line: '    steer($argv[1]);' },
    { ...file, function: 'steer', raw_function: 'steer', lineno: lines[1], context_line: source },
  ];
  return sentBy('php', 'RangeException', frames, value);
}

export const twoThrows: readonly TwoThrows[] = [
  {
    language: 'Python',
    left: python('/srv/one', [8, 6], "        raise ValueError('no room on the left')", 'no room on the left'),
    right: python('/srv/one', [8, 7], "    raise ValueError('no room on the right')", 'no room on the right'),
    moved: python('/srv/two', [10, 8], "            raise ValueError('no room on the left')", 'no room on the left'),
  },
  {
    language: 'Node',
    left: node('/srv/ship', [10, 5], "    throw new RangeError('no room on the left');", 'no room on the left'),
    right: node('/srv/ship', [10, 7], "  throw new RangeError('no room on the right');", 'no room on the right'),
    moved: node('/home/ship', [12, 7], "      throw new RangeError('no room on the left');", 'no room on the left'),
  },
  {
    language: 'Ruby',
    left: ruby('/srv/one', [10, 6], "  raise ArgumentError, 'no room on the left' if where == 'left'\n", 'no room on the left'),
    right: ruby('/srv/one', [10, 7], "  raise ArgumentError, 'no room on the right'\n", 'no room on the right'),
    moved: ruby(
      '/srv/two',
      [12, 8],
      "      raise ArgumentError, 'no room on the left' if where == 'left'\n",
      'no room on the left',
    ),
  },
  {
    language: 'PHP',
    left: php('/srv/one', [12, 6], "        throw new RangeException('no room on the left');", 'no room on the left'),
    right: php('/srv/one', [12, 8], "    throw new RangeException('no room on the right');", 'no room on the right'),
    moved: php('/srv/two', [14, 8], "\tthrow  new RangeException('no room on the left');", 'no room on the left'),
  },
];

const express = 'node_modules/express/lib/router';

/** Returns the event of a value without a stack that a handler of Express throws, as @sentry/node 10.78.0 sends it. */
export function thrownInExpress(value: string): JsonObject {
  const frames = [
    { filename: `/srv/${express}/index.js`, module: 'express.lib.router:index', function: 'next', lineno: 280, in_app: false },
    {
      filename: `/srv/${express}/layer.js`,
      module: 'express.lib.router:layer',
      function: 'Layer.handle_error',
      lineno: 71,
      in_app: false,
      context_line: '    fn(error, req, res, next);',
    },
    {
      filename: '/srv/node_modules/@sentry/core/build/cjs/integrations/express/index.js',
      module: '@sentry.core.build.cjs.integrations.express',
      function: 'sentryErrorMiddleware',
      lineno: 115,
      in_app: false,
      context_line: '      const eventId = exports$1.captureException(error, {',
    },
  ];
  const mechanism = { type: 'auto.middleware.express', handled: false, synthetic: true };
  return { platform: 'node', exception: { values: [{ type: 'Error', value, stacktrace: { frames }, mechanism }] } };
}
