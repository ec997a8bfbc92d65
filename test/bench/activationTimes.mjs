// Loaded by --import into the extension host of VS Code. Measures the `activate` call of the extensions named in ACTIVATION_NAMES and
// appends one line of JSON for each to ACTIVATION_FILE. Other exports of an extension are unchanged.
import { appendFileSync, readFileSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';

const names = (process.env.ACTIVATION_NAMES ?? '').split(',');
const file = process.env.ACTIVATION_FILE;
/** Extension whose activation takes `factor` times as long, if the benchmark is to be seen to fail. */
const SLOW = JSON.parse(process.env.ACTIVATION_SLOW ?? '{}');
const { _load } = Module;

Module._load = function (request, ...rest) {
  const before = now();
  const exported = _load.call(this, request, ...rest);
  if (typeof exported?.activate !== 'function' || !path.isAbsolute(request)) return exported;
  const load = now() - before;
  const name = nameOf(path.dirname(request));
  if (!names.includes(name)) return exported;
  return {
    ...exported,
    activate: (context) => {
      const started = now();
      const result = exported.activate(context);
      if (name === SLOW.name) lengthen(started, SLOW.factor);
      const call = now() - started;
      const registered = context.subscriptions.length;
      appendFileSync(file, `${JSON.stringify({ pid: process.pid, name, load, call, registered })}\n`);
      return result;
    },
  };
};

/**
 * Returns the time in milliseconds, without the time in which this thread was ready to run and other programs had the processors (Linux).
 */
function now() {
  try {
    // If the thread lost its processor between the two readings, that time would be counted on one side only.
    for (;;) {
      const before = waited();
      const time = performance.now();
      if (waited() === before) return time - before;
    }
  } catch {
    return performance.now();
  }
}

/** Computes until `factor` times as much time has passed since `started`. */
function lengthen(started, factor) {
  const until = started + (now() - started) * factor;
  while (now() < until);
}

function waited() {
  return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
}

function nameOf(folder) {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')).name;
  } catch {
    return '';
  }
}
