import { atMost } from '../event/cutEvent.ts';
import { limits } from '../event/eventLimits.ts';
import type { Frame, TrackedEvent } from '../event/trackedEvent.ts';
import { mainException, type StackSource, stacksOf } from '../event/mainStack.ts';
import { fingerprintPieces } from '../event/fingerprintVariables.ts';
import { appLineOf, type UsedStack } from './comparedStack.ts';
import { membersOf, signalOf } from './exceptionMembers.ts';
import { groupingVersion, stepsOf } from './grouping.ts';
import { type Content, type FingerprintToken, type HashedPiece, isDefault, type Steps, type UsedText } from './groupingParts.ts';

/** Explains why an event is in its group, by the same steps as its hashes. */
export interface GroupingExplanation {
  readonly version: number;
  /** `fingerprint` if the fingerprint has no default token and replaces everything else. */
  readonly by: 'fingerprint' | Content['by'];
  readonly fingerprint: readonly ExplainedToken[];
  readonly platform: string | undefined;
  /** Types of the whole exception chain, causes first. */
  readonly exceptionTypes: readonly string[];
  readonly stack: { readonly source: StackSource; readonly frames: readonly ExplainedFrame[] } | undefined;
  readonly text: UsedText | undefined;
  readonly logger: string | undefined;
  /** Distinct members of an exception group, if there are several. */
  readonly members: readonly ExplainedMember[];
  readonly leftOut: readonly LeftOut[];
}

export interface ExplainedToken {
  /** Token as sent. */
  readonly text: string;
  readonly isDefault: boolean;
  /** Text of the token with the values of its variables. Undefined for a token without variables. */
  readonly value: string | undefined;
}

export interface ExplainedMember {
  readonly exceptionTypes: readonly string[];
  readonly text: UsedText | undefined;
  /** Frames that are used. */
  readonly frames: readonly ExplainedFrame[];
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
  variable: 'A variable of the fingerprint is not used, because it does not exist or has no value.',
  synthetic_type: 'Synthetic exception types are not used, because the SDK made them up.',
  exception_group: 'The exception group itself is not used, but its members, each kind once.',
  value: 'The exception value is not used, because there is a stack trace.',
  message: 'The message is not used, because there is an exception.',
  stack_of_message: 'The stack trace of a message is not used.',
  stack_of_sdk: 'The stack trace is not used, because it only shows where the SDK noticed the error.',
  stack: 'The stack trace is not used, because none of its frames has a module, function or line of code.',
};

/** `version` is the one by which the event was grouped. */
export function explainGrouping(event: TrackedEvent, version = groupingVersion): GroupingExplanation {
  const steps = stepsOf(event, version);
  const { content } = steps;
  return {
    version,
    by: content?.by ?? 'fingerprint',
    fingerprint: explainedTokens(steps),
    platform: content?.platform,
    exceptionTypes: shownTypes(content),
    stack: content?.stack && { source: content.stack.source, frames: explainedFrames(content.stack) },
    text: content?.text,
    logger: content?.logger,
    members: content?.members.map(explainedMember) ?? [],
    leftOut: leftOutOf(event, version, steps),
  };
}

function explainedTokens({ fingerprint }: Steps): ExplainedToken[] {
  return fingerprint.map((token) => {
    const hasVariables = token.pieces.some(isVariable);
    const values = token.pieces.map(({ kind, text }) => (kind === 'default' ? '{{ default }}' : text));
    return { text: token.text, isDefault: isDefault(token), value: hasVariables ? values.join('') : undefined };
  });
}

function shownTypes(content: Content | undefined): string[] {
  return content?.types.filter((type) => type !== '') ?? [];
}

function explainedMember(content: Content): ExplainedMember {
  const frames = content.stack === undefined ? [] : explainedFrames(content.stack).filter(({ use }) => use === 'used');
  return { exceptionTypes: shownTypes(content), text: content.text, frames };
}

function explainedFrames(stack: UsedStack): readonly ExplainedFrame[] {
  const { frames, app, isOfLibraries: isOfLibrariesOnly, rules } = stack;
  const used = new Set(app.map(({ at }) => at));
  const last = app.at(-1)?.at;
  let before = '';
  const explained = frames.map((frame, index): ExplainedFrame => {
    const { location, name, isLine, isNative, key } = rules.clean(frame);
    const reported = { frame, location, name, isLine, line: index === last ? appLineOf(stack) : '' };
    if (key === '') return { ...reported, use: isNative ? 'native' : 'says_nothing' };
    if (!rules.isApp(frame) && !isOfLibrariesOnly) return { ...reported, use: 'library' };
    const repeated = key === before;
    before = key;
    return { ...reported, use: used.has(index) ? 'used' : repeated ? 'repeated' : 'beyond_limit' };
  });
  return atMost(explained, limits.frames, ({ use }) => rankByUse[use]);
}

/** Which frames are left out first if there are too many. */
const rankByUse = { used: 0, beyond_limit: 1, repeated: 2, library: 3, native: 3, says_nothing: 3 } as const;

/** Returns true if a variable of the fingerprint does not exist or has no value. */
function hasUnusedVariable(event: TrackedEvent, fingerprint: readonly FingerprintToken[]): boolean {
  const sent = event.fingerprint.flatMap((token) => fingerprintPieces(token.trim()));
  const used = fingerprint.flatMap(({ pieces }) => pieces);
  return sent.filter(({ kind }) => kind !== 'text' && kind !== 'default').length > used.filter(isVariable).length;
}

function isVariable({ kind }: HashedPiece): boolean {
  return kind !== 'token' && kind !== 'default';
}

function leftOutOf(event: TrackedEvent, version: number, { content, fingerprint }: Steps): LeftOut[] {
  const left: LeftOut[] = [];
  const addIf = (what: LeftOut, is: boolean): void => {
    if (is) left.push(what);
  };
  addIf('everything_else', content === undefined);
  addIf('variable', version >= 3 && hasUnusedVariable(event, fingerprint));
  if (content === undefined) return left;
  const { by, stack, hasSdkStack } = content;
  const hasFrames = !stacksOf(event).next().done;
  const isException = by === 'exception' || by === 'exception_group';
  addIf(
    'synthetic_type',
    event.exceptions.some((one) => one.mechanism?.synthetic === true && (version < 3 || signalOf(one) === undefined)),
  );
  addIf('exception_group', version >= 3 && membersOf(event.exceptions).length > 0);
  addIf('value', isException && stack !== undefined && mainException(event)?.value !== undefined);
  addIf('message', isException && event.message !== undefined);
  addIf('stack_of_message', by === 'message' && hasFrames);
  const hasNoStack = stack === undefined && content.members.length === 0 && by !== 'message' && hasFrames;
  addIf('stack_of_sdk', hasSdkStack);
  addIf('stack', hasNoStack && !hasSdkStack);
  return left;
}
