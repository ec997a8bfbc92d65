import assert from 'node:assert/strict';
import { readErrorInput, readListActivityInput, readListErrorsInput } from '../../../src/languageModelTools/input.ts';

describe('the input of language model tools', () => {
  it('lists unresolved errors of the selected project by default', () => {
    for (const input of [undefined, null, {}, { project: '', status: '' }])
      assert.deepEqual(readListErrorsInput(input), {
        ...{ project: undefined, statuses: ['unresolved'], search: undefined, environment: undefined, release: undefined },
      });
  });

  it('selects errors by status', () => {
    assert.deepEqual(readListErrorsInput({ status: 'ignored' }).statuses, ['ignored']);
    assert.equal(readListErrorsInput({ status: 'all' }).statuses.length, 4);
  });

  it('takes the ID of an error as a string or a number', () => {
    assert.deepEqual(readErrorInput({ id: '12', project: 'a/b' }), { id: '12', project: 'a/b' });
    assert.equal(readErrorInput({ id: 12 }).id, '12');
  });

  it('lists the activity of the user by default', () => {
    assert.deepEqual(readListActivityInput({}), { isMine: true, project: undefined });
    assert.deepEqual(readListActivityInput({ scope: 'project' }), { isMine: false, project: undefined });
  });

  const refused: readonly (readonly [title: string, read: () => unknown, expected: RegExp])[] = [
    ['a list instead of an object', () => readListErrorsInput([]), /must be an object/],
    ['an unknown status', () => readListErrorsInput({ status: 'open' }), /"status" must be one of unresolved, .*all/],
    ['a status that is an object', () => readListErrorsInput({ status: {} }), /"status" must be a string/],
    ['no ID', () => readErrorInput({}), /"id" must be the number of an error/],
    ['an ID with a path in it', () => readErrorInput({ id: '1/../2' }), /"id" must be the number of an error/],
    ['a fraction as ID', () => readErrorInput({ id: 1.5 }), /"id" must be a string/],
    ['an unknown scope', () => readListActivityInput({ scope: 'all' }), /"scope" must be/],
  ];
  for (const [title, read, expected] of refused) {
    it(`is refused with an explanation: ${title}`, () => {
      assert.throws(read, expected);
    });
  }
});
