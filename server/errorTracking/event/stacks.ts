import type { Frame, TrackedEvent, TrackedException, TrackedThread } from './event.ts';

/** Whose frames they are. */
export type StackSource = 'exception' | 'other_exception' | 'thread' | 'event';

export interface Stack {
  readonly source: StackSource;
  /** As sent: the frame that failed is the last. */
  readonly frames: readonly Frame[];
}

/** The exception that was caught; what caused it stands before it (docs/interface.md#event-payloads). */
export function mainException(event: TrackedEvent): TrackedException | undefined {
  return event.exceptions.at(-1);
}

/**
 * The stacks that an event has, the one that says most first: of the exception that was caught, of its causes from the nearest, of the
 * thread that failed, of the event itself (docs/interface.md#grouping). None is empty.
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
