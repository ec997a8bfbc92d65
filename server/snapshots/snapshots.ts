import {
  closeSync,
  createReadStream,
  createWriteStream,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isSnapshotName } from '../../src/contract/control.ts';
import { isoTime } from '../core/clock.ts';
import { Fatal } from '../core/fatal.ts';
import { isDamage, readHeader } from '../store/damage.ts';
import { checkDatabase, damageInFile, settleDatabase, type Store } from '../store/open.ts';

/** A copy of the whole database, stored as one file in the folder `snapshots` of the data folder, or in memory. */
export interface Snapshot {
  /** Name without folder and extension. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, by the machine's clock. */
  readonly createdAt: number;
}

export interface Snapshots {
  /** Returns all snapshots, newest first. */
  list(): readonly Snapshot[];
  /**
   * Copies the database while it is in use. Without a name, the snapshot is named after the time. Returns 'taken' if the name is in use,
   * and 'damaged' if the copy is damaged.
   */
  take(name: string | undefined): Promise<Snapshot | 'taken' | 'damaged'>;
}

const ENDING = '.sqlite';

/** Reason for an automatic snapshot. It is the prefix of its name. */
export type Trigger = 'reset' | 'restore';

/** Number of automatic snapshots that are kept. Other snapshots stay until their files are deleted. */
const MAX_AUTOMATIC = 10;
/** Number of copies of earlier schema versions that are kept. */
const MAX_MIGRATIONS = 3;
/** Names of automatic snapshots. Copies of unreadable databases begin with `damaged-`. */
const AUTOMATIC = /^(?:damaged-)?before-(reset|restore|migration)-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d+)?)$/;

/** Returns true if the name has the form of an automatic snapshot, which the server eventually removes. */
export function isAutomaticName(name: string): boolean {
  return /^(?:damaged-)?before-(?:reset|restore|migration)-\d/i.test(name);
}

/** Names are based on `systemNow`, the machine's clock, because the clock of the server can be moved. */
export function createSnapshots(dataFolder: string, store: Store, systemNow: () => number, binding?: string): Snapshots {
  const folder = path.join(dataFolder, 'snapshots');
  const inProgress = new Set<string>();
  const isFree = (name: string): boolean => !inProgress.has(name.toLowerCase()) && isFreeIn(folder, name);
  return {
    list: () => listSnapshots(folder),
    take: async (wanted) => {
      const name = wanted ?? freeName(systemNow(), isFree);
      if (!isFree(name)) return 'taken';
      inProgress.add(name.toLowerCase());
      const draft = path.join(folder, `.${name}.part`);
      try {
        if (store.damage() !== undefined) return 'damaged';
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(draft, '', { mode: 0o600 });
        await store.copyTo(draft);
        if ((await damageInFile(draft, binding)) !== undefined) {
          // The health endpoint then reports the damage.
          await store.check();
          return 'damaged';
        }
        renameSync(draft, fileOf(folder, name));
        return readSnapshot(folder, name);
      } finally {
        inProgress.delete(name.toLowerCase());
        for (const suffix of ['', '-wal', '-shm']) rmSync(`${draft}${suffix}`, { force: true });
      }
    },
  };
}

/**
 * Moves the database to the snapshots, so that the next open creates a new one, and removes the oldest automatic snapshots. The caller must
 * hold the lock of the folder. Returns the name of the snapshot, or undefined if there was no database.
 */
export function setAside(
  dataFolder: string,
  database: string,
  binding: string | undefined,
  systemNow: number,
): string | undefined {
  return keepAs('reset', dataFolder, database, binding, systemNow, undefined);
}

