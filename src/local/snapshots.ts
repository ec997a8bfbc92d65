import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { isSnapshotName } from '../contract/control.ts';

/** A copy of all data of one profile, as the server keeps it. */
export interface Snapshot {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

const ENDING = '.sqlite';

/** The snapshots in a data folder, the newest first; so they are found while no server runs. */
export function listSnapshots(dataFolder: string): readonly Snapshot[] {
  const folder = path.join(dataFolder, 'snapshots');
  return filesIn(folder)
    .filter((file) => file.endsWith(ENDING) && isSnapshotName(file.slice(0, -ENDING.length)))
    .map((file) => {
      const { size, mtimeMs } = statSync(path.join(folder, file));
      return { name: file.slice(0, -ENDING.length), size, createdAt: mtimeMs };
    })
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The first snapshot makes the folder.
    return [];
  }
}
