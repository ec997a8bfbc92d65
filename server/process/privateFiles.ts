import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../core/log.ts';
import { Fatal } from '../core/fatal.ts';

// Only the owner may read the server's files. The umask of the process makes new files private; this module corrects files that an earlier
// version or another program created. Windows has no such modes, and a user's own folders are private there.

/** Names of the files and folders that the server creates in its data folder. */
const OWN_NAMES =
  /^(?:(?:signalbox|lock)\.sqlite(?:\.new|\.part)?(?:-wal|-shm|-journal)?|server\.json(?:\.\d+)?|sealing\.key|signing-key\.pem(?:\..+)?|\.probe-\d+|snapshots|repositories)$/;

const OTHERS = 0o077;

/** The folder of a repository that is changed last. An interrupted run is therefore repeated at the next start. */
const LAST = 'objects';

/** Returns true if the operating system has file modes. */
export function hasModes(platform: string): boolean {
  return platform !== 'win32';
}

/**
 * Removes the permissions of other users on the server's files, and on the whole folder if it holds nothing else. Logs a warning if the
 * folder stays accessible. Throws Fatal `data_not_private` if other users could still read the files.
 */
export function makeDataPrivate(folder: string, probe: string, log: Pick<Log, 'warn'>): void {
  const entries = readdirSync(folder);
  const foreign = entries.filter((name) => !OWN_NAMES.test(name));
  const own = entries.filter((name) => OWN_NAMES.test(name)).map((name) => path.join(folder, name));
  const isClosed = foreign.length === 0 ? restrict(folder) : isPrivate(folder);
  // The probe shows if a new file can be private at all.
  const open = [probe, ...own.flatMap((file) => [file, ...filesOf(file)])].filter((file) => !restrict(file));
  if (isClosed) return;
  const [first] = open;
  if (first !== undefined) {
    throw new Fatal(
      'data_not_private',
      `Other users of this machine can read ${first === probe ? `new files in ${folder}` : first}, and the permissions cannot be changed.`,
      'Choose another folder with --data on a file system that supports permissions, or have the owner of the files change them.',
    );
  }
  const reason =
    foreign.length === 0 ? 'its permissions cannot be changed' : `it also contains other files, such as ${foreign[0]}`;
  log.warn(
    `other users of this machine can list the data folder, because ${reason}. They cannot read the server's files. To make the folder private: chmod 700 ${quoted(folder)}`,
  );
}

/** Returns the files of the folder `snapshots`. Repositories have many files and are corrected later (`makeRepositoriesPrivate`). */
function filesOf(entry: string): string[] {
  if (path.basename(entry) !== 'snapshots') return [];
  return readdirSync(entry)
    .map((name) => path.join(entry, name))
    .filter((file) => lstatSync(file, { throwIfNoEntry: false })?.isFile() === true);
}

/**
 * Removes the permissions of other users within repositories that an earlier version created. Nobody else can access them meanwhile,
 * because the parent folder is private. Returns the number of changed files and folders.
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
 * Prepares the cache folder for compiled code. A folder that was not private is deleted first: code that others could write must not run.
 * Returns false if others can still write to it.
 */
export function makeCachePrivate(folder: string): boolean {
  try {
    if (statSync(folder, { throwIfNoEntry: false }) !== undefined && !isPrivate(folder)) rmSync(folder, { recursive: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return restrict(folder);
  } catch {
    // The server also starts without the cache, only slower.
    return false;
  }
}

/** Returns true for a missing file, too: other servers that start on the same folder create and remove files in it. */
export function isPrivate(file: string): boolean {
  const status = statSync(file, { throwIfNoEntry: false });
  return status === undefined || (status.mode & OTHERS) === 0;
}

/** Removes all permissions except the owner's. Returns false if others still have some. */
export function restrict(file: string): boolean {
  if (isPrivate(file)) return true;
  try {
    chmodSync(file, statSync(file).mode & 0o700);
  } catch {
    // The file belongs to another user, the file system does not support modes, or the file is gone.
  }
  return isPrivate(file);
}

/** Returns a path quoted for a shell. */
function quoted(file: string): string {
  return /^[\w./-]+$/.test(file) ? file : `'${file.replaceAll("'", String.raw`'\''`)}'`;
}
