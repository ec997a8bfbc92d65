import { hash } from 'node:crypto';
import type { Frame, TrackedEvent } from '../event/event.ts';
import { cleanFrame } from '../event/frameNames.ts';
import { parameterise } from './parameterise.ts';
import { mainException, type StackSource, stacksOf } from '../event/stacks.ts';

/** The version of the algorithm (docs/interface.md#grouping). A change of the result for any event needs a new version. */
export const groupingVersion = 1;

/** Frames of the program itself that count, from the innermost. */
const MAX_APP_FRAMES = 8;
/** Frames that count when none is of the program itself. */
const MAX_LIBRARY_FRAMES = 5;
/** Of the whole stack; the normaliser keeps no more. */
const MAX_FRAMES = 50;
const MAX_TEMPLATE_LENGTH = 8_192;

export interface Grouping {
  readonly version: number;
  /** SHA-256, 32 bytes: by the frames of the program itself. An event belongs to the group that knows this one, … */
  readonly app: Buffer;
  /**
   * … else to the one that knows this one, by all frames: the same stack may come with other marks of what is the program's own. Made
   * when it is asked for, which it seldom is.
   */
  readonly whole: () => Buffer;
}

/** The hashes that decide which group of a project an event belongs to. */
export function groupingOf(event: TrackedEvent, projectId: number): Grouping {
  return {
    version: groupingVersion,
    app: hashOf(projectId, partsOf(stepsOf(event), appFrames)),
    // The steps are made again, so that nothing of them is held on to until the event is written.
    whole: () => hashOf(projectId, partsOf(stepsOf(event), wholeFrames)),
  };
}

function hashOf(projectId: number, parts: string): Buffer {
  // Digits are had in less time than a buffer, which would have memory of its own.
  return Buffer.from(hash('sha256', `${projectId}:${groupingVersion}:${parts}`, 'hex'), 'hex');
}

export interface FingerprintToken {
  readonly text: string;
  /** `{{ default }}`: stands for everything else. */
  readonly isDefault: boolean;
}

interface Steps {
  /** Empty: none was sent, or only the default. */
  readonly fingerprint: readonly FingerprintToken[];
  /** Absent when a fingerprint replaces it. */
  readonly content: Content | undefined;
}

interface Content {
  readonly platform: string;
  readonly by: 'exception' | 'message' | 'stack' | 'nothing';
  /** Types of the whole chain; those that an SDK made up are empty. */
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
  /** Its place among those that were sent. */
  readonly at: number;
  readonly key: string;
}

export interface UsedText {
  /** Of a message with its placeholders, or with what varies replaced; of an exception without a stack. */
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
    // Where a message was captured says nothing of what it says, so that its stack is not looked at.
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
 * At most so many frames of a kind that say something, in the order in which they were sent; a function that calls itself counts once,
 * however deep it went, by the frame that it was called in first. Looks at no more frames than it must, and not at all behind `mostSeen`.
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

/** Everything that is hashed, as one text: each part with its length, so that no two lists of parts make the same. */
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

/** Why an event is in its group, for people: the same steps as {@link groupingOf}, told. */
export interface GroupingExplanation {
  readonly version: number;
  /** `fingerprint`: of a fingerprint without the default token, which nothing else counts beside. */
  readonly by: 'fingerprint' | Content['by'];
  readonly fingerprint: readonly FingerprintToken[];
  readonly platform: string | undefined;
  /** Of the whole chain, causes first. */
  readonly exceptionTypes: readonly string[];
  readonly stack: { readonly source: StackSource; readonly frames: readonly ExplainedFrame[] } | undefined;
  readonly text: UsedText | undefined;
  readonly logger: string | undefined;
  readonly leftOut: readonly LeftOut[];
}

export interface ExplainedFrame {
  /** As sent; in the order in which it was sent. */
  readonly frame: Frame;
  /** What of it is compared. */
  readonly location: string;
  readonly name: string;
  /** `name` is the line of source, because the function has no name. */
  readonly isLine: boolean;
  readonly use: 'used' | 'library' | 'repeated' | 'beyond_limit' | 'native' | 'says_nothing';
}

export type LeftOut = keyof typeof whyLeftOut;

/** The sentences for {@link LeftOut}. */
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
  const note = (what: LeftOut, is: boolean): void => {
    if (is) left.push(what);
  };
  note(
    'synthetic_type',
    event.exceptions.some(({ mechanism }) => mechanism?.synthetic === true),
  );
  note('value', by === 'exception' && stack !== undefined && mainException(event)?.value !== undefined);
  note('message', by === 'exception' && event.message !== undefined);
  note('stack_of_message', by === 'message' && hasFrames);
  note('stack', by !== 'message' && stack === undefined && hasFrames);
  return left;
}
