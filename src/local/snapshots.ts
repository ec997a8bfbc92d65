import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { isSnapshotName, type Snapshot } from '../contract/control.ts';

const EXTENSION = '.sqlite';

/** Returns the snapshots in a data folder, newest first. Reads the folder itself, so no server has to run. */
export function listSnapshots(dataFolder: string): readonly Snapshot[] {
  const folder = path.join(dataFolder, 'snapshots');
  return filesIn(folder)
    .filter((file) => file.endsWith(EXTENSION) && isSnapshotName(file.slice(0, -EXTENSION.length)))
    .map((file) => {
      const { size, mtimeMs } = statSync(path.join(folder, file));
      return { name: file.slice(0, -EXTENSION.length), size, createdAt: mtimeMs };
    })
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist before the first snapshot.
    return [];
  }
}
