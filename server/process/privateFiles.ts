import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../log.ts';
import { Fatal } from './fatal.ts';

// Only its owner may read what the server keeps. The process makes new files so by its umask; this corrects files that an earlier version
// or somebody else made. Windows has no such modes, and a person's own folders are private there.

/** What the server makes in its data folder. */
const OWN_NAMES =
  /^(?:(?:signalbox|lock)\.sqlite(?:\.new|\.part)?(?:-wal|-shm|-journal)?|server\.json(?:\.\d+)?|sealing\.key|signing-key\.pem(?:\..+)?|\.probe-\d+|snapshots|repositories)$/;

const OTHERS = 0o077;

/** What is changed last of a repository, so that one that was left half done is begun again at the next start. */
const LAST = 'objects';

/** Whether modes mean anything on a platform. */
export function hasModes(platform: string): boolean {
  return platform !== 'win32';
}

/**
 * Takes the rights of others on the server's files away, and on the whole folder where it holds nothing else. Logs a warning where the
 * folder stays open. Throws Fatal `data_not_private` where others could still read the files.
 */
export function makeDataPrivate(folder: string, probe: string, log: Pick<Log, 'warn'>): void {
  const entries = readdirSync(folder);
  const foreign = entries.filter((name) => !OWN_NAMES.test(name));
  const own = entries.filter((name) => OWN_NAMES.test(name)).map((name) => path.join(folder, name));
  const isClosed = foreign.length === 0 ? restrict(folder) : isPrivate(folder);
  // The probe shows whether a file that is made now can be private at all.
  const open = [probe, ...own.flatMap((file) => [file, ...filesOf(file)])].filter((file) => !restrict(file));
  if (isClosed) return;
  const [first] = open;
  if (first !== undefined) {
    throw new Fatal(
      'data_not_private',
      `Other people of this machine can read ${first === probe ? `what is written to ${folder}` : first}, and its rights cannot be changed.`,
      'Choose another folder with --data, on a file system that knows owners and rights, or have the owner of the files hand them over.',
    );
  }
  const why = foreign.length === 0 ? 'its rights cannot be changed' : `it holds other files too, such as ${foreign[0]}`;
  log.warn(
    `other people of this machine can look into the data folder, because ${why}. They cannot read the server's files. To close it: chmod 700 ${quoted(folder)}`,
  );
}

/** The files of the folder `snapshots`. Repositories are many and come later (`makeRepositoriesPrivate`). */
function filesOf(entry: string): string[] {
  if (path.basename(entry) !== 'snapshots') return [];
  return readdirSync(entry)
    .map((name) => path.join(entry, name))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/**
 * Takes the rights of others away within repositories that an earlier version made. Nobody else reaches them meanwhile, because the folder
 * around all of them is private. Returns how many files and folders had to be changed.
 */
export async function makeRepositoriesPrivate(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const inner = entries.find(({ name }) => name === LAST);
  if (folder.endsWith('.git') && inner !== undefined && isPrivate(path.join(folder, LAST))) return 0;
  let changed = 0;
  for (const entry of inner === undefined ? entries : [...entries.filter((other) => other !== inner), inner]) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) changed += await makeRepositoriesPrivate(file);
    else if (entry.isFile() && !isPrivate(file) && restrict(file)) changed += 1;
  }
  return existsSync(folder) && !isPrivate(folder) && restrict(folder) ? changed + 1 : changed;
}

/**
 * Prepares the folder for compiled code. What others could read is made again; what others could write to is not to be run. False when
 * others can still write to it.
 */
export function makeCachePrivate(folder: string): boolean {
  try {
    if (statSync(folder, { throwIfNoEntry: false }) !== undefined && !isPrivate(folder)) rmSync(folder, { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return restrict(folder);
  } catch {
    // The server starts without it, only slower.
    return false;
  }
}

/** A file that is gone is private: other servers that start on the same folder make and remove files in it. */
function isPrivate(file: string): boolean {
  const status = statSync(file, { throwIfNoEntry: false });
  return status === undefined || (status.mode & OTHERS) === 0;
}

/** Leaves the owner's rights only. False when others still have some. */
function restrict(file: string): boolean {
  if (isPrivate(file)) return true;
  try {
    chmodSync(file, statSync(file).mode & 0o700);
  } catch {
    // It belongs to somebody else, the file system does not allow it, or it is gone.
  }
  return isPrivate(file);
}

/** A path as a shell reads it. */
function quoted(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`;
}
