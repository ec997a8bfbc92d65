import { existsSync, type FSWatcher, mkdirSync, rmSync, watch, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Says that somebody stopped the server on purpose, so that no other window and no reload brings it back. All windows see it at once. */
export interface StopMark {
  readonly isSet: () => boolean;
  readonly set: () => void;
  readonly clear: () => void;
  /** Calls once when a mark that is set has been cleared, in whatever window. Returns what ends the waiting. */
  readonly whenCleared: (cleared: () => void) => () => void;
}

/** A file beside the data, because nothing else of the editor's is shared by windows while they run. */
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
      const look = (): void => {
        if (watcher === undefined || isSet()) return;
        end();
        cleared();
      };
      try {
        watcher = watch(path.dirname(file), { persistent: false }, look);
        watcher.on('error', end);
      } catch {
        // Not every file system tells of changes; somebody starts the server in this window then.
        return end;
      }
      // It may have been cleared before anything was watched.
      setImmediate(look);
      return end;
    },
  };
}
