import assert from 'node:assert/strict';
import { explainGrouping } from '../../../../server/features/errorTracking/grouping/explainGrouping.ts';
import { groupingOf } from '../../../../server/features/errorTracking/grouping/grouping.ts';
import { culpritOf, titleOf } from '../../../../server/features/errorTracking/grouping/errorTitles.ts';
import type { Mechanism, TrackedEvent, TrackedException } from '../../../../server/features/errorTracking/event/trackedEvent.ts';
import { frameAt, trackedEvent, trackedException } from '../trackedEvents.ts';

const main = [frameAt('app/main.py main')];
const worker = [frameAt('app/worker.py work')];

/** `TYPE` or `TYPE in FUNCTION`, with its number and that of its parent. */
function thrown(what: string, id: number, parentId: number | undefined, more: Partial<Mechanism> = {}): TrackedException {
  const [type, name] = what.split(' in ');
  const frames = name === undefined ? worker : [frameAt(`app/worker.py ${name}`)];
  return trackedException(type, `value ${id}`, frames, { type: 'chained', exceptionId: id, parentId, ...more });
}

const wrapper = (type = 'ExceptionGroup', more: Partial<Mechanism> = {}): TrackedException =>
  trackedException(type, 'unhandled errors', main, { exceptionId: 0, isExceptionGroup: true, ...more });
const caught = (...exceptions: TrackedException[]): TrackedEvent => trackedEvent({ platform: 'python', exceptions });
/** An exception group with members, the first one last, as SDKs send them. */
const group = (...members: string[]): TrackedEvent =>
  caught(...members.map((what, index) => thrown(what, index + 1, 0)).toReversed(), wrapper());
const hash = (event: TrackedEvent): string => groupingOf(event, 1, true).app.toString('hex');
const distinct = (...events: TrackedEvent[]): number => new Set(events.map(hash)).size;

