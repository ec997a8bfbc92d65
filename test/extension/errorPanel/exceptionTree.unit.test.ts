import assert from 'node:assert/strict';
import { readErrorEvent } from '../../../src/contract/errorDetail.ts';
import { stackText } from '../../../src/errorPanel/exportText.ts';

const mechanism = (members: object): object => ({
  type: 'chained',
  handled: null,
  synthetic: false,
  is_exception_group: false,
  ...members,
});

function exceptionsOf(...exceptions: readonly (readonly [type: string, mechanism: object | null])[]) {
  const payload = {
    platform: 'python',
    exceptions: exceptions.map(([type, how]) => ({ type, value: null, mechanism: how, frames: [] })),
  };
  const event = readErrorEvent({ event_id: 'a', occurred_at: '2026-03-04T05:06:07.000Z', payload });
  assert.ok(event?.data);
  return { event, shown: event.data.exceptions.map(({ type, inTree }) => [type, inTree?.relation, inTree?.depth]) };
}

describe('exceptions of an event in the panel', () => {
  it('a chain begins with the exception that was caught', () => {
    const { shown } = exceptionsOf(['KeyError', null], ['ServiceError', null]);
    assert.deepEqual(shown, [
      ['ServiceError', undefined, undefined],
      ['KeyError', undefined, undefined],
    ]);
  });

  it('an exception group is a tree of its members with their causes', () => {
    const { event, shown } = exceptionsOf(
      ['OSError', mechanism({ exception_id: 4, parent_id: 2 })],
      ['TimeoutError', mechanism({ exception_id: 3, parent_id: 1, source: '__cause__' })],
      ['ExceptionGroup', mechanism({ exception_id: 2, parent_id: 0, is_exception_group: true })],
      ['KeyError', mechanism({ exception_id: 1, parent_id: 0 })],
      ['TaskGroup', mechanism({ exception_id: 0, is_exception_group: true })],
    );
    assert.deepEqual(shown, [
      ['TaskGroup', 'caught', 0],
      ['KeyError', 'member', 1],
      ['TimeoutError', 'cause', 2],
      ['ExceptionGroup', 'member', 1],
      ['OSError', 'member', 2],
    ]);
    assert.deepEqual(stackText(event).split('\n'), [
      'TaskGroup',
      '  Member: KeyError',
      '    Caused by: TimeoutError',
      '  Member: ExceptionGroup',
      '    Member: OSError',
    ]);
  });

  it('a suppressed exception is told apart from the cause', () => {
    const { shown } = exceptionsOf(
      ['IOException', mechanism({ type: 'suppressed', exception_id: 2, parent_id: 0 })],
      ['SQLException', mechanism({ exception_id: 1, parent_id: 0 })],
      ['OrderException', mechanism({ exception_id: 0, is_exception_group: true })],
    );
    assert.deepEqual(shown, [
      ['OrderException', 'caught', 0],
      ['SQLException', 'cause', 1],
      ['IOException', 'suppressed', 1],
    ]);
  });

  it('a frame without a file has its package, and one without a function its address', () => {
    const native = { package: '/usr/lib/libshop.so', instruction_addr: '0x7f01', filename: null, abs_path: null, module: null };
    const frames = [native, { ...native, function: 'add' }, { ...native, filename: 'shop.c' }];
    const payload = { platform: 'native', exceptions: [{ type: 'SIGSEGV', value: null, mechanism: null, frames }] };
    const event = readErrorEvent({ event_id: 'a', occurred_at: '2026-03-04T05:06:07.000Z', payload });
    assert.ok(event);
    assert.equal(
      stackText(event),
      'SIGSEGV\n    at shop.c\n    at add (/usr/lib/libshop.so)\n    at 0x7f01 (/usr/lib/libshop.so)',
    );
  });
});
