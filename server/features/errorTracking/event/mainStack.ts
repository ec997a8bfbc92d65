import type { Frame, TrackedEvent, TrackedException, TrackedThread } from './trackedEvent.ts';

/** Origin of the frames. */
export type StackSource = 'exception' | 'other_exception' | 'thread' | 'event';

export interface Stack {
  readonly source: StackSource;
  /** Frames in the order in which they were sent: the frame that failed is last. */
  readonly frames: readonly Frame[];
}

/** Returns the caught exception. Its causes precede it in the list (docs/interface.md#event-payloads). */
export function mainException(event: TrackedEvent): TrackedException | undefined {
  return event.exceptions.at(-1);
}

/**
 * Yields the stacks of an event that are not empty, the most relevant first: the caught exception, its causes from the nearest
 * on, the thread that failed, the event itself (docs/interface.md#grouping).
 */
export function* stacksOf(event: TrackedEvent): Generator<Stack, void, undefined> {
  for (let at = event.exceptions.length - 1; at >= 0; at -= 1) {
    const frames = event.exceptions[at]?.frames ?? [];
    if (frames.length > 0) yield { source: at === event.exceptions.length - 1 ? 'exception' : 'other_exception', frames };
  }
  const thread = failedThread(event.threads);
  if (thread !== undefined && thread.frames.length > 0) yield { source: 'thread', frames: thread.frames };
  if (event.frames.length > 0) yield { source: 'event', frames: event.frames };
}

function failedThread(threads: readonly TrackedThread[]): TrackedThread | undefined {
  const marked = threads.find(({ crashed }) => crashed) ?? threads.find(({ current }) => current);
  return marked ?? (threads.length === 1 ? threads[0] : undefined);
}
