import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { RepositoryDir } from './objects.ts';

/** Folder in a repository for the objects of pushes that are not accepted yet. */
export const QUARANTINES = 'incoming';
/** Distinguishes the pushes to this server from those of earlier ones that were killed. */
const session = randomBytes(8).toString('hex');

/** Returns the path of a new folder for the objects of a push. The folder does not exist. */
export function newQuarantine({ folder }: RepositoryDir): string {
  return path.join(folder, QUARANTINES, `${session}-${randomBytes(8).toString('hex')}`);
}

/** Removes the objects of pushes to earlier servers. */
export async function removeQuarantines({ folder }: RepositoryDir): Promise<void> {
  const quarantines = path.join(folder, QUARANTINES);
  if (!existsSync(quarantines)) return;
  for (const name of await readdir(quarantines)) {
    if (!name.startsWith(session)) await rm(path.join(quarantines, name), { recursive: true, force: true });
  }
}
