// Loaded into a server before its own program (`node --import`), by tests only: simulates a disk with 1 MB left.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

Object.assign(fs, { statfsSync: () => ({ bavail: 256, bsize: 4096 }) });
syncBuiltinESMExports();
