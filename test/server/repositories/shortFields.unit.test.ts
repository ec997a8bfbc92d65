import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  createFieldLimit,
  createMessageLimit,
  decoded,
  shortName,
  textOfBytes,
} from '../../../server/repositories/shortFields.ts';

const MIB = 1024 * 1024;

describe('long names and messages of commits', () => {
  it('end before the character that does not fit', () => {
    for (const [text, most, short] of [
      ['lamp', 4, 'lamp'],
      ['lamps', 4, 'lamp'],
      ['größe', 4, 'grö'],
      ['größe', 3, 'gr'],
      ['a🚦b', 5, 'a🚦'],
      ['a🚦b', 4, 'a'],
      ['🚦', 3, ''],
      ['', 3, ''],
    ] as const) {
      assert.equal(textOfBytes(text, most), short);
      assert.equal(decoded(Buffer.from(text), most), short);
    }
    assert.equal(shortName('A'.repeat(300)), 'A'.repeat(255));
    assert.equal(shortName(`${'A'.repeat(254)}🚦`), 'A'.repeat(254));
    assert.equal(shortName('ö'.repeat(255)), 'ö'.repeat(255));
  });

  it('are cut in the output of git wherever its pieces end', () => {
    const fields = fc.array(
      fc.string({ maxLength: 12 }).map((text) => text.replaceAll('\0', '')),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(
        fields,
        fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 9 }),
        (texts, limits, size) => {
          const output = Buffer.from(texts.map((text) => `${text}\0`).join(''), 'latin1');
          const limit = createFieldLimit(limits);
          const pieces: Buffer[] = [];
          for (let at = 0; at < output.length; at += size) pieces.push(limit(output.subarray(at, at + size)));
          const expected = texts.map((text, index) => `${text.slice(0, limits[index % limits.length])}\0`).join('');
          assert.equal(Buffer.concat(pieces).toString('latin1'), Buffer.from(expected, 'latin1').toString('latin1'));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('are only titles once the messages of a list are long together', () => {
    const limit = createMessageLimit(MIB);
    const lengths = Array.from({ length: 10 }, () => limit('m'.repeat(2 * MIB)).length);
    assert.deepEqual(lengths, [...Array.from({ length: 8 }, () => MIB), 1024, 1024]);
  });
});
