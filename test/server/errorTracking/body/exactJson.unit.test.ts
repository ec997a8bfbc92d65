import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseExactly } from '../../../../src/contract/exactJson.ts';

describe('numbers of JSON that a double cannot hold', () => {
  for (const source of [
    '9007199254740993',
    '1234567890123456789',
    '-1234567890123456789',
    '12345678901234567890',
    '123456789012345678901234567890',
    // A double holds this one, but is written with other digits.
    '1152921504606846976',
    '0.12345678901234567890',
    '1700000000.123456789',
    '1e400',
    '-1E+400',
    '1e-400',
    '1.0000000000000000001',
    '4.9406564584124655e-325',
  ]) {
    it(`${source} keeps its digits, alone, in a list and in a map`, () => {
      for (const [before, after] of [
        ['', ''],
        [' ', '\n'],
        ['[', ']'],
        ['[1,', ',"x"]'],
        ['{"a":{"b":', '}}'],
        ['{"a" : ', ' }'],
        // The search for such numbers looks at one of three characters, so each remainder is tried.
        ['[10,', ']'],
        ['[100,', ',999]'],
        ['["2026-11-28T10:00:00.123456Z","1e3","e0781-12345678",', ']'],
        ['["a1e400","-1e400","1e400e",', ']'],
      ] as const) {
        const text = `${before}${source}${after}`;
        assert.equal(JSON.stringify(parseExactly(text)), text.replaceAll(/\s/g, ''));
      }
    });
  }

  for (const source of [
    '0',
    '-0',
    '1.10',
    '0.1',
    '1e3',
    '100000000000000000000',
    '9007199254740992',
    '1.5000000000000000000',
    '0.00000000000000000000',
    '1E22',
    '5e-324',
  ]) {
    it(`${source} is a number as before`, () => {
      assert.equal(parseExactly(`[${source}]`)?.toString(), String(JSON.parse(source)));
    });
  }

  it('only numbers that differ from their source become exact, and all other values are those of JSON', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        assert.deepEqual(parseExactly(text), JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), (integer) => {
        assert.equal(JSON.stringify(parseExactly(`{"id":${integer}}`)), `{"id":${integer}}`);
      }),
    );
  });

  it('a number with a million zeros is parsed in linear time', () => {
    const zeros = '0'.repeat(1_000_000);
    assert.equal(JSON.stringify(parseExactly(`[1${zeros}1]`)), `[1${zeros}1]`);
  });

  it('text that is no JSON is an error', () => {
    for (const text of ['', '{"a":12345678901234567890', '[012345678901234567890]'])
      assert.throws(() => parseExactly(text), SyntaxError);
  });
});
