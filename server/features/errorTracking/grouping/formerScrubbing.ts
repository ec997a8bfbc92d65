import type { SecretRules } from '../event/assignedValues.ts';
import { withoutAssignedInSource } from '../event/assignedValues.ts';
import { FILTERED } from '../event/filtered.ts';
import { scrubTextBy } from '../event/scrubText.ts';
import { withoutSecretForms } from '../event/secretForms.ts';
import type { Frame, TrackedEvent } from '../event/trackedEvent.ts';

/**
 * The scrubbing of events that were grouped by versions 1 and 2 of the rules. Its names of secrets never change. It scrubbed all texts by
 * the same rules, also names of functions and files, and no numbers of cards.
 */

const parts =
  'password|passwd|passphrase|passwort|secret|credential|authorization|authentication|api_?key|private_?key|access_?key|signing_?key|encryption_?key|access_?token|refresh_?token|auth_?token|id_?token|session_?id|gitlab_session|sessid|set_?cookie|credit_?card|card_?number';
const words = 'auth|token|jwt|bearer|cookie|cookies|csrf|xsrf|pwd|pass|ssn|cvv|cvc|otp|pin|passcode';
const secretName = new RegExp(`${parts}|(?:^|_)(?:${words})(?:_|$)`);
const NAME_LENGTH = 200;

const formerRules: SecretRules = {
  isSecretName: (name) =>
    secretName.test(
      name
        .slice(0, NAME_LENGTH)
        .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
        .replaceAll(/[^A-Za-z0-9]+/g, '_')
        .toLowerCase(),
    ),
  isHarmlessAt: () => false,
};

/** Returns an event with what was compared of it as it was scrubbed formerly, or undefined if that is the same. */
export function formerlyScrubbed(event: TrackedEvent): TrackedEvent | undefined {
  let isSame = true;
  const scrubbedBy =
    (scrub: (text: string) => string) =>
    <T extends string | undefined>(text: T): T | string => {
      const scrubbed = text === undefined ? text : scrub(text);
      if (scrubbed !== text) isSame = false;
      return scrubbed;
    };
  const textOf = scrubbedBy((text) => scrubTextBy(formerRules, text));
  const lineOf = scrubbedBy((line) => withoutAssignedInSource(withoutSecretForms(line, FILTERED), formerRules));
  const frameOf = (frame: Frame): Frame =>
    // Frames that a source map changed were scrubbed before.
    frame.mapping !== undefined && 'from' in frame.mapping
      ? frame
      : {
          ...frame,
          filename: textOf(frame.filename),
          absPath: textOf(frame.absPath),
          module: textOf(frame.module),
          function: textOf(frame.function),
          package: textOf(frame.package),
          contextLine: lineOf(frame.contextLine),
        };
  const { message } = event;
  const former: TrackedEvent = {
    ...event,
    exceptions: event.exceptions.map((exception) => ({
      ...exception,
      type: textOf(exception.type),
      value: textOf(exception.value),
      frames: exception.frames.map(frameOf),
    })),
    threads: event.threads.map((thread) => ({ ...thread, frames: thread.frames.map(frameOf) })),
    frames: event.frames.map(frameOf),
    message: message && { ...message, template: textOf(message.template), text: textOf(message.text) },
    fingerprint: event.fingerprint.map((token) => textOf(token)),
    logger: textOf(event.logger),
  };
  return isSame ? undefined : former;
}

/** Numbers of cards in the forms that texts have them. They were compared by the kinds of their numbers: `card <int>`. */
const cards = ['4111111111111111', '4111 1111 1111 1111', '4111-1111-1111-1111', '3782 822463 10005', '3782-822463-10005'];

/**
 * Returns the events that may have been sent if the placeholders in the texts of one stand for numbers of cards, which were not scrubbed
 * formerly.
 */
export function withCardNumbers(event: TrackedEvent): readonly TrackedEvent[] {
  const { message } = event;
  const value = event.exceptions.at(-1)?.value;
  if (![value, message?.text, message?.template].some((text) => text?.includes(FILTERED) === true)) return [];
  return cards.map((card) => {
    const filled = (text: string): string => text.replaceAll(FILTERED, card);
    return {
      ...event,
      exceptions: event.exceptions.map((one) => (one.value === undefined ? one : { ...one, value: filled(one.value) })),
      message: message && { ...message, template: filled(message.template), text: filled(message.text) },
    };
  });
}
