// Loaded into a server before its own program (`node --import`), by tests only: ends the process with SIGKILL at a named step of the
// replacement of its database. The steps are observed from outside, at the file system.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/**
 * `drafted`: the new database is complete, and nothing was moved. `decided`: it is about to replace the current one. `moved`: the current one
 * is a snapshot. `replaced`: the new one is in its place.
 */
export type ReplacementKillPoint = 'drafted' | 'decided' | 'moved' | 'replaced';

const point = process.env['SIGNALBOX_TEST_KILL_POINT'];

function reached(name: ReplacementKillPoint): void {
  if (name === point) process.kill(process.pid, 'SIGKILL');
}

const { renameSync } = fs;
Object.assign(fs, {
  renameSync: (...[from, to]: Parameters<typeof renameSync>) => {
    if (String(to).endsWith('signalbox.sqlite.next')) reached('drafted');
    renameSync(from, to);
    if (String(to).endsWith('signalbox.sqlite.next')) reached('decided');
    if (String(from).endsWith('signalbox.sqlite')) reached('moved');
    if (String(to).endsWith('signalbox.sqlite')) reached('replaced');
  },
});
syncBuiltinESMExports();
