import type { Frame, TrackedEvent, TrackedException } from '../event/trackedEvent.ts';
import { signalOf } from './exceptionMembers.ts';
import { unnamedPaths } from './filePaths.ts';
import { isNativeCode } from './frameNames.ts';
import { cleanFunction } from './functionNames.ts';
import { withoutWrapper } from './grouping.ts';
import { firstLines } from './parameteriseMessage.ts';
import { mainException, stacksOf } from '../event/mainStack.ts';
import { isLoggerFrame, isRuntimeFunction, isSdkFrame, nativePlatforms } from '../event/sdkFrames.ts';

const MAX_TITLE_LENGTH = 120;
const MAX_CULPRIT_LENGTH = 200;
const MAX_SEARCH_TEXT_LENGTH = 8_192;
const MAX_SEARCH_LINE_LENGTH = 512;

/**
 * Returns `Type: first line of value` of the caught exception, or the first line of a message. It has at most 120 characters and
 * is never empty (docs/interface.md#grouping).
 */
export function titleOf(sent: TrackedEvent): string {
  const event = withoutWrapper(sent);
  const exception = mainException(event);
  const title = exception === undefined ? firstLine(event.message?.text) : titleOfException(exception);
  return cut(title ?? culpritOfFrames(event) ?? '<unknown>', MAX_TITLE_LENGTH);
}

/**
 * Returns the title of an exception. A synthetic type was made up by the SDK and is used only if there is no value, but the signal
 * that it stands for is named.
 */
function titleOfException(exception: TrackedException): string | undefined {
  const type = firstLine(exception.type);
  const value = firstLine(exception.value);
  const isSynthetic = exception.mechanism?.synthetic === true;
  const name = isSynthetic ? firstLine(signalOf(exception)) : type;
  if (value === undefined) return name ?? type;
  return name === undefined || (isSynthetic && value.includes(name)) ? value : `${name}: ${value}`;
}

/**
 * Returns where the error happened: the transaction, else `function (module or file)` of the innermost application frame, which is
 * never one of the SDK. May be empty.
 */
export function culpritOf(event: TrackedEvent): string {
  return cut(firstLine(event.transaction) ?? culpritOfFrames(withoutWrapper(event)) ?? '', MAX_CULPRIT_LENGTH);
}

function culpritOfFrames(event: TrackedEvent): string | undefined {
  const stacks = [...stacksOf(event)];
  const innermost = (is: (frame: Frame) => boolean): Frame | undefined =>
    stacks
      .map(({ frames }) => frames.findLast((frame) => is(frame) && isUsable(frame, event.platform)))
      .find((frame) => frame !== undefined);
  const frame = innermost(({ inApp }) => inApp) ?? innermost(() => true);
  return frame && nameOf(frame);
}

/** Returns true for a frame that can have caused an error: neither of the SDK, nor of a logger, nor of the runtime. */
function isUsable(frame: Frame, platform: string): boolean {
  return (
    namesPlace(frame) &&
    !isSdkFrame(frame) &&
    !isLoggerFrame(frame) &&
    !(nativePlatforms.has(platform) && isRuntimeFunction(frame.function))
  );
}

function namesPlace(frame: Frame): boolean {
  const path = frame.filename ?? frame.absPath;
  if (isNativeCode(frame, path)) return false;
  return (
    [frame.module, path, frame.package].some((location) => location !== undefined && !unnamedPaths.has(location)) ||
    (frame.function !== undefined && cleanFunction(frame.function) !== '')
  );
}

function nameOf(frame: Frame): string {
  const location = firstLine(frame.module) ?? firstLine(frame.filename) ?? firstLine(frame.absPath) ?? firstLine(frame.package);
  const name = firstLine(frame.function);
  if (name === undefined || location === undefined) return name ?? location ?? '';
  return `${name} (${location})`;
}

/**
 * Returns the text that a search looks in, one item per line: title, types and values of the exception chain, message, culprit,
 * and functions and files of the frames, innermost first. At most 8,192 characters, without duplicates.
 */
export function searchTextOf(event: TrackedEvent): string {
  const lines = new Set<string>();
  let length = 0;
  for (const text of searchItems(event)) {
    const line = firstLine(text)?.slice(0, MAX_SEARCH_LINE_LENGTH);
    if (line === undefined || lines.has(line)) continue;
    if (length + line.length > MAX_SEARCH_TEXT_LENGTH) break;
    lines.add(line);
    length += line.length + 1;
  }
  return [...lines].join('\n').toWellFormed();
}

function* searchItems(event: TrackedEvent): Generator<string | undefined, void, undefined> {
  yield titleOf(event);
  yield culpritOf(event);
  for (const { type, value } of event.exceptions.toReversed()) {
    yield type;
    yield* firstLines(value ?? '', 8);
  }
  yield* firstLines(event.message?.text ?? '', 8);
  for (const { frames } of stacksOf(event)) {
    for (const frame of frames.toReversed()) {
      yield frame.function;
      yield frame.module;
      yield frame.filename ?? frame.absPath;
    }
  }
}

function firstLine(text: string | undefined): string | undefined {
  return text === undefined ? undefined : firstLines(text, 1)[0];
}

/** Truncates a text without splitting a surrogate pair. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text.toWellFormed();
  const head = text.slice(0, longest - 1);
  return `${/[\uD800-\uDBFF]$/.test(head) ? head.slice(0, -1) : head}…`.toWellFormed();
}
