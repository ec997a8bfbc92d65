import assert from 'node:assert/strict';
import { normalisedUserCode, randomUserCode, shownUserCode } from '../../../server/features/oauth/userCode.ts';

describe('user codes', () => {
  it('user codes are eight unambiguous consonants', () => {
    for (let count = 0; count < 1000; count += 1) assert.match(randomUserCode(), /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/);
  });

  it('user codes use every letter', () => {
    const letters = new Set(Array.from({ length: 200 }, randomUserCode).join(''));
    assert.equal(letters.size, 20);
  });

  it('user codes are shown with a dash in the middle', () => {
    assert.equal(shownUserCode('BCDFGHJK'), 'BCDF-GHJK');
  });

  it('user codes are the same in any case, with dashes, spaces and full-width letters', () => {
    for (const typed of ['BCDFGHJK', 'bcdf-ghjk', ' BcDf ghjK ', 'b c d f - g h j k', 'BCDF–GHJK', 'ＢＣＤＦ－ＧＨＪＫ']) {
      assert.equal(normalisedUserCode(typed), 'BCDFGHJK', typed);
    }
    assert.equal(normalisedUserCode(' -- '), '');
  });
});
