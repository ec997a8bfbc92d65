import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '../log.ts';
import { isDamage, readHeader } from '../store/damage.ts';
import { CURRENT_SCHEMA } from '../store/migrate.ts';
import { checkDatabase, openStore, type Store, settleSchema } from '../store/open.ts';
import { Fatal } from './fatal.ts';
import { dropOldMigrations, nameBeforeMigration, newestSnapshot, snapshotFile } from './snapshots.ts';

// What is looked at before a database of a data folder is opened, by the holder of the folder's lock.

export interface DatabaseFacts {
  readonly folder: string;
  readonly file: string;
  readonly nativeBinding: string | undefined;
  /** By the machine's clock. */
  readonly now: number;
  readonly log: Log;
  /** Hears of the steps of a migration. */
  readonly tellMigration?: Parameters<typeof openStore>[2];
}

/** Whether the last server on this folder did not end in order, or found damage. */
export function wasCutOff(folder: string, file: string): boolean {
  return existsSync(path.join(folder, 'server.json')) || sizeOf(`${file}-wal`) > 0;
}

/**
 * Opens the database of a folder. One of an earlier version is copied to the snapshots before it is changed. Throws Fatal where the file is
 * empty or cut off although there was data, and where it cannot be brought up.
 */
export function openDatabase(facts: DatabaseFacts): Store {
  const { folder, file, nativeBinding } = facts;
  refuseLostData(folder, file);
  const copy = copyBeforeMigration(facts);
  try {
    return openStore(file, nativeBinding, facts.tellMigration);
  } catch (error) {
    if (copy === undefined || isDamage(error)) throw error;
    throw new Fatal(
      'migration_failed',
      `The database could not be brought to the schema of this version (${error instanceof Error ? error.message : String(error)}). It is as it was, and snapshot ${copy} is a copy of it.`,
      'Use the version of Signalbox that wrote the data, and report this failure.',
    );
  }
}

/** The reason not to start on a damaged database, with what can be done. */
export function damagedDatabase(folder: string, file: string, what = 'is damaged and cannot be read'): Fatal {
  const newest = newestSnapshot(folder);
  const restore = newest === undefined ? '' : `Start with --restore ${newest} to go on with the newest snapshot, or `;
  const reset = `${restore === '' ? 'Start' : 'start'} with --reset to begin anew. What is there is kept in the folder snapshots.`;
  return new Fatal('database_damaged', `${file} ${what}.`, `${restore}${reset}`);
}

/** Stops where SQLite would take a file that lost its data for a new one, or find out later that its end is missing. */
function refuseLostData(folder: string, file: string): void {
  const hasLog = sizeOf(`${file}-wal`) > 0;
  const size = sizeOf(file);
  if (size === 0) {
    // SQLite deletes a write-ahead log that belongs to an empty file.
    if (hasLog)
      throw damagedDatabase(folder, file, `is ${existsSync(file) ? 'empty' : 'missing'}, but its write-ahead log is there`);
    const trace = existsSync(file) ? traceOfData(folder) : undefined;
    if (trace !== undefined) throw damagedDatabase(folder, file, `is empty, but ${trace} shows that there was data`);
    return;
  }
  const header = readHeader(file);
  // What is in the log is not in the file yet.
  if (hasLog || header?.expectedSize === undefined || header.expectedSize <= header.size) return;
  throw damagedDatabase(folder, file, `is cut off: it has ${header.size} of ${header.expectedSize} bytes`);
}

/** What only a folder that was used has. */
function traceOfData(folder: string): string | undefined {
  return readdirSync(folder).find((name) =>
    ['server.json', 'signing-key.pem', 'sealing.key', 'repositories'].includes(name)
      ? true
      : name === 'snapshots' && newestSnapshot(folder) !== undefined,
  );
}

/** Room that the changes themselves may take, besides the copy. */
const ROOM_FOR_CHANGES = 64 * 1024 * 1024;

/** Copies a database that is older than this program. Returns the name of the snapshot; undefined when nothing has to change. */
function copyBeforeMigration({ folder, file, nativeBinding, now, log }: DatabaseFacts): string | undefined {
  const header = readHeader(file);
  if (header === undefined) return undefined;
  // The header is behind where a log is there, and the log is to be part of the copy.
  if (sizeOf(`${file}-wal`) === 0 && (header.userVersion === 0 || header.userVersion >= CURRENT_SCHEMA)) return undefined;
  const schema = settleSchema(file, nativeBinding);
  if (schema === 0 || schema === CURRENT_SCHEMA) return undefined;
  const snapshots = path.join(folder, 'snapshots');
  const size = sizeOf(file);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < size + ROOM_FOR_CHANGES) {
    throw new Fatal(
      'data_not_writable',
      `The database is of an earlier version, and the disk has no room for the copy that is made before it is changed: ${inMegabytes(size + ROOM_FOR_CHANGES)} are needed, ${inMegabytes(bavail * bsize)} are free.`,
      'Free some space on the disk, then start the server again.',
    );
  }
  mkdirSync(snapshots, { recursive: true, mode: 0o700 });
  const name = nameBeforeMigration(folder, now);
  log.info(`the database is of an earlier version; snapshot ${name} is made of it before it is brought up`);
  const draft = path.join(snapshots, `.${name}.part`);
  try {
    copyFileSync(file, draft);
    checkDatabase(draft, nativeBinding);
    renameSync(draft, snapshotFile(folder, name));
  } finally {
    for (const beside of ['', '-wal', '-shm']) rmSync(`${draft}${beside}`, { force: true });
  }
  dropOldMigrations(folder, name);
  return name;
}

function inMegabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 / 1024)} MB`;
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
