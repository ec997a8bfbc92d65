import type { ProgressLine } from '../../src/contract/control.ts';
import type { Log } from '../log.ts';
import type { Progress } from '../seeds/seeds.ts';

/** One JSON object on a line of standard error, for the program that has started the server. */
export function progressLine(message: string, done?: number, total?: number): string {
  const line: ProgressLine = { event: 'progress', message, done, total };
  return `${JSON.stringify(line)}\n`;
}

/** Tells how far the server is with what it does before it listens, for work that lets the event loop turn. People read it in the log. */
export function createProgress(isForProgram: boolean, write: (text: string) => void, log: Log): Progress {
  return async (message, done, total) => {
    if (isForProgram) write(progressLine(message, done, total));
    else log.info(done === undefined || total === undefined ? message : `${message} (${done} of ${total})`);
    // The line is written, and signals are handled, before the work goes on.
    await new Promise((resolve) => setImmediate(resolve));
  };
}
