import { hash } from 'node:crypto';
import type { Frame, TrackedEvent } from '../event/trackedEvent.ts';
import { cleanFrame, sourceLineOf } from './frameNames.ts';
import { parameterise } from './parameteriseMessage.ts';
import { mainException, type StackSource, stacksOf } from '../event/mainStack.ts';
import { isSdkFrame } from '../event/sdkFrames.ts';
import { guessInApp } from '../event/stackFrames.ts';

/**
 * Version of the algorithm (docs/interface.md#grouping). A change of the result for any event requires a new version, and the
 * former rules stay here, so that new events find the errors that were grouped by them. Version 2 added the line of source of the
 * innermost application frame, and left out stacks that the SDK made.
 */
export const groupingVersion = 2;
const formerVersions: readonly number[] = [1];

/** Maximum number of application frames used, from the innermost. */
const MAX_APP_FRAMES = 8;
/** Maximum number of frames used if none is an application frame. */
const MAX_LIBRARY_FRAMES = 5;
/** Maximum number of frames of the whole stack. The normaliser keeps no more. */
const MAX_FRAMES = 50;
const MAX_TEMPLATE_LENGTH = 8_192;

export interface GroupingHashes {
  readonly version: number;
  /** SHA-256 of the application frames, 32 bytes. An event belongs to the group with this hash, … */
  readonly app: Buffer;
  /**
   * … or else to the group with this hash of all frames, because the same stack may be sent with other `in_app` flags. Computed
   * on demand, which is rare.
   */
  readonly whole: () => Buffer;
}

export interface Grouping extends GroupingHashes {
  /** Hashes by the former versions of the algorithm, the latest first: an event of an existing error stays in it. */
  readonly former: () => readonly GroupingHashes[];
}

/** Returns the hashes that decide which group of a project an event belongs to. */
export function groupingOf(event: TrackedEvent, projectId: number): Grouping {
  return {
    ...hashesBy(groupingVersion, event, projectId),
    former: () => formerVersions.map((version) => hashesBy(version, event, projectId)),
  };
}

/** Returns the hashes by one version of the algorithm. */
export function hashesBy(version: number, event: TrackedEvent, projectId: number): GroupingHashes {
  return {
    version,
    app: hashOf(projectId, version, partsOf(stepsOf(event, version), appFrames)),
    // The steps are repeated, so that they are not kept in memory until the event is written.
    whole: () => hashOf(projectId, version, partsOf(stepsOf(event, version), wholeFrames)),
  };
}

function hashOf(projectId: number, version: number, parts: string): Buffer {
  // A hexadecimal digest takes less time than a buffer, which would need separate memory.
  return Buffer.from(hash('sha256', `${projectId}:${version}:${parts}`, 'hex'), 'hex');
}

export interface FingerprintToken {
  readonly text: string;
  /** True for `{{ default }}`, which stands for the default grouping. */
  readonly isDefault: boolean;
}

interface Steps {
  /** Empty if no fingerprint or only the default token was sent. */
  readonly fingerprint: readonly FingerprintToken[];
  /** Undefined if a fingerprint replaces it. */
  readonly content: Content | undefined;
}

interface Content {
  readonly platform: string;
  readonly by: 'exception' | 'message' | 'stack' | 'nothing';
  /** Types of the whole exception chain. Synthetic types are empty. */
  readonly types: readonly string[];
  readonly stack: UsedStack | undefined;
  readonly text: UsedText | undefined;
  readonly logger: string | undefined;
}

