import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { PolicyReading } from './rules.ts';

/** Next to this file in the sources, and next to the bundle in a build. */
const program = path.join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'policyReader.ts' : 'policyReader.js');

/** Maximum number of cached policy files. */
const MAX_CACHED = 8;
/** Maximum time to read one file, in milliseconds. */
const TIME_LIMIT = 30_000;

/** Readings by the id of the blob, the most recently used last. Shared by all servers of the process, because an id determines the content. */
const readings = new Map<string, Promise<PolicyReading>>();
let latest: Promise<unknown> = Promise.resolve();

/** Reads the policies of a file in a thread, once for each content. Files are read one after the other. */
export function readPolicyFile(id: string, text: string): Promise<PolicyReading> {
  const known = readings.get(id);
  const reading = known ?? latest.then(() => readInThread(text));
  latest = known === undefined ? reading : latest;
  readings.delete(id);
  readings.set(id, reading);
  const [oldest] = readings.keys();
  if (readings.size > MAX_CACHED && oldest !== undefined) readings.delete(oldest);
  return reading;
}

function readInThread(text: string): Promise<PolicyReading> {
  return new Promise((resolve) => {
    const worker = new Worker(program, {
      workerData: text,
      // Modules preloaded by the server are not needed here.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 32 },
    });
    const timer = setTimeout(() => void worker.terminate(), TIME_LIMIT);
    const finish = (reading: PolicyReading): void => {
      clearTimeout(timer);
      resolve(reading);
    };
    worker.once('message', finish);
    // The event occurs repeatedly if a thread runs out of memory.
    worker.on('error', () => finish({ problem: 'it cannot be read' }));
    worker.once('exit', () => finish({ problem: 'it takes too long to read' }));
  });
}
