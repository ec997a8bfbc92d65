import assert from 'node:assert/strict';
import { explainGrouping } from '../../../../server/features/errorTracking/grouping/explainGrouping.ts';
import { groupingOf } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import type { TrackedEvent } from '../../../../server/features/errorTracking/event/trackedEvent.ts';
import { frameAt, logMessage, trackedEvent, trackedException, trackedFrame } from '../trackedEvents.ts';

const hash = (event: TrackedEvent): string => groupingOf(event, 1, true).app.toString('hex');
const distinct = (...events: TrackedEvent[]): number => new Set(events.map(hash)).size;
const load = frameAt('app/store.py load');
const failure = (fingerprint: readonly string[], members: Partial<TrackedEvent> = {}): TrackedEvent =>
  trackedEvent({ platform: 'python', exceptions: [trackedException('KeyError', 'x', [load])], fingerprint, ...members });
const thrown = (type: string, value: string, frame = load): Partial<TrackedEvent> => ({
  exceptions: [trackedException(type, value, [frame])],
});

/** A variable with the data on which its value depends, in two values. */
const variables: readonly (readonly [names: readonly string[], one: Partial<TrackedEvent>, other: Partial<TrackedEvent>])[] = [
  [['type', 'error.type'], thrown('KeyError', 'x'), thrown('OSError', 'x')],
  [['value', 'error.value', 'message'], thrown('KeyError', 'x'), thrown('KeyError', 'y')],
  [
    ['message', 'value', 'error.value'],
    { exceptions: [], message: logMessage('disk full') },
    { exceptions: [], message: logMessage('login failed') },
  ],
  [['transaction'], { transaction: '/a' }, { transaction: '/b' }],
  [['function', 'stack.function'], thrown('E', 'x', load), thrown('E', 'x', frameAt('app/store.py save'))],
  [
    ['module', 'stack.module'],
    thrown('E', 'x', { ...load, module: 'app.store' }),
    thrown('E', 'x', { ...load, module: 'app.cart' }),
  ],
  [
    ['package', 'stack.package'],
    thrown('E', 'x', trackedFrame({ function: 'add', package: '/usr/lib/libshop.so' })),
    thrown('E', 'x', trackedFrame({ function: 'add', package: '/usr/lib/libcart.so' })),
  ],
  [['level'], { level: 'error' }, { level: 'fatal' }],
  [['logger'], { logger: 'mail' }, { logger: 'shop' }],
  [['tags.tenant'], { tags: new Map([['tenant', 'a']]) }, { tags: new Map([['tenant', 'b']]) }],
  [['tags.my tenant.id'], { tags: new Map([['my tenant.id', 'a']]) }, { tags: new Map([['my tenant.id', 'b']]) }],
];

describe('variables of fingerprints', () => {
  for (const [names, one, other] of variables) {
    for (const name of names) {
      it(`{{ ${name} }} stands for its value, with and without spaces`, () => {
        for (const token of [`{{ ${name} }}`, `{{${name}}}`, `{{  ${name}}}`]) {
          assert.equal(distinct(failure([token], one), failure([token], other)), 2, token);
          assert.equal(distinct(failure([token], one), failure([`{{ ${name} }}`], one)), 1, token);
          assert.equal(distinct(failure(['{{ default }}', token], one), failure(['{{ default }}', token], other)), 2, token);
          assert.equal(distinct(failure([`db-${token}`], one), failure([`db-${token}`], other)), 2, token);
        }
      });
    }
    it(`names of the same variable are one: ${names.join(', ')}`, () => {
      const own = names.filter((name) => name !== 'message');
      assert.equal(distinct(...own.map((name) => failure([`{{ ${name} }}`], one))), 1);
    });
  }

  it('a variable replaces everything else', () => {
    const one = failure(['{{ transaction }}'], { transaction: '/a' });
    assert.equal(distinct(one, failure(['{{ transaction }}'], { transaction: '/a', ...thrown('OSError', 'y') })), 1);
  });

  it('a value is not the text that looks like it, and not that of another variable', () => {
    const event = { transaction: 'a', logger: 'a' };
    assert.equal(distinct(failure(['a'], event), failure(['{{ transaction }}'], event), failure(['{{ logger }}'], event)), 3);
    assert.equal(distinct(failure(['a', 'b']), failure(['ab'])), 2);
  });

  for (const unknown of ['{{ tenant }}', '{{}}', '{{ tags. }}', '{{ Default }}', '{{ error.kind }}']) {
    it(`the unknown variable ${unknown} is left out`, () => {
      const of = (fingerprint: readonly string[]): TrackedEvent[] => [
        failure(fingerprint),
        failure(fingerprint, thrown('OSError', 'y')),
      ];
      assert.equal(distinct(...of([unknown]), ...of([])), 2);
      assert.equal(distinct(failure(['a', unknown]), failure(['a'])), 1);
      assert.equal(distinct(failure(['{{ default }}', unknown]), failure([])), 1);
      assert.equal(distinct(failure([`a${unknown}`]), failure(['a'])), 1);
    });
  }

  it('a variable without a value is left out', () => {
    assert.equal(distinct(failure(['{{ transaction }}', '{{ tags.tenant }}']), failure([])), 1);
    assert.equal(distinct(failure(['{{ transaction }}', '{{ type }}']), failure(['{{ type }}'])), 1);
    assert.equal(
      distinct(failure(['{{ function }}'], thrown('E', 'x', trackedFrame())), failure([], thrown('E', 'x', trackedFrame()))),
      1,
    );
  });

  it('the explanation has the values, and says that a variable is left out', () => {
    const { by, fingerprint, leftOut } = explainGrouping(
      failure(['{{ default }}', 'db-{{ transaction }}', '{{ tenant }}'], { transaction: '/a' }),
    );
    assert.equal(by, 'exception');
    assert.deepEqual(fingerprint, [
      { text: '{{ default }}', isDefault: true, value: undefined },
      { text: 'db-{{ transaction }}', isDefault: false, value: 'db-/a' },
    ]);
    assert.deepEqual(leftOut, ['variable', 'value']);
  });

  it('former versions know only the default', () => {
    const formers = (transaction: string): string[] =>
      groupingOf(failure(['{{ transaction }}'], { transaction }), 1, true)
        .former()
        .map(({ app }) => app.toString('hex'));
    assert.deepEqual(formers('/a'), formers('/b'));
  });
});