interface UsedStack {
  readonly source: StackSource;
  readonly frames: readonly Frame[];
  readonly app: readonly UsedFrame[];
  /** True if no application frame is usable, so that `app` has library frames. */
  readonly isOfLibraries: boolean;
  /** True if lines of source are compared, too. */
  readonly usesLines: boolean;
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
interface HashedFrame {
  readonly key: string;
  /** Empty if it is not compared. */
  readonly line: string;
}

export interface UsedText {
  /**
   * `template`: message with placeholders. `message`: message with variable parts replaced. `value`: value of an exception
   * without a stack.
   */
  readonly kind: 'template' | 'message' | 'value';
  readonly text: string;
}

function stepsOf(event: TrackedEvent, version: number): Steps {
  const fingerprint = fingerprintOf(event.fingerprint);
  const replaced = fingerprint.length > 0 && !fingerprint.some(({ isDefault }) => isDefault);
  return { fingerprint, content: replaced ? undefined : contentOf(event, version) };
}

function fingerprintOf(sent: readonly string[]): FingerprintToken[] {
  if (sent.length === 0) return [];
  const tokens = sent.map(tokenOf).filter(({ text }) => text !== '');
  return tokens.every(({ isDefault }) => isDefault) ? [] : tokens;
}

function tokenOf(sent: string): FingerprintToken {
  const text = sent.trim();
  const isDefault = text.startsWith('{{') && text.endsWith('}}') && text.slice(2, -2).trim() === 'default';
  return { text, isDefault };
}

function contentOf(event: TrackedEvent, version: number): Content {
  const { platform, message, logger } = event;
  const main = mainException(event);
  if (main === undefined && message !== undefined) {
    const text = textOfMessage(message);
    // The stack of a message shows where it was captured, which is unrelated to its content, so it is not used.
    if (text !== undefined) return { platform, by: 'message', types: [], stack: undefined, text, logger };
  }
  const types = event.exceptions.map(({ type, mechanism }) => (mechanism?.synthetic === true ? '' : (type ?? '').trim()));
  const first = usedStack(event, version >= 2);
  const isBySdk = version >= 2 && first !== undefined && main?.value !== undefined && isMadeBySdk(first);
  const comparedValue = (first === undefined || isBySdk) && main?.value !== undefined ? parameterise(main.value) : '';
  // The text of the error says more than where the SDK noticed it.
  const stack = isBySdk && comparedValue !== '' ? undefined : first;
  const value = stack === undefined ? comparedValue : '';
  const text: UsedText | undefined = value === '' ? undefined : { kind: 'value', text: value };
  const by = main !== undefined ? 'exception' : stack !== undefined ? 'stack' : 'nothing';
  return { platform, by, types, stack, text, logger: undefined };
}

function textOfMessage(message: NonNullable<TrackedEvent['message']>): UsedText | undefined {
  const text = message.isParameterised ? message.template.slice(0, MAX_TEMPLATE_LENGTH).trim() : parameterise(message.text);
  return text === '' ? undefined : { kind: message.isParameterised ? 'template' : 'message', text };
}

function usedStack(event: TrackedEvent, usesLines: boolean): UsedStack | undefined {
  for (const { source, frames } of stacksOf(event)) {
    const own = innermost(frames, ({ inApp }) => inApp, MAX_APP_FRAMES);
    const isOfLibraries = own.length === 0;
    const app = isOfLibraries ? innermost(frames, () => true, Number.POSITIVE_INFINITY, MAX_LIBRARY_FRAMES) : own;
    if (app.length > 0) return { source, frames, app, isOfLibraries, usesLines };
  }
  return undefined;
}

/**
 * Returns true if a stack was taken where the SDK noticed the error, because a value was thrown that has none, such as a text in
 * JavaScript: it has no application frame and ends in the SDK.
 */
function isMadeBySdk({ frames, app, isOfLibraries }: UsedStack): boolean {
  const last = app.at(-1);
  const frame = last === undefined ? undefined : frames[last.innermost];
  return isOfLibraries && frame !== undefined && isSdkFrame(frame);
}

/**
 * Returns up to `most` usable frames that match `is`, in the order in which they were sent. Recursion counts once, by its
 * outermost frame. Frames are cleaned only as needed, and no more than `mostSeen` of them.
 */
function innermost(
  frames: readonly Frame[],
  is: (frame: Frame) => boolean,
  most: number,
  mostSeen = Number.POSITIVE_INFINITY,
): UsedFrame[] {
  const used: UsedFrame[] = [];
  let seen = 0;
  for (let at = frames.length - 1; at >= 0 && seen < mostSeen; at -= 1) {
    const frame = frames[at];
    if (frame === undefined || !is(frame)) continue;
    const { key, isLine: hasLine } = cleanFrame(frame);
    if (key === '') continue;
    seen += 1;
    const inner = used.at(-1)?.key === key ? used.pop() : undefined;
    if (used.length === most) break;
    used.push({ at, innermost: inner?.innermost ?? at, key, hasLine });
  }
  return used.reverse();
}

/** Only the line of the innermost frame counts, where the error was thrown or the library called that threw it. */
function appFrames(stack: UsedStack): readonly HashedFrame[] {
  const last = stack.app.length - 1;
  return stack.app.map((frame, index) => ({ key: frame.key, line: index === last ? appLineOf(stack) : '' }));
}

/**
 * Returns the line of source of the innermost application frame. Empty if it is not compared. Some SDKs mark no frame: for Ruby, if
 * the program was started by a relative path.
 */
function appLineOf({ frames, app, isOfLibraries, usesLines }: UsedStack): string {
  const last = app.at(-1);
  const frame = last && frames[last.innermost];
  if (!usesLines || last === undefined || frame === undefined || (isOfLibraries && !guessInApp(frame))) return '';
  return lineOf(frames, last);
}

function lineOf(frames: readonly Frame[], { innermost: at, hasLine }: UsedFrame): string {
  const frame = frames[at];
  return hasLine || frame === undefined ? '' : sourceLineOf(frame);
}

/** All lines count, because the innermost application frame may be another one if the same stack is sent with other flags. */
function wholeFrames({ frames, usesLines }: UsedStack): readonly HashedFrame[] {
  return innermost(frames, () => true, MAX_FRAMES).map((frame) => ({
    key: frame.key,
    line: usesLines ? lineOf(frames, frame) : '',
  }));
}

/** Returns all data to hash as one text. Parts have a length prefix, so that different lists of parts give different texts. */
function partsOf({ fingerprint, content }: Steps, framesOf: (stack: UsedStack) => readonly HashedFrame[]): string {
  const parts = content === undefined ? '' : partsOfContent(content, content.stack === undefined ? [] : framesOf(content.stack));
  if (fingerprint.length === 0) return parts;
  return `fingerprint${fingerprint.map(({ text, isDefault }) => (isDefault ? part('default', parts) : part('token', text))).join('')}`;
}

function partsOfContent({ platform, by, types, text, logger }: Content, frames: readonly HashedFrame[]): string {
  let parts = part('platform', platform) + part('by', by);
  for (const type of types) parts += part('type', type);
  for (const { key, line } of frames) parts += part('frame', key) + (line === '' ? '' : part('line', line));
  if (text !== undefined) parts += part('text', text.text);
  if (logger !== undefined) parts += part('logger', logger);
  return parts;
}

function part(kind: string, text: string): string {
  return `;${kind}${text.length}:${text}`;
}

/** Explains why an event is in its group, by the same steps as {@link groupingOf}. */
export interface GroupingExplanation {
  readonly version: number;
  /** `fingerprint` if the fingerprint has no default token and replaces everything else. */
  readonly by: 'fingerprint' | Content['by'];
  readonly fingerprint: readonly FingerprintToken[];
  readonly platform: string | undefined;
  /** Types of the whole exception chain, causes first. */
  readonly exceptionTypes: readonly string[];
  readonly stack: { readonly source: StackSource; readonly frames: readonly ExplainedFrame[] } | undefined;
  readonly text: UsedText | undefined;
  readonly logger: string | undefined;
  readonly leftOut: readonly LeftOut[];
}

export interface ExplainedFrame {
  /** Frame as sent. The list is in the order in which it was sent. */
  readonly frame: Frame;
  /** Location that is compared. */
  readonly location: string;
  readonly name: string;
  /** True if `name` is the line of source, because the function has no name. */
  readonly isLine: boolean;
  /** Line of source that is compared in addition, without whitespace. Empty if none is. */
  readonly line: string;
  readonly use: 'used' | 'library' | 'repeated' | 'beyond_limit' | 'native' | 'says_nothing';
}

export type LeftOut = keyof typeof whyLeftOut;

/** Sentences for {@link LeftOut}. */
export const whyLeftOut = {
  everything_else: 'The fingerprint replaces all other data.',
  synthetic_type: 'Synthetic exception types are not used, because the SDK made them up.',
  value: 'The exception value is not used, because there is a stack trace.',
  message: 'The message is not used, because there is an exception.',
  stack_of_message: 'The stack trace of a message is not used.',
  stack_of_sdk: 'The stack trace is not used, because it only shows where the SDK noticed the error.',
  stack: 'The stack trace is not used, because none of its frames has a file, module or function.',
};

/** `version` is the one by which the event was grouped. */
export function explainGrouping(event: TrackedEvent, version = groupingVersion): GroupingExplanation {
  const { fingerprint, content } = stepsOf(event, version);
  return {
    version,
    by: content?.by ?? 'fingerprint',
    fingerprint,
    platform: content?.platform,
    exceptionTypes: content?.types.filter((type) => type !== '') ?? [],
    stack: content?.stack && { source: content.stack.source, frames: explainedFrames(content.stack) },
    text: content?.text,
    logger: content?.logger,
    leftOut: content === undefined ? ['everything_else'] : leftOutOf(event, content),
  };
}

function explainedFrames(stack: UsedStack): ExplainedFrame[] {
  const { frames, app, isOfLibraries: isOfLibrariesOnly } = stack;
  const used = new Set(app.map(({ at }) => at));
  const last = app.at(-1)?.at;
  let before = '';
  return frames.map((frame, index) => {
    const { location, name, isLine, isNative, key, inApp } = cleanFrame(frame);
    const reported = { frame, location, name, isLine, line: index === last ? appLineOf(stack) : '' };
    if (key === '') return { ...reported, use: isNative ? 'native' : 'says_nothing' };
    if (!inApp && !isOfLibrariesOnly) return { ...reported, use: 'library' };
    const repeated = key === before;
    before = key;
    return { ...reported, use: used.has(index) ? 'used' : repeated ? 'repeated' : 'beyond_limit' };
  });
}

function leftOutOf(event: TrackedEvent, { by, stack }: Content): LeftOut[] {
  const hasFrames = !stacksOf(event).next().done;
  const left: LeftOut[] = [];
  const addIf = (what: LeftOut, is: boolean): void => {
    if (is) left.push(what);
  };
  addIf(
    'synthetic_type',
    event.exceptions.some(({ mechanism }) => mechanism?.synthetic === true),
  );
  addIf('value', by === 'exception' && stack !== undefined && mainException(event)?.value !== undefined);
  addIf('message', by === 'exception' && event.message !== undefined);
  addIf('stack_of_message', by === 'message' && hasFrames);
  const isBySdk = by === 'exception' && stack === undefined && usedStack(event, false) !== undefined;
  addIf('stack_of_sdk', isBySdk);
  addIf('stack', by !== 'message' && stack === undefined && hasFrames && !isBySdk);
  return left;
}
