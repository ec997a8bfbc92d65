import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';

/** Folder of a server without a data folder. */
export interface TemporaryFolder {
  /** Returns the path of the folder, which is created on first use. */
  path(): string;
  remove(): void;
}

/** Creates a folder that starts with this name. Folders of killed servers with the same name are removed first. */
export function createTemporaryFolder(name: string): TemporaryFolder {
  let folder: string | undefined;
  return {
    path: () => {
      if (folder === undefined) {
        const prefix = prefixOf(name);
        removeAbandoned(prefix);
        folder = mkdtempSync(path.join(tmpdir(), `${prefix}${process.pid}-`));
      }
      return folder;
    },
    remove: () => {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
      folder = undefined;
    },
  };
}

/** Process ids are valid on one machine only, and machines can share a temporary folder. */
function prefixOf(name: string): string {
  return `signalbox-${name}-${hostname().replaceAll(/[^A-Za-z0-9]/g, '')}-`;
}

function removeAbandoned(prefix: string): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(path.join(tmpdir(), name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
