import assert from 'node:assert/strict';
import { exceptions, retiredNames } from '../../scripts/check-names.ts';

const found = (file: string, source: string): string[] =>
  retiredNames({ [file]: source }).map(({ word, name, line }) => `${name} (${word}) in line ${line ?? 'none'}`);

describe('the check of names', () => {
  it('finds nothing in standard terms', () => {
    assert.deepEqual(found('server/http/responses.ts', 'export const response = createInput();'), []);
  });

  it('finds a retired word in a file name', () => {
    assert.deepEqual(found('server/http/answers.ts', ''), ['answers (answers) in line none']);
  });

  for (const [source, expected] of [
    ['const answer = 1;', 'answer (answer) in line 1'],
    ['interface LabelWish {}', 'LabelWish (wish) in line 1'],
    ['const a = 1;\nfunction complaintOf() {}', 'complaintOf (complaint) in line 2'],
    ['a.standing();', 'standing (standing) in line 1'],
    ['const STORED_FACTS = 1;', 'STORED_FACTS (facts) in line 1'],
  ] as const)
    it(`finds one in ${source.split('\n').at(-1)}`, () => assert.deepEqual(found('a.ts', source), [expected]));

  it('leaves comments and texts alone', () => {
    assert.deepEqual(found('a.ts', "// The answer.\nconst text = 'a wish';"), []);
  });

  it('lets the exceptions pass', () => {
    for (const name of Object.keys(exceptions)) assert.deepEqual(found('a.ts', `const ${name} = 1;`), []);
  });
});
