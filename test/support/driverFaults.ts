// Loaded into a server before its own program (`node --import`), by tests only: simulates a full or slow disk, or stops the process in a
// commit for as long as a test needs. The product has no such setting; everything is done at the database driver.
import fs from 'node:fs';
import { type DriverConnection, interceptWrites, type WriteHooks } from './driverWrites.ts';

/** While this file exists, every write fails because the disk is full. */
const full = process.env['SIGNALBOX_TEST_DISK_FULL'] ?? '';
/** Delay of every write commit, in milliseconds. */
const slow = Number(process.env['SIGNALBOX_TEST_SLOW_COMMIT'] ?? 0);
/** Once this file exists, the next commit reports on file descriptor 3 and waits until data can be read there. */
const hold = process.env['SIGNALBOX_TEST_HOLD'] ?? '';
/** Writing the file with this name fails because the disk is full. */
const unwritable = process.env['SIGNALBOX_TEST_UNWRITABLE'] ?? '';

const diskFull = (): Error => Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
const isFull = (): boolean => full !== '' && fs.existsSync(full);
let isHeld = false;

const writes: WriteHooks = {
  beforeWrite: () => {
    if (isFull()) throw diskFull();
  },
  beforeCommit: () => {
    if (isFull()) throw diskFull();
    if (slow > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, slow);
    if (hold === '' || isHeld || !fs.existsSync(hold)) return;
    isHeld = true;
    fs.writeSync(3, 'held\n');
    fs.readSync(3, Buffer.alloc(1));
  },
};

const { dlopen } = process;
process.dlopen = (module: object, ...more: [string]) => {
  dlopen.call(process, module, ...more);
  const { exports: addon } = module as { readonly exports: { readonly Database: { readonly prototype: DriverConnection } } };
  interceptWrites(addon.Database.prototype, writes);
};

const { renameSync } = fs;
fs.renameSync = (from, to) => {
  if (unwritable !== '' && String(to).endsWith(unwritable))
    throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
  renameSync(from, to);
};
