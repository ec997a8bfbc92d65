import type { Frame } from '../event/trackedEvent.ts';
import type { Stack, StackSource } from '../event/mainStack.ts';
import { guessInApp } from '../event/stackFrames.ts';
import { type CleanFrame, sourceLineOf } from './frameNames.ts';

/** Rules by which a version of the algorithm reads frames. */
export interface FrameRules {
  readonly clean: (frame: Frame) => CleanFrame;
  readonly isApp: (frame: Frame) => boolean;
  /** True if lines of source are compared, too. */
  readonly usesLines: boolean;
}

/** Maximum number of application frames used, from the innermost. */
const MAX_APP_FRAMES = 8;
/** Maximum number of frames used if none is an application frame. */
const MAX_LIBRARY_FRAMES = 5;
/** Maximum number of frames of the whole stack. Frameworks put many around a few of the application. */
const MAX_FRAMES = 1000;

/** The stack of an event that is compared, with the frames that count. */
export interface UsedStack {
  readonly source: StackSource;
  readonly frames: readonly Frame[];
  readonly app: readonly UsedFrame[];
  /** True if no application frame is usable, so that `app` has library frames. */
  readonly isOfLibraries: boolean;
  readonly rules: FrameRules;
}

interface UsedFrame {
  /** Index in the list of frames as sent. Of a recursion, the outermost one. */
  readonly at: number;
  /** Same, of a recursion the innermost one. */
  readonly innermost: number;
  readonly key: string;
  /** True if the key has the line of source already, because the function has no name. */
  readonly hasLine: boolean;
}

/** A frame in the text to hash. */
export interface HashedFrame {
  readonly key: string;
  /** Empty if it is not compared. */
  readonly line: string;
}

/** Returns the first stack that has a frame which can be compared. */
export function usedStack(stacks: Iterable<Stack>, rules: FrameRules): UsedStack | undefined {
  for (const { source, frames } of stacks) {
    const own = innermost(frames, rules, rules.isApp, MAX_APP_FRAMES);
    const isOfLibraries = own.length === 0;
    const app = isOfLibraries ? innermost(frames, rules, isAny, Number.POSITIVE_INFINITY, MAX_LIBRARY_FRAMES) : own;
    if (app.length > 0) return { source, frames, app, isOfLibraries, rules };
  }
  return undefined;
}

function isAny(): boolean {
  return true;
}

/**
 * Returns up to `most` usable frames that match `is`, in the order in which they were sent. Recursion counts once, by its
 * outermost frame. Frames are cleaned only as needed, and no more than `mostSeen` of them.
 */
function innermost(
  frames: readonly Frame[],
  { clean }: FrameRules,
  is: (frame: Frame) => boolean,
  most: number,
  mostSeen = Number.POSITIVE_INFINITY,
): UsedFrame[] {
  const used: UsedFrame[] = [];
  let seen = 0;
  for (let at = frames.length - 1; at >= 0 && seen < mostSeen; at -= 1) {
    const frame = frames[at];
    if (frame === undefined || !is(frame)) continue;
    const { key, isLine: hasLine } = clean(frame);
    if (key === '') continue;
    seen += 1;
    const inner = used.at(-1)?.key === key ? used.pop() : undefined;
    if (used.length === most) break;
    used.push({ at, innermost: inner?.innermost ?? at, key, hasLine });
  }
  return used.reverse();
}

/** Only the line of the innermost frame counts, where the error was thrown or the library called that threw it. */
export function appFrames(stack: UsedStack): readonly HashedFrame[] {
  const last = stack.app.length - 1;
  return stack.app.map((frame, index) => ({ key: frame.key, line: index === last ? appLineOf(stack) : '' }));
}

/**
 * Returns the line of source of the innermost application frame. Empty if it is not compared. Some SDKs mark no frame: for Ruby, if
 * the program was started by a relative path.
 */
export function appLineOf({ frames, app, isOfLibraries, rules }: UsedStack): string {
  const last = app.at(-1);
  const frame = last && frames[last.innermost];
  if (!rules.usesLines || last === undefined || frame === undefined || (isOfLibraries && !guessInApp(frame))) return '';
  return lineOf(frames, last);
}

function lineOf(frames: readonly Frame[], { innermost: at, hasLine }: UsedFrame): string {
  const frame = frames[at];
  return hasLine || frame === undefined ? '' : sourceLineOf(frame);
}

/** All lines count, because the innermost application frame may be another one if the same stack is sent with other flags. */
export function wholeFrames({ frames, rules }: UsedStack): readonly HashedFrame[] {
  return innermost(frames, rules, isAny, MAX_FRAMES).map((frame) => ({
    key: frame.key,
    line: rules.usesLines ? lineOf(frames, frame) : '',
  }));
}
