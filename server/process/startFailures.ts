import path from 'node:path';
import { isDamage } from '../store/damage.ts';
import { ForeignDatabase, NewerSchema } from '../store/migrate.ts';
import { storageFailureOf } from '../store/storageFailure.ts';
import { DATABASE, diskFull, notWritable } from './dataFolder.ts';
import { damagedDatabase } from './database.ts';
import { Fatal } from '../core/fatal.ts';

/** Converts damage and disk errors to Fatal wherever they occur during the start, because they are not bugs of the server. */
export function startFailure(error: unknown, folder: string | undefined): unknown {
  if (folder !== undefined && isDamage(error)) return damagedDatabase(folder, path.join(folder, DATABASE));
  const storage = storageFailureOf(error);
  if (error instanceof Fatal || storage === undefined || folder === undefined) return error;
  return storage === 'full' ? diskFull(folder) : notWritable(folder, error);
}

export async function wordedLater<T>(open: () => Promise<T>, file: string): Promise<T> {
  try {
    return await open();
  } catch (error) {
    return worded(() => {
      throw error;
    }, file);
  }
}

/** Runs `open`. Throws Fatal with a message for the known failures of opening a database. */
export function worded<T>(open: () => T, file: string): T {
  try {
    return open();
  } catch (error) {
    if (error instanceof NewerSchema) {
      throw new Fatal(
        'database_newer',
        error.message,
        `Use the newer version of Signalbox that wrote ${file}, restore a snapshot of an earlier version with --restore, or use another data folder.`,
      );
    }
    if (error instanceof ForeignDatabase)
      throw new Fatal('database_foreign', error.message, `Choose a data folder other than that of ${file}.`);
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (isDamage(error)) {
      throw path.isAbsolute(file)
        ? damagedDatabase(path.dirname(file), file)
        : new Fatal(
            'database_damaged',
            `The ${file} is damaged and not readable.`,
            'Choose another snapshot. Nothing was changed.',
          );
    }
    if (code === 'ERR_DLOPEN_FAILED' || code === 'MODULE_NOT_FOUND') {
      throw new Fatal(
        'binary_unloadable',
        `The SQLite binary could not be loaded: ${error instanceof Error ? error.message.split('\n', 1)[0] : ''}`,
        'Install the package for this platform. On Linux it requires glibc 2.34 or musl.',
      );
    }
    const storage = storageFailureOf(error);
    if (storage === 'full') throw diskFull(path.dirname(file));
    if (storage === 'unwritable') {
      throw new Fatal(
        'data_not_writable',
        `Cannot open ${file} (${code}).`,
        'Choose another folder with --data, or fix its permissions.',
      );
    }
    throw error;
  }
}
