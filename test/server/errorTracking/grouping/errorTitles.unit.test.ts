import assert from 'node:assert/strict';
import { culpritOf, searchTextOf, titleOf } from '../../../../server/features/errorTracking/grouping/errorTitles.ts';
import { frameAt, logMessage, trackedEvent, trackedException, trackedFrame, trackedThread } from '../trackedEvents.ts';

const load = frameAt('app/store.py load');
const lib = frameAt('site-packages/orm/query.py execute', { inApp: false });

describe('the title of an error', () => {
  for (const [name, members, expected] of [
    [
      'of the exception that was caught, not of its cause',
      { exceptions: [trackedException('TimeoutError', 'slow'), trackedException('ServiceError', 'no answer')] },
      'ServiceError: no answer',
    ],
    ['first line of its value', { exceptions: [trackedException('E', '\n  one \ntwo')] }, 'E: one'],
    ['only a type', { exceptions: [trackedException('KeyError', ' ')] }, 'KeyError'],
    ['only a value', { exceptions: [trackedException(undefined, 'broken')] }, 'broken'],
    ['neither, but a stack', { exceptions: [trackedException(undefined, undefined, [load])] }, 'load (app/store.py)'],
    ['nothing', {}, '<unknown>'],
    ['of a synthetic type', { exceptions: [trackedException('Error', 'lost', [], { synthetic: true })] }, 'lost'],
    [
      'of a signal',
      { exceptions: [trackedException('SIGSEGV', 'Segmentation fault', [], { synthetic: true })] },
      'SIGSEGV: Segmentation fault',
    ],
    [
      'of a signal that the mechanism names',
      { exceptions: [trackedException('Crash', 'Attempted to read 0x0', [], { synthetic: true, signal: 'SIGBUS' })] },
      'SIGBUS: Attempted to read 0x0',
    ],
    [
      'of an exception of Windows that the value repeats',
      {
        exceptions: [
          trackedException('EXCEPTION_ACCESS_VIOLATION_READ', 'Fatal Error: EXCEPTION_ACCESS_VIOLATION_READ', [], {
            synthetic: true,
          }),
        ],
      },
      'Fatal Error: EXCEPTION_ACCESS_VIOLATION_READ',
    ],
    ['of a synthetic type alone', { exceptions: [trackedException('SIGSEGV', undefined, [], { synthetic: true })] }, 'SIGSEGV'],
    ['a message as it reads', { message: logMessage('Slow query a\nb', 'Slow query %s') }, 'Slow query a'],
    ['an exception before a message', { exceptions: [trackedException('E', 'x')], message: logMessage('m') }, 'E: x'],
    ['at most 120 characters', { message: logMessage('x'.repeat(121)) }, `${'x'.repeat(119)}…`],
    ['120 are whole', { message: logMessage('x'.repeat(120)) }, 'x'.repeat(120)],
    ['never half of a character', { message: logMessage(`${'x'.repeat(118)}🚦🚦`) }, `${'x'.repeat(118)}…`],
  ] as const) {
    it(name, () => assert.equal(titleOf(trackedEvent(members)), expected));
  }
});

