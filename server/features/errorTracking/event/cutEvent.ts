import type { Frame, TrackedEvent } from './trackedEvent.ts';
import { limits } from './eventLimits.ts';

/**
 * Returns an event with no more exceptions and frames than are kept (docs/interface.md#event-payloads). Events are grouped and
 * named before. Of the exceptions those nearest to the caught one are kept.
 */
export function cutEvent(event: TrackedEvent): TrackedEvent {
  const isLong = [event, ...event.exceptions, ...event.threads].some(({ frames }) => frames.length > limits.frames);
  if (!isLong && event.exceptions.length <= limits.exceptions) return event;
  const cut = <T extends { readonly frames: readonly Frame[] }>(one: T): T => ({ ...one, frames: cutFrames(one.frames) });
  return { ...cut(event), exceptions: event.exceptions.slice(-limits.exceptions).map(cut), threads: event.threads.map(cut) };
}

/** Leaves out frames of libraries first, then repeated frames of a recursion, each from the outermost on. */
function cutFrames(frames: readonly Frame[]): readonly Frame[] {
  let caller: Frame | undefined;
  return atMost(frames, limits.frames, (frame) => {
    if (!frame.inApp) return 2;
    const isRepeated = caller !== undefined && isSameFunction(frame, caller);
    caller = frame;
    return isRepeated ? 1 : 0;
  });
}

function isSameFunction(one: Frame, other: Frame): boolean {
  return (
    one.function === other.function &&
    one.module === other.module &&
    one.filename === other.filename &&
    one.absPath === other.absPath
  );
}

/**
 * Returns at most `most` items of a list in their order. Those with the highest rank are left out first, the first ones of the same
 * rank before others.
 */
export function atMost<T>(list: readonly T[], most: number, rankOf: (item: T) => number): readonly T[] {
  if (list.length <= most) return list;
  const ranked = list.map((item, index) => ({ rank: rankOf(item), index }));
  const left = new Set(
    ranked
      .toSorted((one, other) => other.rank - one.rank || one.index - other.index)
      .slice(0, list.length - most)
      .map(({ index }) => index),
  );
  return list.filter((_, index) => !left.has(index));
}
