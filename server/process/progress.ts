import type { Log } from '../log.ts';
import type { Progress } from '../seeds/seeds.ts';

/**
 * Tells how far the server is with what it does before it listens. A program that started it reads one JSON object a line:
 * `{"event":"progress","message":"Loading demo data","done":3,"total":10}`. People read the log.
 */
export function createProgress(isForProgram: boolean, write: (text: string) => void, log: Log): Progress {
  return async (message, done, total) => {
    if (isForProgram) write(`${JSON.stringify({ event: 'progress', message, done, total })}\n`);
    else log.info(done === undefined || total === undefined ? message : `${message} (${done} of ${total})`);
    // The line is written, and signals are handled, before the work goes on.
    await new Promise((resolve) => setImmediate(resolve));
  };
}
