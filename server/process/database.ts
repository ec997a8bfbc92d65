import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Log } from '../log.ts';
import { isDamage, readHeader } from '../store/damage.ts';
import { CURRENT_SCHEMA } from '../store/migrate.ts';
import { checkDatabase, openStore, type Store, settleSchema } from '../store/open.ts';
import { Fatal } from './fatal.ts';
import { dropOldMigrations, nameBeforeMigration, newestSnapshot, snapshotFile } from './snapshots.ts';

// What is looked at before a database of a data folder is opened, by the holder of the folder's lock.

export interface DatabaseMetadata {
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
 * Opens the database of a folder. One of an earlier version is copied to the snapshots before it is changed. Throws Fatal where it cannot be
 * brought up.
 */
export function openDatabase(metadata: DatabaseMetadata): Store {
  const { file, nativeBinding } = metadata;
  const copy = copyBeforeMigration(metadata);
  try {
    return openStore(file, nativeBinding, metadata.tellMigration);
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

/**
 * Notes that the database of a folder may be missing because a new one is being made. A start that is killed meanwhile leaves the note, so
 * that the next one makes the database.
 */
export function beginNewDatabase(file: string): void {
  writeFileSync(noteOf(file), '', { mode: 0o600 });
}

/** Removes the note of `beginNewDatabase`, because the database is there. */
export function endNewDatabase(file: string): void {
  rmSync(noteOf(file), { force: true });
}

function noteOf(file: string): string {
  return `${file}.new`;
}

/**
 * Throws Fatal where a database that held data is missing, empty or cut off: SQLite would make a new one in its place, or find out later
 * that its end is missing.
 */
export function refuseLostData(folder: string, file: string): void {
  const hasLog = sizeOf(`${file}-wal`) > 0;
  if (sizeOf(file) === 0) {
    const state = existsSync(file) ? 'empty' : 'missing';
    // SQLite deletes a write-ahead log that belongs to an empty file.
    if (hasLog) throw damagedDatabase(folder, file, `is ${state}, but its write-ahead log is there`);
    const trace = existsSync(noteOf(file)) ? undefined : traceOfData(folder);
    if (trace !== undefined) throw damagedDatabase(folder, file, `is ${state}, but ${trace} shows that there was data`);
    return;
  }
  const header = readHeader(file);
  // The size in the header of the file does not count what is still in the log.
  if (hasLog || header?.expectedSize === undefined || header.expectedSize <= header.size) return;
  throw damagedDatabase(folder, file, `is cut off: it has ${header.size} of ${header.expectedSize} bytes`);
}

/** The name of a file or folder that only a server with a database makes; undefined where there is none. */
function traceOfData(folder: string): string | undefined {
  const hasSnapshot = newestSnapshot(folder) !== undefined;
  return readdirSync(folder).find((name) => TRACES.has(name) || (name === 'snapshots' && hasSnapshot));
}

const TRACES: ReadonlySet<string> = new Set(['server.json', 'signing-key.pem', 'sealing.key', 'repositories']);

/** Room that the changes themselves may take, besides the copy. */
const ROOM_FOR_CHANGES = 64 * 1024 * 1024;

/** Copies a database that is older than this program. Returns the name of the snapshot; undefined when nothing has to change. */
function copyBeforeMigration({ folder, file, nativeBinding, now, log }: DatabaseMetadata): string | undefined {
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
