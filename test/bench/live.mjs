// Memory in use of this thread, without garbage: how much of it is there at a moment depends on when V8 last collected it.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');

/** Collects garbage, and returns the megabytes that objects and buffers take. */
export function liveMegabytes() {
  // The first collection leaves buffers that a second one frees.
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
