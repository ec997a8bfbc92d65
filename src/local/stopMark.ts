import { existsSync, type FSWatcher, mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Mark that the user stopped the server, so that no window starts it again automatically. All windows see it immediately. */
export interface StopMark {
  readonly isSet: () => boolean;
  readonly set: () => void;
  readonly clear: () => void;
  /** Calls `cleared` once when the mark is cleared by any window. Returns a function that stops waiting. */
  readonly whenCleared: (cleared: () => void) => () => void;
}

/** Creates a mark that is a file next to the data folder, because the storage of VS Code is not shared by running windows. */
export function createStopMark(dataFolder: string): StopMark {
  const file = `${dataFolder}.stopped`;
  const isSet = (): boolean => existsSync(file);
  return {
    isSet,
    set: () => {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, '');
    },
    clear: () => rmSync(file, { force: true }),
    whenCleared: (cleared) => {
      let watcher: FSWatcher | undefined;
      const end = (): void => {
        watcher?.close();
        watcher = undefined;
      };
      const check = (): void => {
        if (watcher === undefined || isSet()) return;
        end();
        cleared();
      };
      try {
        watcher = watch(path.dirname(file), { persistent: false }, check);
        watcher.on('error', end);
      } catch {
        // Not every file system reports changes. The user can still start the server in this window.
        return end;
      }
      // It may have been cleared before the watch began.
      setImmediate(check);
      return end;
    },
  };
}
