import { ApiFailure } from '../api/failures.ts';
import type { ErrorDetail } from '../contract/errorDetail.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';

/** Maximum number of errors that get marks; each takes a request. */
export const MAX_ERRORS = 30;
/** Maximum number of requests at a time. */
const MAX_REQUESTS = 4;

/** Errors with their latest events, which are requested once and again when an error has another number of events. */
export interface ErrorDetails {
  /**
   * Requests what is missing for the first unresolved errors of a list and forgets the others. `loadedAt` identifies the load of the list;
   * after a failure, nothing is requested again before the next load.
   */
  readonly want: (errors: readonly TrackedError[], loadedAt: number) => void;
  /** Stops requesting. What was loaded is kept. */
  readonly pause: () => void;
  readonly get: (errorId: string) => ErrorDetail | undefined;
  /** Forgets everything, because another project is current. */
  readonly clear: () => void;
}

export interface ErrorDetailsSettings {
  /** Rejects if the request fails. */
  readonly load: (errorId: string, signal: AbortSignal) => Promise<ErrorDetail>;
  readonly changed: () => void;
  readonly warn: (failure: unknown) => void;
}

/** Returns the errors whose lines are marked. */
export function errorsToMark(errors: readonly TrackedError[]): readonly TrackedError[] {
  return errors.filter(({ status }) => status === 'unresolved').slice(0, MAX_ERRORS);
}

export function createErrorDetails({ load, changed, warn }: ErrorDetailsSettings): ErrorDetails {
  const known = new Map<string, { readonly count: number; readonly detail: ErrorDetail }>();
  const running = new Set<string>();
  let queue: readonly TrackedError[] = [];
  let failedAt: number | undefined;
  let abort = new AbortController();

  function next(loadedAt: number): void {
    queue = queue.filter(({ id, count }) => known.get(id)?.count !== count);
    while (running.size < MAX_REQUESTS) {
      const error = queue.find(({ id }) => !running.has(id));
      if (error === undefined) return;
      queue = queue.filter((one) => one !== error);
      void request(error, loadedAt);
    }
  }

  async function request({ id, count }: TrackedError, loadedAt: number): Promise<void> {
    const { signal } = abort;
    running.add(id);
    try {
      const detail = await load(id, signal);
      if (!signal.aborted) known.set(id, { count, detail });
    } catch (failure) {
      if (signal.aborted) return;
      warn(failure);
      failedAt = loadedAt;
      // A deleted error says nothing about the others.
      if (!(failure instanceof ApiFailure && failure.kind === 'notFound')) queue = [];
    } finally {
      if (!signal.aborted) running.delete(id);
    }
    if (signal.aborted) return;
    changed();
    next(loadedAt);
  }

  return {
    want: (errors, loadedAt) => {
      const wanted = errorsToMark(errors);
      const ids = new Set(wanted.map(({ id }) => id));
      for (const id of known.keys()) if (!ids.has(id)) known.delete(id);
      if (failedAt === loadedAt) return;
      queue = wanted;
      next(loadedAt);
    },
    pause: () => {
      queue = [];
    },
    get: (errorId) => known.get(errorId)?.detail,
    clear: () => {
      abort.abort();
      abort = new AbortController();
      known.clear();
      running.clear();
      queue = [];
      failedAt = undefined;
    },
  };
}
