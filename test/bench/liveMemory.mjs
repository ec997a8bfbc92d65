// Loaded by --import into a server whose live memory is measured (live.mjs). Any message on file descriptor 3 returns the most megabytes that
// were in use since the last message, as a line of text, and starts again from those that are in use now.
import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { liveMegabytes } from './live.mjs';

/** Milliseconds between two samples. A collection takes some tens of milliseconds. */
const INTERVAL = 200;
let peak = 0;

if (isMainThread) {
  setInterval(note, INTERVAL).unref();
  const control = new Socket({ fd: 3 });
  control.on('data', () => {
    const now = note();
    control.write(`${peak}\n`);
    peak = now;
  });
  control.unref();
}

function note() {
  const now = liveMegabytes();
  peak = Math.max(peak, now);
  return now;
}
