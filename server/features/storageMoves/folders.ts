import { existsSync, lstatSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { copyFile, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { QUARANTINES } from '../../repositories/quarantines.ts';
import { GONE, PART } from '../../repositories/repositories.ts';

// The sweep of repositories removes incomplete and old copies, and links, after a crash.

/**
 * Returns true for entries that do not belong to the repository: what git leaves behind when it is killed, and the objects of unfinished
 * pushes. `inside` is the path of the folder in the repository. Names of branches are folders and files, too.
 */
function isLeftover(inside: string, name: string): boolean {
  if (inside === '') return name === QUARANTINES || name.endsWith('.lock');
  return name.endsWith('.lock') || (inside.split(path.sep, 1)[0] === 'objects' && name.startsWith('tmp_'));
}

/** Copies a repository to an incomplete folder beside its destination, with everything on disk when the promise is fulfilled. */
export async function copyToPart(source: string, destination: string): Promise<string> {
  const part = `${destination}${PART}`;
  await rm(part, { recursive: true, force: true, maxRetries: 5 });
  await mkdir(path.dirname(destination), { recursive: true, mode: 0o700 });
  await copyFolder(source, part, '');
  return part;
}

async function copyFolder(source: string, destination: string, inside: string): Promise<void> {
  await mkdir(destination, { mode: 0o700 });
  for (const entry of await readdir(source, { withFileTypes: true })) {
    const [from, to] = [path.join(source, entry.name), path.join(destination, entry.name)];
    if (isLeftover(inside, entry.name)) continue;
    if (entry.isDirectory()) await copyFolder(from, to, path.join(inside, entry.name));
    else if (entry.isFile()) await copyOne(from, to);
  }
  await sync(destination, 'r');
}

async function copyOne(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  await sync(to, 'r+');
  const [{ size: expected }, { size }] = await Promise.all([stat(from), stat(to)]);
  if (size !== expected) throw new Error(`${path.basename(from)} was copied incompletely`);
}

async function sync(file: string, flags: 'r' | 'r+'): Promise<void> {
  // Windows cannot open folders, and writes their entries itself.
  if (flags === 'r' && process.platform === 'win32') return;
  const mode = (await stat(file)).mode & 0o777;
  const handle = await openWritable(file, flags, mode);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Opens a file that may be read-only, as objects of git are. Reading is enough to write it to disk, except on Windows. */
async function openWritable(file: string, flags: 'r' | 'r+', mode: number) {
  return open(file, process.platform === 'win32' && (mode & 0o200) !== 0 ? flags : 'r');
}

/**
 * Gives a complete copy its name. Replaces the link that an earlier move may have left there, so no command may run in the destination.
 */
export async function publishPart(destination: string): Promise<void> {
  // No command starts between the two calls.
  if (isLink(destination)) unlinkSync(destination);
  renameSync(`${destination}${PART}`, destination);
  await sync(path.dirname(destination), 'r');
}

/** Removes what an unfinished move left at its destination, but not the link of an earlier move, which may still be read. */
export async function removeCopies(destination: string): Promise<void> {
  const folders = [...(isLink(destination) ? [] : [destination]), `${destination}${PART}`];
  for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/**
 * Replaces the old copy of a moved repository with a link to the new one, for requests that opened it before the move. No command may run
 * in the old copy, because it would miss its files. The returned function removes the link.
 */
export function replaceOld(old: string, current: string): () => void {
  if (existsSync(old) && !isLink(old)) {
    // No command starts between the two calls.
    renameSync(old, `${old}${GONE}`);
    symlinkSync(current, old, 'junction');
  }
  return () => {
    if (isLink(old)) unlinkSync(old);
  };
}

/** Removes an old copy that has been replaced. */
export async function removeReplaced(old: string): Promise<void> {
  await rm(`${old}${GONE}`, { recursive: true, force: true, maxRetries: 5 });
}

function isLink(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}
