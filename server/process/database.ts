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
import type { Log } from '../core/log.ts';
import { isDamage, readHeader } from '../store/damage.ts';
import { CURRENT_SCHEMA } from '../store/migrate.ts';
import { checkDatabase, openStore, type Store, settleSchema } from '../store/open.ts';
import { Fatal } from '../core/fatal.ts';
import { dropOldMigrations, nameBeforeMigration, newestSnapshot, snapshotFile } from '../snapshots/snapshots.ts';

// Checks of a database before it is opened. The caller holds the lock of the data folder.

export interface DatabaseMetadata {
  readonly folder: string;
  readonly file: string;
  readonly nativeBinding: string | undefined;
  /** Time of the machine's clock. */
  readonly now: number;
  readonly log: Log;
  /** Called before each step of a migration. */
  readonly onMigration?: Parameters<typeof openStore>[2];
}

/** Returns true if the last server on this folder did not shut down cleanly, or found damage. */
export function wasCutOff(folder: string, file: string): boolean {
  return existsSync(path.join(folder, 'server.json')) || sizeOf(`${file}-wal`) > 0;
}

/**
 * Opens the database of a folder. A database of an earlier version is copied to the snapshots before it is migrated. Throws Fatal if the
 * migration fails.
 */
export function openDatabase(metadata: DatabaseMetadata): Store {
  const { file, nativeBinding } = metadata;
  const copy = copyBeforeMigration(metadata);
  try {
    return openStore(file, nativeBinding, metadata.onMigration);
  } catch (error) {
    if (copy === undefined || isDamage(error)) throw error;
    throw new Fatal(
      'migration_failed',
      `The database could not be migrated to this version (${error instanceof Error ? error.message : String(error)}). It is unchanged, and snapshot ${copy} is a copy of it.`,
      'Use the version of Signalbox that wrote the data, and report this problem.',
    );
  }
}

/** Returns the failure of a start with a damaged database, with the ways to recover. */
export function damagedDatabase(folder: string, file: string, problem = 'is damaged and not readable'): Fatal {
  const newest = newestSnapshot(folder);
  const restore = newest === undefined ? '' : `Start with --restore ${newest} to restore the newest snapshot, or `;
  const reset = `${restore === '' ? 'Start' : 'start'} with --reset for a new database. The damaged data is kept in the folder snapshots.`;
  return new Fatal('database_damaged', `${file} ${problem}.`, `${restore}${reset}`);
}

/**
 * Creates a marker file: the database of the folder may be missing because a new one is being created. If the start is killed, the marker
 * stays, so the next start creates the database.
 */
export function beginNewDatabase(file: string): void {
  writeFileSync(markerOf(file), '', { mode: 0o600 });
}

/** Removes the marker of `beginNewDatabase`, because the database exists. */
export function endNewDatabase(file: string): void {
  rmSync(markerOf(file), { force: true });
}

function markerOf(file: string): string {
  return `${file}.new`;
}

/**
 * Throws Fatal if a database that held data is missing, empty or truncated. SQLite would create a new one in its place, or report the
 * missing end only later.
 */
export function refuseLostData(folder: string, file: string): void {
  const hasLog = sizeOf(`${file}-wal`) > 0;
  if (sizeOf(file) === 0) {
    const state = existsSync(file) ? 'empty' : 'missing';
    // SQLite deletes a write-ahead log that belongs to an empty file.
    if (hasLog) throw damagedDatabase(folder, file, `is ${state}, but its write-ahead log exists`);
    const trace = existsSync(markerOf(file)) ? undefined : traceOfData(folder);
    if (trace !== undefined) throw damagedDatabase(folder, file, `is ${state}, but ${trace} shows that it contained data`);
    return;
  }
  const header = readHeader(file);
  // The size in the header excludes pages that are only in the log.
  if (hasLog || header?.expectedSize === undefined || header.expectedSize <= header.size) return;
  throw damagedDatabase(folder, file, `is truncated: it has ${header.size} of ${header.expectedSize} bytes`);
}

/** Returns the name of a file or folder that only a server with a database creates. Undefined if there is none. */
function traceOfData(folder: string): string | undefined {
  const hasSnapshot = newestSnapshot(folder) !== undefined;
  return readdirSync(folder).find((name) => TRACES.has(name) || (name === 'snapshots' && hasSnapshot));
}

const TRACES: ReadonlySet<string> = new Set(['server.json', 'signing-key.pem', 'sealing.key', 'repositories']);

/** Disk space for the migration itself, in bytes, in addition to the copy. */
const SPACE_FOR_MIGRATION = 64 * 1024 * 1024;

/** Copies a database that is older than this program. Returns the name of the snapshot, or undefined if no migration is needed. */
function copyBeforeMigration({ folder, file, nativeBinding, now, log }: DatabaseMetadata): string | undefined {
  const header = readHeader(file);
  if (header === undefined) return undefined;
  // The header can be outdated while a log exists, and the copy must include the log.
  if (sizeOf(`${file}-wal`) === 0 && (header.userVersion === 0 || header.userVersion >= CURRENT_SCHEMA)) return undefined;
  const schema = settleSchema(file, nativeBinding);
  if (schema === 0 || schema === CURRENT_SCHEMA) return undefined;
  const snapshots = path.join(folder, 'snapshots');
  const size = sizeOf(file);
  const { bavail, bsize } = statfsSync(folder);
  if (bavail * bsize < size + SPACE_FOR_MIGRATION) {
    throw new Fatal(
      'data_not_writable',
      `There is not enough disk space to back up the database before migrating it to this version: ${inMegabytes(size + SPACE_FOR_MIGRATION)} required, ${inMegabytes(bavail * bsize)} available.`,
      'Free some space on the disk, then start the server again.',
    );
  }
  mkdirSync(snapshots, { recursive: true, mode: 0o700 });
  const name = nameBeforeMigration(folder, now);
  log.info(`migrating the database of an earlier version; backup: snapshot ${name}`);
  const draft = path.join(snapshots, `.${name}.part`);
  try {
    copyFileSync(file, draft);
    checkDatabase(draft, nativeBinding);
    renameSync(draft, snapshotFile(folder, name));
  } finally {
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
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
