import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cutEvent } from '../../../../server/features/errorTracking/event/cutEvent.ts';
import { payloadOf } from '../../../../server/features/errorTracking/event/scrubbedPayload.ts';
import type { TrackedEvent } from '../../../../server/features/errorTracking/event/trackedEvent.ts';
import { explainGrouping } from '../../../../server/features/errorTracking/grouping/explainGrouping.ts';
import { groupingOf } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import { culpritOf } from '../../../../server/features/errorTracking/grouping/errorTitles.ts';
import type { JsonObject } from '../../../../src/contract/json.ts';
import { normalised } from '../reading.ts';

const library = (name: string): JsonObject => ({ module: `org.framework.${name}`, function: 'invoke', in_app: false });
const own = (name: string): JsonObject => ({ module: `com.acme.${name}`, function: 'run', in_app: true });
const libraries = (count: number): JsonObject[] => Array.from({ length: count }, (_, at) => library(`Filter${letters(at)}`));
const letters = (index: number): string => String.fromCharCode(97 + (index % 26)) + 'x'.repeat(Math.floor(index / 26));
const failure = (frames: readonly JsonObject[]): TrackedEvent =>
  normalised({ platform: 'java', exception: { values: [{ type: 'E', value: 'x', stacktrace: { frames } }] } });
const hashes = (event: TrackedEvent): string[] => {
  const { app, whole } = groupingOf(event, 1, true);
  return [app, whole()].map((one) => one.toString('hex'));
};
const modulesOf = (event: TrackedEvent): (string | undefined)[] => event.exceptions[0]?.frames.map(({ module }) => module) ?? [];

describe('long stacks', () => {
  it('frames of the program in the middle of a long stack decide', () => {
    const request = (name: string): TrackedEvent => failure([...libraries(60), own(name), ...libraries(60)]);
    for (const at of [0, 1]) assert.notEqual(hashes(request('Cart'))[at], hashes(request('Orders'))[at]);
    assert.deepEqual(
      [culpritOf(request('Cart')), culpritOf(request('Orders'))],
      ['run (com.acme.Cart)', 'run (com.acme.Orders)'],
    );
    assert.equal(cutEvent(request('Cart')).exceptions[0]?.frames.length, 121);
    assert.deepEqual(request('Cart').problems, []);
  });

  it('library frames are left out first, the outermost before others, in their order', () => {
    const event = failure([own('Main'), ...libraries(300), own('Cart'), ...libraries(100)]);
    const shown = cutEvent(event);
    const all = modulesOf(event);
    assert.deepEqual(modulesOf(shown), ['com.acme.Main', ...all.slice(-249)]);
    assert.deepEqual(
      event.problems.map(({ name, type, value }) => [name, type, value]),
      [['exception.values[0].stacktrace.frames', 'too_many', '402']],
    );
  });

  it('frames of a recursion are left out before others of the program', () => {
    const deep = (depth: number): TrackedEvent =>
      failure([own('Main'), ...Array.from({ length: depth }, () => own('Tree')), own('Leaf')]);
    assert.deepEqual(modulesOf(cutEvent(deep(2000))), [
      'com.acme.Main',
      ...Array.from({ length: 248 }, () => 'com.acme.Tree'),
      'com.acme.Leaf',
    ]);
    assert.deepEqual(hashes(deep(2000)), hashes(deep(10)));
  });

  it('of too many frames of the program the innermost are kept', () => {
    const event = failure(Array.from({ length: 300 }, (_, at) => own(`Step${letters(at)}`)));
    assert.deepEqual(modulesOf(cutEvent(event)), modulesOf(event).slice(-250));
  });

  it('frames of threads and of the event itself are left out in the same way', () => {
    const frames = [own('Main'), ...libraries(400)];
    const shown = cutEvent(normalised({ stacktrace: { frames }, threads: [{ stacktrace: { frames } }] }));
    assert.deepEqual([shown.frames.length, shown.threads[0]?.frames.length], [250, 250]);
    assert.deepEqual([shown.frames[0]?.module, shown.threads[0]?.frames[0]?.module], ['com.acme.Main', 'com.acme.Main']);
  });

  it('the explanation has no more frames, but all that are used', () => {
    const { stack } = explainGrouping(
      failure([own('Main'), ...Array.from({ length: 2000 }, () => own('Tree')), ...libraries(300), own('Leaf')]),
    );
    assert.equal(stack?.frames.length, 250);
    assert.deepEqual(
      stack.frames.filter(({ use }) => use === 'used').map(({ location }) => location),
      ['com.acme.Main', 'com.acme.Tree', 'com.acme.Leaf'],
    );
  });

  it('an event that is stored without the frames that were left out is grouped as before', () => {
    const frames = fc.array(
      fc.tuple(fc.constantFrom(own('A'), own('B'), own('C'), library('D'), library('E')), fc.integer({ min: 1, max: 120 })),
      { minLength: 3, maxLength: 12 },
    );
    fc.assert(
      fc.property(frames, (runs) => {
        const event = failure(runs.flatMap(([frame, count]) => Array.from({ length: count }, () => frame)));
        const again = normalised(JSON.parse(JSON.stringify(payloadOf(event))) as JsonObject);
        assert.equal(hashes(again)[0], hashes(event)[0]);
        assert.equal(culpritOf(again), culpritOf(event));
      }),
      { numRuns: 50 },
    );
  });
});

describe('many exceptions', () => {
  const chain = (count: number, first: string): TrackedEvent =>
    normalised({
      exception: { values: Array.from({ length: count }, (_, at) => ({ type: at === 0 ? first : 'Wrapper', value: `${at}` })) },
    });

  it('all exceptions of a chain count, and the 50 nearest to the caught one are kept', () => {
    assert.notEqual(hashes(chain(60, 'KeyError'))[0], hashes(chain(60, 'OSError'))[0]);
    const shown = cutEvent(chain(60, 'KeyError'));
    assert.deepEqual([shown.exceptions.length, shown.exceptions[0]?.value, shown.exceptions.at(-1)?.value], [50, '10', '59']);
    assert.deepEqual(
      shown.problems.map(({ name, type, value }) => [name, type, value]),
      [['exception', 'too_many', '60']],
    );
  });

  it('all members of an exception group count', () => {
    const group = (count: number, last: string): TrackedEvent =>
      normalised({
        exception: {
          values: [
            { type: last, value: 'x', mechanism: { exception_id: count, parent_id: 0 } },
            ...Array.from({ length: count - 1 }, (_, at) => ({
              type: 'E',
              value: 'x',
              mechanism: { exception_id: count - 1 - at, parent_id: 0 },
            })),
            { type: 'ExceptionGroup', value: 'g', mechanism: { exception_id: 0, is_exception_group: true } },
          ],
        },
      });
    assert.equal(hashes(group(70, 'KeyError'))[0], hashes(group(90, 'KeyError'))[0]);
    assert.notEqual(hashes(group(70, 'KeyError'))[0], hashes(group(70, 'OSError'))[0]);
  });
});
