import { isoTime } from '../core/clock.ts';

/** Handled request, without secrets. */
export interface RequestLogEntry {
  readonly id: string;
  readonly at: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly route: string | null;
  readonly status: number;
  readonly milliseconds: number;
  readonly user: string | null;
  /** Administrator who acted as the user, or null. */
  readonly sudo: string | null;
  /** Reason of a refusal, or null. */
  readonly refusal: { readonly rule: string; readonly reason: string } | null;
}

/** New entry. `at` stays in milliseconds until the entry is read, because most entries never are. */
export type NewRequestLogEntry = Omit<RequestLogEntry, 'at'> & { readonly at: number };

export interface RequestLog {
  add(entry: NewRequestLogEntry): void;
  /** Returns entries, newest first. */
  list(limit: number): readonly RequestLogEntry[];
  clear(): void;
}

/** Creates an in-memory ring buffer of the latest requests. */
export function createRequestLog(size = 500): RequestLog {
  let entries: NewRequestLogEntry[] = [];
  return {
    add: (entry) => {
      entries.push(entry);
      if (entries.length >= size * 2) entries = entries.slice(-size);
    },
    list: (limit) =>
      entries
        .slice(-Math.min(limit, size))
        .reverse()
        .map((entry) => ({ ...entry, at: isoTime(entry.at) })),
    clear: () => {
      entries = [];
    },
  };
}
