import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';
import type { Frame } from './trackedEvent.ts';
import { limits } from './eventLimits.ts';
import { clean, cut, isClean, type Location, readFlag, readName, type Reading, report } from './readValue.ts';
import { nameScrubber, scrubSourceLines, sourceScrubber } from './scrubText.ts';
import { readMap } from './jsonTree.ts';

const none: readonly never[] = [];

/**
 * Returns the frames of a `stacktrace`, callers first. `cutEvent` leaves out those beyond the limit, when they have been grouped.
 */
export function readFrames(reading: Reading, stack: unknown, parent: Location | undefined, key: string): readonly Frame[] {
  if (stack === undefined || stack === null) return none;
  const frames = isJsonObject(stack) ? stack['frames'] : stack;
  const location = { parent: { parent, key }, key: 'frames' };
  const list = listOf(frames);
  if (list === undefined) {
    if (frames !== undefined && frames !== null) report(reading, 'invalid_data', location.parent, location.key, frames);
    return none;
  }
  if (list.length > limits.frames) report(reading, 'too_many', location.parent, location.key, list.length);
  const read: Frame[] = [];
  for (let index = Math.max(list.length - limits.readFrames, 0); index < list.length; index += 1) {
    const frame = list[index];
    if (isJsonObject(frame)) read.push(readFrame(reading, frame, { parent: location, key: index }));
    else if (frame !== null) report(reading, 'invalid_data', location, index, frame);
  }
  return read;
}

/** A single frame may be sent without a list. */
function listOf(frames: unknown): readonly unknown[] | undefined {
  if (Array.isArray(frames)) {
    const list: readonly unknown[] = frames;
    return list;
  }
  return isJsonObject(frames) && Object.keys(frames).length > 0 ? [frames] : undefined;
}

/**
 * Returns the frames of an event itself: of its `stacktrace` or, in an event without one, the line of a `template`, which Django
 * names when it cannot render one.
 */
export function readEventFrames(reading: Reading, { stacktrace, template }: JsonObject): readonly Frame[] {
  const frames = readFrames(reading, stacktrace, undefined, 'stacktrace');
  if (frames.length > 0 || !isJsonObject(template)) return frames;
  const frame = readFrame(reading, template, { parent: undefined, key: 'template' });
  return frame.filename === undefined && frame.absPath === undefined ? none : [frame];
}

function readFrame(reading: Reading, frame: JsonObject, location: Location): Frame {
  const filename = readName(reading, frame['filename'], limits.frameText, nameScrubber, location, 'filename');
  const absPath = readName(reading, frame['abs_path'], limits.frameText, nameScrubber, location, 'abs_path');
  const module = readName(reading, frame['module'], limits.frameText, nameScrubber, location, 'module');
  const column = readNumber(reading, frame['colno'], location, 'colno');
  const source = withoutSecrets(reading, location, {
    line: readContextLine(reading, frame['context_line'], column, location),
    before: reading.isOutline ? none : readLines(reading, frame['pre_context'], location, 'pre_context'),
    behind: reading.isOutline ? none : readLines(reading, frame['post_context'], location, 'post_context'),
  });
  return {
    filename,
    absPath,
    module,
    function: readName(reading, frame['function'] ?? frame['raw_function'], limits.frameText, nameScrubber, location, 'function'),
    package: readName(reading, frame['package'], limits.frameText, nameScrubber, location, 'package'),
    instructionAddress: readName(reading, frame['instruction_addr'], limits.text, nameScrubber, location, 'instruction_addr'),
    symbolAddress: readName(reading, frame['symbol_addr'], limits.text, nameScrubber, location, 'symbol_addr'),
    line: readNumber(reading, frame['lineno'], location, 'lineno'),
    column,
    contextLine: source.line,
    preContext: source.before,
    postContext: source.behind,
    inApp: readFlag(reading, frame['in_app'], location, 'in_app') ?? guessInApp({ filename, absPath, module }),
    vars: reading.isOutline ? undefined : readMap(reading, frame['vars'], limits.vars, location, 'vars'),
  };
}

/** Returns a line or column number, from 1. Native methods send 0 or negative numbers for an unknown position. */
function readNumber(reading: Reading, value: unknown, location: Location, key: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number > 0 ? number : undefined;
  report(reading, 'invalid_data', location, key, value);
  return undefined;
}