/** Moves the database to the snapshots. `spared` is the name of a snapshot that is never removed. */
function keepAs(
  trigger: Trigger,
  dataFolder: string,
  database: string,
  binding: string | undefined,
  systemNow: number,
  spared: string | undefined,
): string | undefined {
  const siblings = ['-wal', '-shm'].filter((ending) => existsSync(`${database}${ending}`));
  if (!existsSync(database)) {
    if (siblings.length === 0) return undefined;
    // The log of a missing database is kept, too.
    writeFileSync(database, '', { mode: 0o600 });
  }
  const folder = path.join(dataFolder, 'snapshots');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const isGood = isReadable(database, binding);
  const prefix = `${isGood ? '' : 'damaged-'}before-${trigger}-`;
  const name = freeName(systemNow, (candidate) => isFreeIn(folder, candidate), prefix);
  // Writes that a killed server acknowledged may still be in the log. A damaged database is kept unchanged, together with its log.
  if (isGood) settleDatabase(database, binding);
  for (const ending of siblings) {
    if (existsSync(`${database}${ending}`)) renameSync(`${database}${ending}`, `${fileOf(folder, name)}${ending}`);
  }
  // Must come last: a database that is missing has been moved completely.
  renameSync(database, fileOf(folder, name));
  // If the machine's clock was set back, the new snapshot could appear to be the oldest.
  dropOldest(folder, new Set([name, spared]));
  return name;
}

/**
 * Replaces the database with a copy of a snapshot. The previous database becomes a snapshot itself. The caller must hold the lock of the
 * folder. Throws Fatal `snapshot_missing`, or the error of opening the copy, before anything is changed. `onCopied` receives the number of
 * copied bytes. Returns the name of the snapshot of the previous database.
 */
export async function restoreSnapshot(
  dataFolder: string,
  database: string,
  name: string,
  binding: string | undefined,
  systemNow: number,
  onCopied?: (done: number, total: number) => Promise<void>,
): Promise<string | undefined> {
  try {
    await prepareSnapshot(dataFolder, database, name, binding, onCopied);
    return replaceDatabase('restore', dataFolder, database, binding, systemNow, name);
  } finally {
    removeDraft(database);
  }
}

/**
 * Copies a snapshot to the draft of the database. Throws Fatal `snapshot_missing`, or the error of opening the copy.
 */
export async function prepareSnapshot(
  dataFolder: string,
  database: string,
  name: string,
  binding: string | undefined,
  onCopied: (done: number, total: number) => Promise<void> = async () => undefined,
): Promise<void> {
  const source = fileOf(path.join(dataFolder, 'snapshots'), name);
  if (!isSnapshotName(name) || !existsSync(source)) {
    throw new Fatal(
      'snapshot_missing',
      `There is no snapshot "${name}" in ${dataFolder}.`,
      'Choose a snapshot from its folder snapshots.',
    );
  }
  const draft = draftOf(database);
  removeDraft(database);
  await copyFile(source, draft, onCopied);
  if (existsSync(`${source}-wal`)) copyFileSync(`${source}-wal`, `${draft}-wal`);
  settleDatabase(draft, binding);
  checkDatabase(draft, binding);
}

/** Returns the path at which a database is completed before it replaces the current one. */
export function draftOf(database: string): string {
  return `${database}.part`;
}

export function removeDraft(database: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(`${draftOf(database)}${suffix}`, { force: true });
}

/**
 * Moves the database to the snapshots, and its draft in its place. No connection may be open to either. If the process is killed meanwhile,
 * `finishReplacement` leaves one of the two. Returns the name of the snapshot, or undefined if there was no database.
 */
export function replaceDatabase(
  trigger: Trigger,
  dataFolder: string,
  database: string,
  binding: string | undefined,
  systemNow: number,
  spared?: string,
): string | undefined {
  const draft = openSync(draftOf(database), 'r+');
  fsyncSync(draft);
  closeSync(draft);
  renameSync(draftOf(database), nextOf(database));
  try {
    return keepAs(trigger, dataFolder, database, binding, systemNow, spared);
  } finally {
    finishReplacement(database);
  }
}

/** Finishes a replacement of the database: the new one is used if the previous one has been moved away, otherwise it is removed. */
export function finishReplacement(database: string): void {
  const next = nextOf(database);
  if (!existsSync(next)) return;
  if (existsSync(database)) rmSync(next);
  else renameSync(next, database);
}

/** Returns the path of a complete database that is about to replace the current one. */
function nextOf(database: string): string {
  return `${database}.next`;
}

const COPIED_AT_ONCE = 16 * 1024 * 1024;

