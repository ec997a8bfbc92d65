import type { TrackedEvent } from '../event/trackedEvent.ts';
import { mainException } from '../event/mainStack.ts';
import { isSdkFrame } from '../event/sdkFrames.ts';
import type { UsedStack } from './comparedStack.ts';
import type { Content, UsedText } from './groupingParts.ts';
import { parameterise } from './parameteriseMessage.ts';

const MAX_TEMPLATE_LENGTH = 8_192;

/** Content of which nothing is compared. */
export const nothing = {
  types: [],
  stack: undefined,
  hasSdkStack: false,
  text: undefined,
  logger: undefined,
  members: [],
} as const;

interface Found {
  /** Types of the exceptions that count. */
  readonly types: readonly string[];
  /** The stack that can be compared, if there is one. */
  readonly stack: UsedStack | undefined;
  /** True if a stack does not count that only shows where the SDK noticed the error. */
  readonly leavesOutSdkStack: boolean;
}

/** Returns what is compared of an event: its message, or its exceptions with either their stack or their text. */
export function comparedTexts(event: TrackedEvent, { types, stack: found, leavesOutSdkStack }: Found): Content {
  const { platform } = event;
  const main = mainException(event);
  const message = main === undefined ? contentOfMessage(event) : undefined;
  if (message !== undefined) return message;
  const isBySdk = leavesOutSdkStack && found !== undefined && main?.value !== undefined && isMadeBySdk(found);
  const comparedValue = (found === undefined || isBySdk) && main?.value !== undefined ? parameterise(main.value) : '';
  // The text of the error says more than where the SDK noticed it.
  const hasSdkStack = isBySdk && comparedValue !== '';
  const stack = hasSdkStack ? undefined : found;
  const value = stack === undefined ? comparedValue : '';
  const text: UsedText | undefined = value === '' ? undefined : { kind: 'value', text: value };
  const by = main !== undefined ? 'exception' : stack !== undefined ? 'stack' : 'nothing';
  return { platform, by, types, stack, hasSdkStack, text, logger: undefined, members: [] };
}

/** The stack of a message shows where it was captured, which is unrelated to its content, so it is not used. */
function contentOfMessage({ platform, message, logger }: TrackedEvent): Content | undefined {
  if (message === undefined) return undefined;
  const text = message.isParameterised ? message.template.slice(0, MAX_TEMPLATE_LENGTH).trim() : parameterise(message.text);
  if (text === '') return undefined;
  const kind = message.isParameterised ? 'template' : 'message';
  return { ...nothing, platform, by: 'message', text: { kind, text }, logger };
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
