import { maskLine } from './masking.ts';

export type LogLevel = 'silent' | 'error' | 'warn' | 'info' | 'debug';
export const logLevels: readonly LogLevel[] = ['silent', 'error', 'warn', 'info', 'debug'];

/** Log lines on standard error. Must never contain a token, password, code or cookie. */
export interface Log {
  error(text: string, cause?: unknown): void;
  warn(text: string): void;
  info(text: string): void;
  debug(text: string): void;
}

export function createLog(level: LogLevel, write: (line: string) => void): Log {
  const rank = logLevels.indexOf(level);
  const line = (at: LogLevel, text: string): void => {
    if (logLevels.indexOf(at) <= rank) write(`${at}: ${maskLine(text)}\n`);
  };
  return {
    error: (text, cause) => line('error', cause === undefined ? text : `${text}: ${describe(cause)}`),
    warn: (text) => line('warn', text),
    info: (text) => line('info', text),
    debug: (text) => line('debug', text),
  };
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
