import type { ProgressLine } from '../../src/contract/control.ts';
import type { Log } from '../core/log.ts';
import type { Progress } from '../seeds/seeds.ts';

/** Returns a line of JSON for standard error, for the program that started the server. */
export function progressLine(message: string, done?: number, total?: number): string {
  const line: ProgressLine = { event: 'progress', message, done, total };
  return `${JSON.stringify(line)}\n`;
}

/**
 * Returns a function that reports the progress before the server listens: as JSON lines to a parent process, otherwise in the log. The
 * event loop turns between two reports.
 */
export function createProgress(isForParent: boolean, write: (text: string) => void, log: Log): Progress {
  return async (message, done, total) => {
    if (isForParent) write(progressLine(message, done, total));
    else log.info(done === undefined || total === undefined ? message : `${message} (${done} of ${total})`);
    // Lets the line be written and signals be handled before the work continues.
    await new Promise((resolve) => setImmediate(resolve));
  };
}
