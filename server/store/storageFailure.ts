/**
 * Why something could not be stored, although nothing is wrong with what was to be stored: `full` there is no room for it, `unwritable` the
 * system refuses to write (a read-only file system, lost permissions, a disk that fails).
 */
export type StorageFailure = 'full' | 'unwritable';

/** Codes of SQLite (https://sqlite.org/rescode.html) and of the system. */
const FULL = /^(?:SQLITE_FULL|ENOSPC|EDQUOT)$/;
const UNWRITABLE = /^(?:SQLITE_(?:READONLY|IOERR|CANTOPEN|PERM)(?:_\w+)?|EROFS|EIO|EFBIG)$/;

/** Messages of the git program, which runs in the C locale: those of the system, and its own where a write was cut short. */
const FULL_MESSAGE = /No space left on device|Disk quota exceeded|Out of diskspace/;

/** Undefined for every other error. */
export function storageFailureOf(error: unknown): StorageFailure | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  if (FULL.test(code) || FULL_MESSAGE.test(error.message)) return 'full';
  return UNWRITABLE.test(code) ? 'unwritable' : undefined;
}

/**
 * Stores something that a read does not depend on, such as a time of use or a result that could be computed again. Returns false where it
 * could not be stored, so that reads are answered without room on the disk.
 */
export function storeIfPossible(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (storageFailureOf(error) === undefined) throw error;
    return false;
  }
}
