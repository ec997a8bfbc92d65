import type { FailureKind } from '../api/failures.ts';
import type { FeedState } from './model.ts';

/** Latest results of a view, for the diagnostics report. */
export interface FeedOutcome {
  readonly view: string;
  readonly success?: {
    /** Milliseconds since the epoch. */ readonly at: number;
    readonly events: number;
    readonly isCached: boolean;
  };
  readonly failure?: {
    readonly at: number;
    readonly kind: FailureKind;
    readonly status: number | undefined;
    readonly requestId: string | undefined;
    readonly text: string;
  };
}

/** Latest successful response and latest failure of each view. */
export interface FeedOutcomes {
  readonly record: (view: string, state: FeedState) => void;
  readonly all: () => readonly FeedOutcome[];
}

export function createFeedOutcomes(now: () => number): FeedOutcomes {
  const outcomes = new Map<string, FeedOutcome>();
  return {
    record: (view, state) => {
      const before = outcomes.get(view) ?? { view };
      const failure = state.kind === 'failed' ? state.failure : state.kind === 'ready' ? state.problem : undefined;
      if (failure !== undefined) {
        const { kind, status, requestId, message } = failure;
        outcomes.set(view, { ...before, failure: { at: now(), kind, status, requestId, text: message } });
      } else if (state.kind === 'ready') {
        const { at, events, isCached } = state;
        outcomes.set(view, { ...before, success: { at, events: events.length, isCached } });
      } else {
        outcomes.set(view, before);
      }
    },
    all: () => [...outcomes.values()],
  };
}
