import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';

/** Returns the size of all files of a folder, in bytes, without those that disappear meanwhile. */
export async function sizeOfFolder(folder: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) size += await sizeOfFolder(file);
    else if (entry.isFile()) size += (await stat(file).catch(() => undefined))?.size ?? 0;
  }
  return size;
}
