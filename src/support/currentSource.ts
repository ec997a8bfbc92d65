import { type ApiFailure, failureOfAny } from '../api/failures.ts';

/** Source of a list, which can be replaced by that of another list. */
export interface CurrentSource<Source> {
  readonly get: () => Source | undefined;
  readonly key: () => string | undefined;
  /** Signal for requests of the current list. It is aborted when another list replaces it. */
  readonly signal: () => AbortSignal;
  /** Replaces the source. Returns true if its key is different, which means that it is the source of another list. */
  readonly replace: (next: Source | undefined) => boolean;
  /**
   * Runs a request of the current list. Resolves to its result or failure; to undefined if there is no list or if another one has replaced it
   * meanwhile.
   */
  readonly request: <T>(run: (source: Source, signal: AbortSignal) => Promise<T>) => Promise<T | ApiFailure | undefined>;
}

export function createCurrentSource<Source extends { readonly key: string }>(): CurrentSource<Source> {
  let source: Source | undefined;
  let abort = new AbortController();
  return {
    get: () => source,
    key: () => source?.key,
    signal: () => abort.signal,
    replace: (next) => {
      const isOther = next?.key !== source?.key;
      source = next;
      if (!isOther) return false;
      abort.abort();
      abort = new AbortController();
      return true;
    },
    request: async (run) => {
      if (source === undefined) return undefined;
      const { signal } = abort;
      const result = await run(source, signal).catch((error: unknown) => failureOfAny(error));
      return signal.aborted ? undefined : result;
    },
  };
}