async function copyFile(source: string, target: string, onCopied: (done: number, total: number) => Promise<void>): Promise<void> {
  const { size } = statSync(source);
  let copied = 0;
  await pipeline(
    createReadStream(source, { highWaterMark: COPIED_AT_ONCE }),
    async function* (parts: AsyncIterable<Buffer>) {
      for await (const part of parts) {
        await onCopied(copied, size);
        copied += part.length;
        yield part;
      }
    },
    createWriteStream(target, { mode: 0o600 }),
  );
}

/** Returns false if a database file is damaged. A database of another program or of a later version counts as readable. */
function isReadable(database: string, binding: string | undefined): boolean {
  // Opening an empty file would delete its log.
  if (readHeader(database) === undefined) return false;
  try {
    checkDatabase(database, binding);
    return true;
  } catch (error) {
    return !isDamage(error);
  }
}

/** Returns a name for a copy of a database with an earlier schema. */
export function nameBeforeMigration(dataFolder: string, systemNow: number): string {
  const folder = path.join(dataFolder, 'snapshots');
  return freeName(systemNow, (candidate) => isFreeIn(folder, candidate), 'before-migration-');
}

export function snapshotFile(dataFolder: string, name: string): string {
  return fileOf(path.join(dataFolder, 'snapshots'), name);
}

/** Returns the name of the newest snapshot that is not known to be damaged. */
export function newestSnapshot(dataFolder: string): string | undefined {
  return listSnapshots(path.join(dataFolder, 'snapshots')).find(({ name }) => !name.startsWith('damaged-'))?.name;
}

/** Removes the oldest copies of earlier schema versions, except `spared`. */
export function dropOldMigrations(dataFolder: string, spared: string): void {
  dropOldest(path.join(dataFolder, 'snapshots'), new Set([spared]));
}

function dropOldest(folder: string, spared: ReadonlySet<string | undefined>): void {
  for (const name of oldestOf(listSnapshots(folder).map((snapshot) => snapshot.name))) {
    if (spared.has(name)) continue;
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${fileOf(folder, name)}${suffix}`, { force: true });
  }
}

/** Returns the names of the automatic snapshots that are no longer kept. */
export function oldestOf(names: readonly string[]): readonly string[] {
  const automatic = names.flatMap((name) => {
    const [, trigger, time] = AUTOMATIC.exec(name) ?? [];
    return time === undefined ? [] : [{ name, time, isMigration: trigger === 'migration' }];
  });
  // Sorted by the time in the name, because the file's own time is that of its last change. Of two in the same second, the higher number is
  // newer. Creating a collator takes longer than everything else in this file, so it is created only here.
  const byTime = new Intl.Collator('en', { numeric: true });
  const sorted = automatic.sort((one, other) => byTime.compare(other.time, one.time));
  const old = [
    ...sorted.filter(({ isMigration }) => isMigration).slice(MAX_MIGRATIONS),
    ...sorted.filter(({ isMigration }) => !isMigration).slice(MAX_AUTOMATIC),
  ];
  return old.map(({ name }) => name);
}

function listSnapshots(folder: string): readonly Snapshot[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING) && isSnapshotName(file.slice(0, -ENDING.length)))
    .map((file) => readSnapshot(folder, file.slice(0, -ENDING.length)))
    .sort((a, b) => b.createdAt - a.createdAt || (a.name < b.name ? 1 : -1));
}

function readSnapshot(folder: string, name: string): Snapshot {
  const { size, mtimeMs } = statSync(fileOf(folder, name));
  return { name, size, createdAt: Math.trunc(mtimeMs) };
}

/** Returns a name based on the time, such as `2030-01-31T12-00-00Z`, with a number appended if the name is in use. */
export function freeName(time: number, isFree: (name: string) => boolean, prefix = ''): string {
  const base = `${prefix}${isoTime(time).slice(0, 19).replaceAll(':', '-')}Z`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (isFree(name)) return name;
  }
}

/** Returns true if no snapshot has the name in upper or lower case: a case-insensitive file system would overwrite it. */
function isFreeIn(folder: string, name: string): boolean {
  const file = `${name}${ENDING}`.toLowerCase();
  return !existsSync(folder) || readdirSync(folder).every((other) => other.toLowerCase() !== file);
}

function fileOf(folder: string, name: string): string {
  return path.join(folder, `${name}${ENDING}`);
}