describe('the culprit of an error', () => {
  for (const [name, members, expected] of [
    ['the transaction', { transaction: '/cart', exceptions: [trackedException('E', 'x', [load])] }, '/cart'],
    [
      'the innermost frame of the program itself',
      { transaction: '', exceptions: [trackedException('E', 'x', [load, lib])] },
      'load (app/store.py)',
    ],
    [
      'such a frame of the cause before one of a library',
      { exceptions: [trackedException('A', 'x', [load]), trackedException('E', 'x', [lib])] },
      'load (app/store.py)',
    ],
    [
      'the innermost frame of all',
      { exceptions: [trackedException('E', 'x', [lib, trackedFrame({ inApp: false })])] },
      'execute (site-packages/orm/query.py)',
    ],
    ['module before file', { exceptions: [trackedException('E', 'x', [{ ...load, module: 'app.store' }])] }, 'load (app.store)'],
    ['only a file', { exceptions: [trackedException('E', 'x', [trackedFrame({ filename: 'a.py' })])] }, 'a.py'],
    ['only a function', { exceptions: [trackedException('E', 'x', [trackedFrame({ function: 'f' })])] }, 'f'],
    [
      'the thread of a message',
      { message: logMessage('m'), threads: [trackedThread({ frames: [load] })] },
      'load (app/store.py)',
    ],
    [
      'the caller of the SDK, not the SDK itself',
      {
        message: logMessage('m'),
        threads: [trackedThread({ frames: [lib, frameAt('sentry_sdk/api.py capture_message', { module: 'sentry_sdk.api' })] })],
      },
      'execute (site-packages/orm/query.py)',
    ],
    [
      'the frame that panicked, not the one of the SDK that is marked as application frame',
      {
        exceptions: [
          trackedException('panic', 'x', [
            trackedFrame({ function: 'ship::steer', filename: 'main.rs' }),
            trackedFrame({ function: 'sentry_panic::PanicIntegration::event_from_panic_info', filename: 'lib.rs' }),
          ]),
        ],
      },
      'ship::steer (main.rs)',
    ],
    [
      'nowhere, if all frames are those of the SDK',
      {
        message: logMessage('m'),
        threads: [
          trackedThread({
            frames: [
              frameAt('node_modules/@sentry/core/build/exports.js captureMessage', { inApp: false }),
              trackedFrame({ module: 'io.sentry.Sentry', function: 'capture' }),
              trackedFrame({ module: 'raven.base', function: 'captureMessage', inApp: false }),
              trackedFrame({ module: 'github.com/getsentry/sentry-go', function: 'CaptureMessage' }),
              trackedFrame({
                function: String.raw`Sentry\Client::captureMessage`,
                filename: '/vendor/sentry/sentry/src/Client.php',
              }),
              frameAt('/gems/sentry-ruby-core-5.9.0/lib/sentry/hub.rb capture_message', { inApp: false }),
            ],
          }),
        ],
      },
      '',
    ],
    [
      'a module of the program with the name of a former SDK',
      { exceptions: [trackedException('E', 'x', [trackedFrame({ module: 'raven.nest', function: 'build' })])] },
      'build (raven.nest)',
    ],
    [
      'the package of a native frame without a file',
      { exceptions: [trackedException('E', 'x', [trackedFrame({ function: 'add', package: '/usr/lib/libshop.so' })])] },
      'add (/usr/lib/libshop.so)',
    ],
    [
      'only a package',
      { exceptions: [trackedException('E', 'x', [trackedFrame({ package: '/usr/lib/libshop.so' })])] },
      '/usr/lib/libshop.so',
    ],
    ...[
      ['ch.qos.logback.classic.Logger', 'error'],
      ['org.slf4j.helpers.AbstractLogger', 'error'],
      ['org.apache.logging.log4j.spi.AbstractLogger', 'logMessage'],
      ['java.util.logging.Logger', 'severe'],
      ['org.jboss.logging.Logger', 'error'],
      ['timber.log.Timber$Forest', 'e'],
      ['Microsoft.Extensions.Logging.Logger', 'Log'],
      ['logging', '_log'],
    ].map(
      ([module, name]) =>
        [
          `the caller of the logger, not ${module}`,
          {
            message: logMessage('m'),
            threads: [
              trackedThread({
                frames: [load, trackedFrame({ module, function: name }), trackedFrame({ module: 'io.sentry.Sentry' })],
              }),
            ],
          },
          'load (app/store.py)',
        ] as const,
    ),
    [
      'a module of the program that begins like a logger',
      { exceptions: [trackedException('E', 'x', [trackedFrame({ module: 'loggingtools.rotate', function: 'turn' })])] },
      'turn (loggingtools.rotate)',
    ],
    ...[
      'rust_begin_unwind',
      '__rustc::rust_begin_unwind',
      '__rustc[5224e6b81cd82a8f]::rust_begin_unwind',
      'core::panicking::panic_fmt',
      'std::panicking::begin_panic_handler',
      '<alloc::boxed::Box<F> as core::ops::function::Fn>::call',
      '__rust_start_panic',
    ].map(
      (name) =>
        [
          `the function that panicked, not ${name}`,
          {
            platform: 'native',
            exceptions: [
              trackedException('panic', 'x', [
                trackedFrame({ function: 'ship::steer', package: 'ship' }),
                trackedFrame({ function: name }),
              ]),
            ],
          },
          'ship::steer (ship)',
        ] as const,
    ),
    [
      'a function of another platform that is named like one of the runtime',
      { exceptions: [trackedException('E', 'x', [frameAt('app/flag.js raise')])] },
      'raise (app/flag.js)',
    ],
    ['nowhere', { message: logMessage('m') }, ''],
    ['at most 200 characters', { transaction: 'x'.repeat(300) }, `${'x'.repeat(199)}…`],
  ] as const) {
    it(name, () => assert.equal(culpritOf(trackedEvent(members)), expected));
  }
});

describe('the search text of an error', () => {
  it('the search text has title, exceptions, message and frames, innermost first and without duplicates', () => {
    const event = trackedEvent({
      exceptions: [
        trackedException('TimeoutError', 'slow', [lib]),
        trackedException('ServiceError', 'no answer\nat all', [load, load]),
      ],
      message: logMessage('gave up'),
    });
    assert.deepEqual(searchTextOf(event).split('\n'), [
      'ServiceError: no answer',
      'load (app/store.py)',
      'ServiceError',
      'no answer',
      'at all',
      'TimeoutError',
      'slow',
      'gave up',
      'load',
      'app/store.py',
      'execute',
      'site-packages/orm/query.py',
    ]);
  });

  it('the search text has a limit and whole characters', () => {
    const frames = Array.from({ length: 500 }, (_, at) => frameAt(`app/${'x'.repeat(600)}${at}.py f${at}`));
    const text = searchTextOf(trackedEvent({ exceptions: [trackedException('E', `${'x'.repeat(511)}🚦`, frames)] }));
    assert.ok(text.length <= 8_192, `${text.length}`);
    assert.equal(text.isWellFormed(), true);
  });
});
