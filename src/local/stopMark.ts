import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Says that somebody stopped the server on purpose, so that no other window and no reload brings it back. All windows see it at once. */
export interface StopMark {
  readonly isSet: () => boolean;
  readonly set: () => void;
  readonly clear: () => void;
}

/** A file beside the data, because nothing else of the editor's is shared by windows while they run. */
export function createStopMark(dataFolder: string): StopMark {
  const file = `${dataFolder}.stopped`;
  return {
    isSet: () => existsSync(file),
    set: () => {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, '');
    },
    clear: () => rmSync(file, { force: true }),
  };
}
