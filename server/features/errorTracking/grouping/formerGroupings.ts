import type { Frame, TrackedEvent } from '../event/trackedEvent.ts';
import { stacksOf } from '../event/mainStack.ts';
import { type FrameRules, usedStack } from './comparedStack.ts';
import { formerFrame } from './formerNames.ts';
import { formerlyScrubbed, withCardNumbers } from './formerScrubbing.ts';
import { type Content, type FingerprintToken, hasDefault, isDefault, type Steps } from './groupingParts.ts';
import { comparedTexts } from './comparedTexts.ts';

/**
 * The rules of versions 1 and 2, which never change, so that new events find the errors that were grouped by them. Version 2 added
 * the line of source of the innermost application frame, and left out stacks that the SDK made.
 */
const rulesByVersion: readonly FrameRules[] = [false, true].map((usesLines) => ({
  clean: formerFrame,
  isApp: ({ inApp }) => inApp,
  usesLines,
}));

export function formerStepsOf(sent: TrackedEvent, version: number): Steps {
  const event = readFormerly(sent);
  const fingerprint = fingerprintOf(event.fingerprint);
  const isReplaced = fingerprint.length > 0 && !fingerprint.some(hasDefault);
  return { fingerprint, content: isReplaced ? undefined : contentOf(event, version) };
}

const MAX_EXCEPTIONS = 10;
const MAX_FRAMES = 50;

/** Returns an event as the former versions read it: at most ten exceptions, and 25 frames at both ends of a stack. */
function readFormerly(event: TrackedEvent): TrackedEvent {
  const withFewFrames = <T extends { readonly frames: readonly Frame[] }>(one: T): T =>
    one.frames.length <= MAX_FRAMES
      ? one
      : { ...one, frames: [...one.frames.slice(0, MAX_FRAMES / 2), ...one.frames.slice(-MAX_FRAMES / 2)] };
  return {
    ...withFewFrames(event),
    exceptions: event.exceptions.slice(-MAX_EXCEPTIONS).map(withFewFrames),
    threads: event.threads.map(withFewFrames),
  };
}

/** An integer that a double cannot hold. */
const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Returns the events as which the former versions may have read one. They scrubbed other texts, and rounded long numbers; whether a
 * fingerprint had a number or a text is no longer known.
 */
export function formerReadings(sent: TrackedEvent, isScrubbed: boolean): readonly TrackedEvent[] {
  const former = isScrubbed ? formerlyScrubbed(sent) : undefined;
  const events = [sent, ...(former === undefined ? [] : [former]), ...(isScrubbed ? withCardNumbers(sent) : [])];
  return sent.fingerprint.some((token) => LONG_INTEGER.test(token))
    ? events.flatMap((event) => [event, withRounded(event)])
    : events;
}

function withRounded(event: TrackedEvent): TrackedEvent {
  const fingerprint = event.fingerprint.map((token) => (LONG_INTEGER.test(token) ? String(Number(token)) : token));
  return { ...event, fingerprint };
}

/** Only the default token is a variable. */
function fingerprintOf(sent: readonly string[]): FingerprintToken[] {
  const tokens = sent.map(tokenOf).filter(({ text }) => text !== '');
  return tokens.every(isDefault) ? [] : tokens;
}

function tokenOf(sent: string): FingerprintToken {
  const text = sent.trim();
  const isVariable = text.startsWith('{{') && text.endsWith('}}') && text.slice(2, -2).trim() === 'default';
  return { text, pieces: [{ kind: isVariable ? 'default' : 'token', text }] };
}

function contentOf(event: TrackedEvent, version: number): Content {
  const types = event.exceptions.map(({ type, mechanism }) => (mechanism?.synthetic === true ? '' : (type ?? '').trim()));
  const rules = rulesByVersion[version - 1];
  const stack = rules && usedStack(stacksOf(event), rules);
  return comparedTexts(event, { types, stack, leavesOutSdkStack: version >= 2 });
}