describe('grouping of exception groups', () => {
  it('the number of equal members does not count', () => {
    const counts = [1, 2, 3, 7, 60];
    assert.equal(distinct(...counts.map((count) => group(...Array.from({ length: count }, () => 'ConnectionError')))), 1);
  });

  it('the order of members does not count', () => {
    assert.equal(
      distinct(group('KeyError', 'OSError'), group('OSError', 'KeyError'), group('KeyError', 'OSError', 'KeyError')),
      1,
    );
  });

  it('other members are another error, by type and by stack', () => {
    assert.equal(distinct(group('KeyError'), group('OSError'), group('KeyError', 'OSError')), 3);
    assert.equal(distinct(group('Error in cleanup'), group('Error in revoke'), group('Error in notify')), 3);
  });

  it('members that are all the same group, and are named, like one of them alone', () => {
    const alone = caught(thrown('KeyError in load', 0, undefined));
    const wrapped = group('KeyError in load', 'KeyError in load');
    assert.equal(distinct(alone, wrapped), 1);
    assert.deepEqual([titleOf(wrapped), culpritOf(wrapped)], ['KeyError: value 1', 'load (app/worker.py)']);
    assert.deepEqual(
      [titleOf(group('KeyError', 'OSError')), culpritOf(group('KeyError', 'OSError'))],
      ['ExceptionGroup: unhandled errors', 'main (app/main.py)'],
    );
  });

  it('the wrapper does not count, neither its type nor its stack', () => {
    const members = [thrown('OSError', 2, 0), thrown('KeyError', 1, 0)];
    assert.equal(
      distinct(caught(...members, wrapper()), caught(...members, { ...wrapper('AggregateError'), frames: worker })),
      1,
    );
  });

  it('members of nested groups count like those of one group', () => {
    const nested = caught(
      thrown('OSError', 3, 2),
      thrown('ExceptionGroup', 2, 0, { isExceptionGroup: true }),
      thrown('KeyError', 1, 0),
      wrapper(),
    );
    assert.equal(distinct(nested, group('KeyError', 'OSError')), 1);
  });

  it('exceptions may be sent in any order before the one that was caught', () => {
    const nested = [
      thrown('ExceptionGroup', 2, 0, { isExceptionGroup: true }),
      thrown('OSError', 3, 2),
      thrown('KeyError', 1, 0),
    ];
    const orders = [nested, nested.toReversed(), [nested[1], nested[2], nested[0]].filter((one) => one !== undefined)];
    assert.equal(distinct(...orders.map((order) => caught(...order, wrapper()))), 1);
  });

  it('a member counts with the types of its causes', () => {
    const withCause = (cause: string, count: number): TrackedEvent =>
      caught(
        ...Array.from({ length: count }, (_, at) => [
          thrown(cause, 10 + at, 1 + at, { source: '__cause__' }),
          thrown('KeyError', 1 + at, 0),
        ]).flat(),
        wrapper(),
      );
    assert.equal(distinct(withCause('OSError', 1), withCause('OSError', 3)), 1);
    assert.equal(distinct(withCause('OSError', 1), withCause('TypeError', 1), group('KeyError')), 3);
  });

  it('the cause of a group is no member', () => {
    const cause = thrown('TimeoutError', 9, 0, { source: '__cause__' });
    assert.equal(distinct(caught(cause, thrown('KeyError', 1, 0, { source: 'exceptions[0]' }), wrapper()), group('KeyError')), 1);
  });

  it('of a group that is a cause, each type of its members counts once', () => {
    const failure = (...types: string[]): TrackedEvent =>
      caught(
        ...types.map((type, index) => thrown(type, index + 2, 1)),
        thrown('ExceptionGroup', 1, 0, { isExceptionGroup: true }),
        thrown('RuntimeError', 0, undefined),
      );
    assert.equal(distinct(failure('KeyError'), failure('KeyError', 'KeyError'), failure('KeyError', 'KeyError', 'KeyError')), 1);
    assert.equal(distinct(failure('KeyError'), failure('OSError')), 2);
  });

  it('exceptions that Java suppressed neither replace the one that was thrown nor count', () => {
    const order = trackedException('OrderException', 'x', main, { exceptionId: 0, isExceptionGroup: true });
    const suppressed = (count: number): TrackedException[] =>
      Array.from({ length: count }, (_, at) => thrown('IOException in close', 2 + at, 0, { type: 'suppressed' }));
    const cause = thrown('SQLException', 1, 0);
    const alone = caught(cause, { ...order, mechanism: undefined });
    assert.equal(distinct(caught(...suppressed(1), cause, order), caught(...suppressed(3), cause, order), alone), 1);
  });

  it('members of a group without numbers count as well', () => {
    const unnumbered = (...types: string[]): TrackedEvent =>
      caught(...types.map((type) => trackedException(type, 'x', worker)), wrapper('AggregateError', { exceptionId: undefined }));
    assert.equal(
      distinct(unnumbered('KeyError', 'OSError'), unnumbered('OSError', 'OSError', 'KeyError'), group('KeyError', 'OSError')),
      1,
    );
  });

  it('exceptions that are parents of each other do no harm', () => {
    const knot = caught(thrown('A', 1, 2), thrown('B', 2, 1), wrapper('ExceptionGroup', { parentId: 0 }));
    assert.equal(hash(knot), hash(knot));
    assert.equal(titleOf(knot), 'B: value 2');
  });

  it('at most ten distinct members decide', () => {
    const types = Array.from({ length: 12 }, (_, at) => `E${String(at).padStart(2, '0')}`);
    assert.equal(distinct(group(...types), group(...types.slice(0, 11)), group(...types.slice(0, 10).toReversed())), 1);
    assert.equal(distinct(group(...types), group(...types.slice(0, 9))), 2);
  });

  it('members without a stack are told apart by their text', () => {
    const joined = (...values: string[]): TrackedEvent =>
      caught(
        ...values.map((value, index) =>
          trackedException('*errors.errorString', value, [], { exceptionId: index + 1, parentId: 0 }),
        ),
        wrapper('*errors.joinError'),
      );
    assert.equal(distinct(joined('no crew'), joined('no wind'), joined('no crew', 'no wind')), 3);
    assert.equal(distinct(joined('no berth 7', 'no wind'), joined('no wind', 'no berth 8')), 1);
  });

  it('the explanation lists the distinct members', () => {
    const { by, members, leftOut, stack } = explainGrouping(group('KeyError', 'OSError in load', 'KeyError'));
    assert.deepEqual([by, stack, leftOut], ['exception_group', undefined, ['exception_group']]);
    assert.deepEqual(
      members.map(({ exceptionTypes, frames }) => [...exceptionTypes, ...frames.map(({ name }) => name)]).toSorted(),
      [
        ['KeyError', 'work'],
        ['OSError', 'load'],
      ],
    );
    assert.deepEqual(explainGrouping(group('KeyError', 'KeyError')).by, 'exception');
  });
});