/** Returns the context line. Of a long line, such as in a minified file, the part around the column is kept. */
function readContextLine(reading: Reading, value: unknown, column: number | undefined, location: Location): string | undefined {
  // Lines of source have their own scrubbing rules.
  const plain = { ...reading, scrub: false };
  if (typeof value !== 'string' || value.length <= limits.contextLine) {
    return readName(plain, value, limits.contextLine, sourceScrubber, location, 'context_line');
  }
  if (column === undefined) {
    report(reading, 'value_too_long', location, 'context_line');
    return clean(cut(withoutSplitSecrets(reading, value, 0, location, 'context_line'), limits.contextLine));
  }
  report(reading, 'value_too_long', location, 'context_line', value);
  const begin = Math.min(Math.max(column - 1 - limits.contextLine / 2, 0), value.length - limits.contextLine + 2);
  const window = cut(
    withoutSplitSecrets(reading, value, begin, location, 'context_line'),
    limits.contextLine - (begin > 0 ? 1 : 0),
  );
  return clean(begin > 0 ? `…${window}` : window);
}

/** Number of characters around a cut that are scrubbed as well, so that a partially cut secret is recognised. */
const SCRUBBED_AROUND_CUT = 4096;

/** Returns a line, from `begin` on, without secrets that the cut would split. */
function withoutSplitSecrets(reading: Reading, line: string, begin: number, location: Location, key: string): string {
  if (!reading.scrub) return line.slice(begin);
  const from = Math.max(begin - SCRUBBED_AROUND_CUT, 0);
  const sent = line.slice(from, begin + limits.contextLine + SCRUBBED_AROUND_CUT);
  const stored = sourceScrubber.scrub(sent);
  if (stored === sent) return line.slice(begin);
  report(reading, 'scrubbed', location, key);
  return stored.slice(Math.max(begin - from - Math.max(sent.length - stored.length, 0), 0));
}

function readLines(reading: Reading, value: unknown, location: Location, key: 'pre_context' | 'post_context'): readonly string[] {
  if (value === undefined || value === null) return none;
  if (!Array.isArray(value)) {
    report(reading, 'invalid_data', location, key, value);
    return none;
  }
  let sent: readonly unknown[] = value;
  if (sent.length > limits.contextLines) {
    report(reading, 'too_many', location, key, sent.length);
    sent = key === 'pre_context' ? sent.slice(-limits.contextLines) : sent.slice(0, limits.contextLines);
  }
  // A value that is not a line becomes an empty line, so that the others keep their distance from the frame's line.
  return sent.map((line) =>
    typeof line === 'string'
      ? line.length <= limits.contextLine && (reading.isClean || isClean(line))
        ? line
        : cut(clean(withoutSplitSecrets(reading, line, 0, location, key)), limits.contextLine)
      : '',
  );
}

/** Lines of source around a frame. */
interface SourceLines {
  readonly line: string | undefined;
  readonly before: readonly string[];
  readonly behind: readonly string[];
}

function withoutSecrets(reading: Reading, location: Location, source: SourceLines): SourceLines {
  if (!reading.scrub) return source;
  const { line, before, behind } = source;
  const lines = [...before, line ?? '', ...behind];
  const stored = scrubSourceLines(lines);
  if (stored.every((text, index) => text === lines[index])) return source;
  for (const [key, from, to] of [
    ['pre_context', 0, before.length],
    ['context_line', before.length, before.length + 1],
    ['post_context', before.length + 1, lines.length],
  ] as const) {
    if (stored.slice(from, to).some((text, index) => text !== lines[from + index])) report(reading, 'scrubbed', location, key);
  }
  return {
    line: line === undefined ? undefined : stored[before.length],
    before: stored.slice(0, before.length),
    behind: stored.slice(before.length + 1),
  };
}

const libraryPath =
  /(?:^|[\\/])(?:node_modules|site-packages|dist-packages|gems|vendor|rustc|GOROOT)[\\/]|[\\/](?:\.cargo[\\/]registry|go[\\/]pkg[\\/]mod)[\\/]|^node:|^internal[\\/]|^<frozen/;
const libraryModule =
  /^(?:java|javax|jdk|sun|kotlin|kotlinx|scala|org\.springframework|org\.apache|io\.netty|com\.sun|jakarta|org\.junit)\./;

/**
 * Returns true if a frame without `in_app` belongs to the application and not to a library (docs/interface.md#event-payloads).
 */
export function guessInApp({ filename, absPath, module }: Pick<Frame, 'filename' | 'absPath' | 'module'>): boolean {
  if (module !== undefined && libraryModule.test(module)) return false;
  if (filename !== undefined && libraryPath.test(filename)) return false;
  return absPath === undefined || !libraryPath.test(absPath);
}
