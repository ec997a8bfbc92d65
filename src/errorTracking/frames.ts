import { ApiFailure } from '../api/failures.ts';
import type { TrackedFrame } from '../contract/trackedErrors.ts';

/** Stack of an error that has been expanded. */
export type FramesState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | { readonly kind: 'ready'; readonly frames: readonly TrackedFrame[] };

/** Stacks of the errors that have been expanded. */
export interface ErrorFrames {
  /** Returns undefined before `open` is called for the error. */
  readonly get: (id: string) => FramesState | undefined;
  /** Loads the stack of an error. From then on, it is reloaded with the list if there is a newer event. */
  readonly open: (id: string) => void;
  /** Loads the stacks again that may be outdated. Must be called after each load of the list. */
  readonly refresh: () => void;
  readonly clear: () => void;
}

export interface ErrorFramesSettings {
  /** Resolves to undefined if another list is shown meanwhile. Never rejects. */
  readonly load: (id: string) => Promise<readonly TrackedFrame[] | ApiFailure | undefined>;
  /** Returns the number of events of an error in the list; undefined if the list does not contain it. */
  readonly countOf: (id: string) => number | undefined;
  readonly changed: () => void;
}

export function createErrorFrames({ load, countOf, changed }: ErrorFramesSettings): ErrorFrames {
  /** Expanded errors by ID. A changed event count means that there is a newer stack. */
  const opened = new Map<string, { readonly count: number | undefined; readonly frames: FramesState }>();

  async function loadFrames(id: string): Promise<void> {
    const count = countOf(id);
    const previous = opened.get(id)?.frames;
    // Keep showing the old frames while loading.
    opened.set(id, { count, frames: previous?.kind === 'ready' ? previous : { kind: 'loading' } });
    changed();
    const result = await load(id);
    if (result === undefined) return;
    if (!(result instanceof ApiFailure)) opened.set(id, { count, frames: { kind: 'ready', frames: result } });
    else if (previous?.kind !== 'ready') opened.set(id, { count, frames: { kind: 'failed', failure: result } });
    else opened.set(id, { count, frames: previous });
    changed();
  }

  return {
    get: (id) => opened.get(id)?.frames,
    open: (id) => {
      if (!opened.has(id)) void loadFrames(id);
    },
    refresh: () => {
      for (const [id, { count, frames }] of [...opened]) {
        const current = countOf(id);
        if (current === undefined) opened.delete(id);
        else if (current !== count || frames.kind === 'failed') void loadFrames(id);
      }
    },
    clear: () => opened.clear(),
  };
}
