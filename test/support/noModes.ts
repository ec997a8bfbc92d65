// Loaded into a server before its own program (`node --import`), by tests only: a file system without modes, as mounts of FAT and of Windows
// are, where everybody may do everything and a change of a mode is ignored.
import fs, { type Stats } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { statSync } = fs;
Object.assign(fs, {
  chmodSync: () => undefined,
  statSync: (...given: Parameters<typeof statSync>) => {
    const found = statSync(...given) as Stats | undefined;
    if (found !== undefined) found.mode |= 0o777;
    return found;
  },
});
syncBuiltinESMExports();
