import {
  createReadStream,
  createWriteStream,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isSnapshotName } from '../../src/contract/control.ts';
import { isoTime } from '../clock.ts';
import { Fatal } from './fatal.ts';
import { isDamage, readHeader } from '../store/damage.ts';
import { checkDatabase, damageInFile, settleDatabase, type Store } from '../store/open.ts';

/** A copy of the whole database, as one file in `snapshots` of the data folder. */
export interface Snapshot {
  /** Without folder and ending. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch, by the machine's clock. */
  readonly createdAt: number;
}

export interface Snapshots {
  /** The newest first. */
  list(): readonly Snapshot[];
  /**
   * Copies the database while it serves; 'taken' when there is one of that name, 'damaged' when the copy is not good. Without a name it gets
   * the time for one.
   */
  take(name: string | undefined): Promise<Snapshot | 'taken' | 'damaged'>;
}

const ENDING = '.sqlite';

/** Why a snapshot is made that nobody asked for; its name begins with it. */
type Occasion = 'reset' | 'restore';

/** Snapshots made by themselves that are kept; the ones that somebody asked for stay until somebody deletes their files. */
const MAX_AUTOMATIC = 10;
/** Copies of databases as an earlier version left them, which are counted apart. */
const MAX_MIGRATIONS = 3;
/** `damaged-` stands in front of what could not be read. */
const AUTOMATIC = /^(?:damaged-)?before-(reset|restore|migration)-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(?:-\d+)?)$/;

/** Whether a name is one of those that the server gives and whose snapshots it removes one day. */
export function isAutomaticName(name: string): boolean {
  return /^(?:damaged-)?before-(?:reset|restore|migration)-\d/i.test(name);
}

/** `systemNow` is the machine's clock: a name that follows a moved one would not be found again. */
export function createSnapshots(dataFolder: string, store: Store, systemNow: () => number, binding?: string): Snapshots {
  const folder = path.join(dataFolder, 'snapshots');
  const underWay = new Set<string>();
  const isFree = (name: string): boolean => !underWay.has(name.toLowerCase()) && isFreeIn(folder, name);
  return {
    list: () => listSnapshots(folder),
    take: async (wanted) => {
      const name = wanted ?? freeName(systemNow(), isFree);
      if (!isFree(name)) return 'taken';
      underWay.add(name.toLowerCase());
      const draft = path.join(folder, `.${name}.part`);
      try {
        if (store.damage() !== undefined) return 'damaged';
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(draft, '', { mode: 0o600 });
        await store.copyTo(draft);
        if ((await damageInFile(draft, binding)) !== undefined) {
          // Whoever asks for the health of this server is told then.
          await store.check();
          return 'damaged';
        }
        renameSync(draft, fileOf(folder, name));
        return readSnapshot(folder, name);
      } finally {
        underWay.delete(name.toLowerCase());
        for (const beside of ['', '-wal', '-shm']) rmSync(`${draft}${beside}`, { force: true });
      }
    },
  };
}

/**
 * Puts the database away as a snapshot, so that the next one to be opened is new, and removes the oldest of those that were made so.
 * Only for the holder of the folder's lock. Returns the name of the snapshot, or undefined when there was no database.
 */
export function setAside(
  dataFolder: string,
  database: string,
  binding: string | undefined,
  systemNow: number,
): string | undefined {
  return keepAs('reset', dataFolder, database, binding, systemNow, undefined);
}

/** `spared`: name of a snapshot that stays, however old it is. */
function keepAs(
  occasion: Occasion,
  dataFolder: string,
  database: string,
  binding: string | undefined,
  systemNow: number,
  spared: string | undefined,
): string | undefined {
  const beside = ['-wal', '-shm'].filter((ending) => existsSync(`${database}${ending}`));
  if (!existsSync(database)) {
    if (beside.length === 0) return undefined;
    // The log of a file that is missing is kept, too.
    writeFileSync(database, '', { mode: 0o600 });
  }
  const folder = path.join(dataFolder, 'snapshots');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const isGood = isReadable(database, binding);
  const prefix = `${isGood ? '' : 'damaged-'}before-${occasion}-`;
  const name = freeName(systemNow, (candidate) => isFreeIn(folder, candidate), prefix);
  // What a killed server had acknowledged may still stand beside the file. One that is damaged is kept as it is, with what it had.
  if (isGood) settleDatabase(database, binding);
  renameSync(database, fileOf(folder, name));
  for (const ending of beside) {
    if (existsSync(`${database}${ending}`)) renameSync(`${database}${ending}`, `${fileOf(folder, name)}${ending}`);
  }
  // A clock that was set back would make the newest the oldest.
  dropOldest(folder, new Set([name, spared]));
  return name;
}

