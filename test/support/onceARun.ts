// Results that all processes of a test run share. scripts/test.ts creates a folder for each run, so a result is never older than the run.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const made = new Map<string, Buffer>();

/**
 * Returns the bytes that `make` creates. They are made once a run, or once a process if no run has a folder. Processes that start at the same
 * time may each make them.
 */
export function onceARun(name: string, make: () => Buffer): Buffer {
  const known = made.get(name);
  if (known !== undefined) return known;
  const folder = process.env['SIGNALBOX_TEST_RUN'];
  const file = folder === undefined ? undefined : path.join(folder, name);
  if (file !== undefined && existsSync(file)) return keep(name, readFileSync(file));
  const bytes = keep(name, make());
  if (file !== undefined) {
    // Other processes see the whole file or none.
    const draft = `${file}.${process.pid}`;
    writeFileSync(draft, bytes);
    renameSync(draft, file);
  }
  return bytes;
}

function keep(name: string, bytes: Buffer): Buffer {
  made.set(name, bytes);
  return bytes;
}
