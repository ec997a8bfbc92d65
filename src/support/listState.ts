import type { ApiFailure } from '../api/failures.ts';

/** State of a list that is loaded from an instance. */
export type ListState<Loaded> =
  /** No source, or nothing was requested yet. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | (Loaded & {
      readonly kind: 'ready';
      /** Failure of the latest request; what is loaded is then older. */
      readonly problem: ApiFailure | undefined;
    });

/** Returns the failure of the latest request. */
export function failureOfState(state: ListState<unknown>): ApiFailure | undefined {
  return state.kind === 'failed' ? state.failure : state.kind === 'ready' ? state.problem : undefined;
}

/** Returns the state after a failed request. What is loaded stays. */
export function stateAfterFailure<Loaded>(state: ListState<Loaded>, failure: ApiFailure): ListState<Loaded> {
  return state.kind === 'ready' ? { ...state, problem: failure } : { kind: 'failed', failure };
}

/** Removes duplicates: elements move between pages when others are added, so one can appear twice. The latest version stays. */
export function uniqueById<T extends { readonly id: unknown }>(elements: readonly T[]): readonly T[] {
  return [...new Map(elements.map((element) => [element.id, element])).values()];
}
