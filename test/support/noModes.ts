// Loaded into a server before its own program (`node --import`), by tests only: simulates a file system without modes, like FAT or Windows
// mounts, where everyone may do everything and mode changes are ignored.
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