/**
 * Puts a copy of a snapshot in place of the database, which becomes a snapshot itself. Only for the holder of the folder's lock. Throws
 * Fatal `snapshot_missing`, or what opening the copy would throw, before anything is changed. `onCopied` is told how many bytes are copied.
 * Returns the name of what was there.
 */
export async function restoreSnapshot(
  dataFolder: string,
  database: string,
  name: string,
  binding: string | undefined,
  systemNow: number,
  onCopied: (done: number, total: number) => Promise<void> = async () => undefined,
): Promise<string | undefined> {
  const source = fileOf(path.join(dataFolder, 'snapshots'), name);
  if (!isSnapshotName(name) || !existsSync(source)) {
    throw new Fatal(
      'snapshot_missing',
      `There is no snapshot "${name}" in ${dataFolder}.`,
      'Choose one of its folder snapshots.',
    );
  }
  const draft = `${database}.part`;
  try {
    await copyFile(source, draft, onCopied);
    if (existsSync(`${source}-wal`)) copyFileSync(`${source}-wal`, `${draft}-wal`);
    settleDatabase(draft, binding);
    checkDatabase(draft, binding);
    const stored = keepAs('restore', dataFolder, database, binding, systemNow, name);
    renameSync(draft, database);
    return stored;
  } finally {
    for (const beside of ['', '-wal', '-shm']) rmSync(`${draft}${beside}`, { force: true });
  }
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

/** Whether a database file holds what was written to it. One of another program or of a later version is not looked at further. */
function isReadable(database: string, binding: string | undefined): boolean {
  // Opening an empty file would delete the log beside it.
  if (readHeader(database) === undefined) return false;
  try {
    checkDatabase(database, binding);
    return true;
  } catch (error) {
    return !isDamage(error);
  }
}

/** Name for a copy of a database as an earlier version left it. */
export function nameBeforeMigration(dataFolder: string, systemNow: number): string {
  const folder = path.join(dataFolder, 'snapshots');
  return freeName(systemNow, (candidate) => isFreeIn(folder, candidate), 'before-migration-');
}

export function snapshotFile(dataFolder: string, name: string): string {
  return fileOf(path.join(dataFolder, 'snapshots'), name);
}

/** The newest snapshot that is not known to be damaged. */
export function newestSnapshot(dataFolder: string): string | undefined {
  return listSnapshots(path.join(dataFolder, 'snapshots')).find(({ name }) => !name.startsWith('damaged-'))?.name;
}

/** Removes the oldest copies of databases as earlier versions left them. `spared` stays. */
export function dropOldMigrations(dataFolder: string, spared: string): void {
  dropOldest(path.join(dataFolder, 'snapshots'), new Set([spared]));
}

function dropOldest(folder: string, spared: ReadonlySet<string | undefined>): void {
  const automatic = listSnapshots(folder).flatMap(({ name }) => {
    const [, occasion, time] = AUTOMATIC.exec(name) ?? [];
    return time === undefined ? [] : [{ name, time, isMigration: occasion === 'migration' }];
  });
  // By the time in the name: that of the file is when its data last changed. Of two in the same second the one with the higher number is the
  // newer. A collator takes longer to make than the rest of this file, so it is made only here.
  const byTime = new Intl.Collator('en', { numeric: true });
  const sorted = automatic.sort((one, other) => byTime.compare(other.time, one.time));
  const old = [
    ...sorted.filter(({ isMigration }) => isMigration).slice(MAX_MIGRATIONS),
    ...sorted.filter(({ isMigration }) => !isMigration).slice(MAX_AUTOMATIC),
  ];
  for (const { name } of old) {
    if (spared.has(name)) continue;
    for (const beside of ['', '-wal', '-shm']) rmSync(`${fileOf(folder, name)}${beside}`, { force: true });
  }
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

/** A name of the time, such as `2030-01-31T12-00-00Z`, with a number behind it when there is one already. */
function freeName(time: number, isFree: (name: string) => boolean, prefix = ''): string {
  const base = `${prefix}${isoTime(time).slice(0, 19).replaceAll(':', '-')}Z`;
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? base : `${base}-${number}`;
    if (isFree(name)) return name;
  }
}

/** Whether no snapshot has the name in any case: systems that do not tell cases apart would write over it. */
function isFreeIn(folder: string, name: string): boolean {
  const file = `${name}${ENDING}`.toLowerCase();
  return !existsSync(folder) || readdirSync(folder).every((other) => other.toLowerCase() !== file);
}

function fileOf(folder: string, name: string): string {
  return path.join(folder, `${name}${ENDING}`);
}
