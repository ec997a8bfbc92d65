import { createClock } from './clock.ts';
import { maskLine } from './masking.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
export const logLevels: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug'];

export interface LogLine {
  /** Milliseconds since the epoch, by the machine's clock. */
  readonly at: number;
  readonly level: LogLevel;
  readonly text: string;
}

/** Log lines on standard error. Must never contain a token, password, code or cookie. */
export interface Log {
  error(text: string, cause?: unknown): void;
  warn(text: string): void;
  info(text: string): void;
  debug(text: string): void;
  /** Returns the latest lines that were written, at most `limit`, newest first. */
  latest(limit: number): readonly LogLine[];
}

/** Number of lines that are kept. */
const MAX_LINES = 1000;

export function createLog(level: LogLevel, write: (line: string) => void, now: () => number = createClock().systemNow): Log {
  const rank = logLevels.indexOf(level);
  let lines: LogLine[] = [];
  const line = (of: LogLevel, text: string): void => {
    if (logLevels.indexOf(of) > rank) return;
    const masked = maskLine(text);
    lines.push({ at: now(), level: of, text: masked });
    if (lines.length > 2 * MAX_LINES) lines = lines.slice(-MAX_LINES);
    write(`${of}: ${masked}\n`);
  };
  return {
    error: (text, cause) => line('error', cause === undefined ? text : `${text}: ${describe(cause)}`),
    warn: (text) => line('warn', text),
    info: (text) => line('info', text),
    debug: (text) => line('debug', text),
    latest: (limit) => lines.toReversed().slice(0, Math.min(Math.max(limit, 0), MAX_LINES)),
  };
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
