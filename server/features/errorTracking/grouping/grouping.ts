import { hash } from 'node:crypto';
import type { Frame, TrackedEvent } from '../event/trackedEvent.ts';
import { cleanFrame } from './frameNames.ts';
import { parameterise } from './parameteriseMessage.ts';
import { mainException, type StackSource, stacksOf } from '../event/mainStack.ts';

/** Version of the algorithm (docs/interface.md#grouping). A change of the result for any event requires a new version. */
export const groupingVersion = 1;

/** Maximum number of application frames used, from the innermost. */
const MAX_APP_FRAMES = 8;
/** Maximum number of frames used if none is an application frame. */
const MAX_LIBRARY_FRAMES = 5;
/** Maximum number of frames of the whole stack. The normaliser keeps no more. */
const MAX_FRAMES = 50;
const MAX_TEMPLATE_LENGTH = 8_192;

export interface Grouping {
  readonly version: number;
  /** SHA-256 of the application frames, 32 bytes. An event belongs to the group with this hash, … */
  readonly app: Buffer;
  /**
   * … or else to the group with this hash of all frames, because the same stack may be sent with other `in_app` flags. Computed
   * on demand, which is rare.
   */
  readonly whole: () => Buffer;
}

/** Returns the hashes that decide which group of a project an event belongs to. */
export function groupingOf(event: TrackedEvent, projectId: number): Grouping {
  return {
    version: groupingVersion,
    app: hashOf(projectId, partsOf(stepsOf(event), appFrames)),
    // The steps are repeated, so that they are not kept in memory until the event is written.
    whole: () => hashOf(projectId, partsOf(stepsOf(event), wholeFrames)),
  };
}

function hashOf(projectId: number, parts: string): Buffer {
  // A hexadecimal digest takes less time than a buffer, which would need separate memory.
  return Buffer.from(hash('sha256', `${projectId}:${groupingVersion}:${parts}`, 'hex'), 'hex');
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
}

interface UsedFrame {
  /** Index in the list of frames as sent. */
  readonly at: number;
  readonly key: string;
}

export interface UsedText {
  /**
   * `template`: message with placeholders. `message`: message with variable parts replaced. `value`: value of an exception
   * without a stack.
   */
  readonly kind: 'template' | 'message' | 'value';
  readonly text: string;
}

function stepsOf(event: TrackedEvent): Steps {
  const fingerprint = fingerprintOf(event.fingerprint);
  const replaced = fingerprint.length > 0 && !fingerprint.some(({ isDefault }) => isDefault);
  return { fingerprint, content: replaced ? undefined : contentOf(event) };
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

function contentOf(event: TrackedEvent): Content {
  const { platform, message, logger } = event;
  const main = mainException(event);
  if (main === undefined && message !== undefined) {
    const text = textOfMessage(message);
    // The stack of a message shows where it was captured, which is unrelated to its content, so it is not used.
    if (text !== undefined) return { platform, by: 'message', types: [], stack: undefined, text, logger };
  }
  const types = event.exceptions.map(({ type, mechanism }) => (mechanism?.synthetic === true ? '' : (type ?? '').trim()));
  const stack = usedStack(event);
  const value = stack === undefined && main?.value !== undefined ? parameterise(main.value) : '';
  const text: UsedText | undefined = value === '' ? undefined : { kind: 'value', text: value };
  const by = main !== undefined ? 'exception' : stack !== undefined ? 'stack' : 'nothing';
  return { platform, by, types, stack, text, logger: undefined };
}

function textOfMessage(message: NonNullable<TrackedEvent['message']>): UsedText | undefined {
  const text = message.isParameterised ? message.template.slice(0, MAX_TEMPLATE_LENGTH).trim() : parameterise(message.text);
  return text === '' ? undefined : { kind: message.isParameterised ? 'template' : 'message', text };
}

function usedStack(event: TrackedEvent): UsedStack | undefined {
  for (const { source, frames } of stacksOf(event)) {
    const own = innermost(frames, ({ inApp }) => inApp, MAX_APP_FRAMES);
    const app = own.length > 0 ? own : innermost(frames, () => true, Number.POSITIVE_INFINITY, MAX_LIBRARY_FRAMES);
    if (app.length > 0) return { source, frames, app };
  }
  return undefined;
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
    const { key } = cleanFrame(frame);
    if (key === '') continue;
    seen += 1;
    if (used.at(-1)?.key === key) used.pop();
    else if (used.length === most) break;
    used.push({ at, key });
  }
  return used.reverse();
}

function appFrames({ app }: UsedStack): readonly UsedFrame[] {
  return app;
}

function wholeFrames({ frames }: UsedStack): readonly UsedFrame[] {
  return innermost(frames, () => true, MAX_FRAMES);
}

/** Returns all data to hash as one text. Parts have a length prefix, so that different lists of parts give different texts. */
function partsOf({ fingerprint, content }: Steps, framesOf: (stack: UsedStack) => readonly UsedFrame[]): string {
  const parts = content === undefined ? '' : partsOfContent(content, content.stack === undefined ? [] : framesOf(content.stack));
  if (fingerprint.length === 0) return parts;
  return `fingerprint${fingerprint.map(({ text, isDefault }) => (isDefault ? part('default', parts) : part('token', text))).join('')}`;
}

function partsOfContent({ platform, by, types, text, logger }: Content, frames: readonly UsedFrame[]): string {
  let parts = part('platform', platform) + part('by', by);
  for (const type of types) parts += part('type', type);
  for (const { key } of frames) parts += part('frame', key);
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
  stack: 'The stack trace is not used, because none of its frames has a file, module or function.',
};

export function explainGrouping(event: TrackedEvent): GroupingExplanation {
  const { fingerprint, content } = stepsOf(event);
  return {
    version: groupingVersion,
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

function explainedFrames({ frames, app }: UsedStack): ExplainedFrame[] {
  const used = new Set(app.map(({ at }) => at));
  const isOfLibrariesOnly = app.every(({ at }) => frames[at]?.inApp !== true);
  let before = '';
  return frames.map((frame, index) => {
    const { location, name, isLine, isNative, key, inApp } = cleanFrame(frame);
    const reported = { frame, location, name, isLine };
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
  addIf('stack', by !== 'message' && stack === undefined && hasFrames);
  return left;
}
