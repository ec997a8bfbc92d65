/**
 * Cause of a failed write that is not the fault of the data: `full` means no space left; `unwritable` means that the system refuses to
 * write (a read-only file system, lost permissions, a failing disk).
 */
export type StorageFailure = 'full' | 'unwritable';

/** Error codes of SQLite (https://sqlite.org/rescode.html) and of the operating system. */
const FULL = /^(?:SQLITE_FULL|ENOSPC|EDQUOT)$/;
const UNWRITABLE = /^(?:SQLITE_(?:READONLY|IOERR|CANTOPEN|PERM)(?:_\w+)?|EROFS|EIO|EFBIG)$/;

/** Messages of the git program, which runs in the C locale: those of the operating system, and its own for a short write. */
const FULL_MESSAGE = /No space left on device|Disk quota exceeded|Out of diskspace/;

/** Returns the cause of a failed write, or undefined for every other error. */
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
