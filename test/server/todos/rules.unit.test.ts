import assert from 'node:assert/strict';
import { addressedNames } from '../../../server/features/todos/rules.ts';

describe('users whom a text addresses', () => {
  for (const [text, wanted] of [
    ['@ada please look', ['ada']],
    ['  @Ada, @bob and @cleo: look', ['ada', 'bob', 'cleo']],
    ['Thanks, @ada', []],
    ['Thanks\n@ada and see @bob', ['ada']],
    ['`@ada` is a name', []],
    ['```\n@ada\n```', []],
    ['mail@example.com', []],
    ['', []],
  ] as const) {
    it(`${JSON.stringify(text)} addresses ${wanted.join(', ') || 'nobody'}`, () => {
      assert.deepEqual(addressedNames(text), wanted);
    });
  }
});
