import assert from 'node:assert/strict';
import { storageFailureOf } from '../../../server/store/storageFailure.ts';

describe('a failed write', () => {
  const withCode = (code: string): Error => Object.assign(new Error('a write failed'), { code });

  for (const code of ['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])
    it(`a failed write is caused by a full disk with ${code}`, () => assert.equal(storageFailureOf(withCode(code)), 'full'));
  for (const code of ['SQLITE_READONLY', 'SQLITE_IOERR_WRITE', 'SQLITE_CANTOPEN', 'EROFS', 'EIO'])
    it(`a failed write is caused by an unwritable disk with ${code}`, () =>
      assert.equal(storageFailureOf(withCode(code)), 'unwritable'));
  for (const text of [
    'fatal: write error: Out of diskspace',
    'error: unable to write file: No space left on device',
    'fatal: unable to create temporary file: Disk quota exceeded',
  ])
    it(`a failed write is caused by a full disk if git reports “${text}”`, () =>
      assert.equal(storageFailureOf(new Error(text)), 'full'));
  it('a failed write has another cause with every other error', () => {
    for (const error of [withCode('SQLITE_CONSTRAINT_UNIQUE'), withCode('ENOENT'), new Error('bad object'), 'ENOSPC', undefined])
      assert.equal(storageFailureOf(error), undefined);
  });
});
