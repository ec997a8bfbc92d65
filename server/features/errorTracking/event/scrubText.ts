import { mayAssign, type SecretRules, withoutAssigned, withoutAssignedInSource } from './assignedValues.ts';
import { mayHoldCardNumber, withoutCardNumbers } from './cardNumbers.ts';
import { FILTERED } from './filtered.ts';
import { mayHoldSecretForm, withoutKeyLines, withoutSecretForms } from './secretForms.ts';
import { isHarmlessAt, isSecretName, mayNameSecret } from './secretNames.ts';

/** Rules that remove secrets from one kind of text. */
export interface Scrubber {
  /** Returns a text without secrets, or the same text if there are none. Takes linear time. */
  readonly scrub: (text: string) => string;
  /** Returns true if `scrub` may change a text, also after it is cleaned or truncated. */
  readonly mayChange: (text: string) => boolean;
}

const rules: SecretRules = { isSecretName, isHarmlessAt };

/** Texts that people and programs write, without numbers of cards. */
export const contentScrubber: Scrubber = {
  scrub: (text) => withoutCardNumbers(scrubText(text), FILTERED),
  mayChange: (text) => mayBeScrubbed(text) || mayHoldCardNumber(text),
};

/** Texts that may be IDs, such as those of users, tags and headers, so that numbers of cards are kept. */
export const textScrubber: Scrubber = { scrub: scrubText, mayChange: mayBeScrubbed };

/** The address of a request. Its path may have IDs. */
export const addressScrubber: Scrubber = {
  scrub: (text) => {
    const scrubbed = scrubText(text);
    const query = scrubbed.search(/[?#]/);
    return query < 0 ? scrubbed : scrubbed.slice(0, query) + withoutCardNumbers(scrubbed.slice(query), FILTERED);
  },
  mayChange: contentScrubber.mayChange,
};

/** Names of functions, modules, files and the like. A sign in them assigns nothing: `load(PublicKeyToken=b77a)`. */
export const nameScrubber: Scrubber = {
  scrub: scrubName,
  mayChange: (text) => text.includes('\0') || (mayBeScrubbed(text) && (text.length > MAX_EXACT || scrubName(text) !== text)),
};
/** Maximum length of names that are never cut before they are scrubbed. */
const MAX_EXACT = 8192;

/** Lines of source. */
export const sourceScrubber: Scrubber = {
  scrub: scrubSource,
  mayChange: (line) => mayHoldSecretForm(line) || (mayNameSecret(line) && scrubSource(line) !== line),
};

/**
 * Returns a line of source without secrets: those recognised by their form, quoted texts assigned to the name of a secret, and
 * lines of a settings file such as `API_KEY=abc`. Expressions such as `token=token` are kept.
 */
export function scrubSource(line: string): string {
  const scrubbed = withoutSecretForms(line, FILTERED);
  if (!mayNameSecret(line)) return scrubbed;
  const assigned = withoutAssignedInSource(scrubbed, rules);
  if (line.length <= LITERAL) return assigned;
  return assigned.replace(longLiteral, (whole, name: string, sign: string) =>
    isSecretName(name) ? `${name}${sign}${FILTERED}` : whole,
  );
}

/** Maximum length of a quoted text of which the end is searched. */
const LITERAL = 1000;
const longLiteral = /(?<![\w.-])([\w.-]{1,100})(["']?\s{0,4}(?:=>?|:)\s{0,4}["'`])[^"'`\n]{1001,}/g;

/** Returns lines of source without secrets, including private keys that span several lines. */
export function scrubSourceLines(lines: readonly string[]): readonly string[] {
  return withoutKeyLines(lines, FILTERED).map(scrubSource);
}

/**
 * Returns a text without secrets: those recognised by their form, and values with the name of a secret in query parameters,
 * forms, assignments, headers, JSON strings and the password of a URL.
 */
export function scrubText(text: string): string {
  return scrubTextBy(rules, text);
}

/** Same by other rules of names. */
export function scrubTextBy(by: SecretRules, text: string): string {
  const scrubbed = withoutPasswords(withoutSecretForms(text, FILTERED));
  return mayNameSecret(text) ? withoutAssigned(scrubbed, by) : scrubbed;
}

/** `https://user:password@host` */
const userInfo = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@?#]{0,200}:)[^\s/@?#]{1,200}@/gi;

function withoutPasswords(text: string): string {
  return mayHoldPassword(text) ? text.replace(userInfo, `$1${FILTERED}@`) : text;
}

function mayHoldPassword(text: string): boolean {
  return text.includes('://') && text.includes('@');
}

/** Returns true if a text may hold a secret of any kind, also if it consists of several texts with other signs between them. */
export function mayTextHoldSecrets(text: string): boolean {
  return text.includes('@') || mayNameSecret(text) || mayHoldSecretForm(text) || mayHoldCardNumber(text);
}

function mayBeScrubbed(text: string): boolean {
  if (text.includes('\0') || mayHoldSecretForm(text)) return true;
  if (mayHoldPassword(text) && text.search(userInfo) >= 0) return true;
  return mayNameSecret(text) && mayAssign(text, rules);
}

/**
 * Returns a name without secrets: those recognised by their form, the password of a URL and the parameters of its query, and random
 * letters and digits behind the name of a secret.
 */
export function scrubName(text: string): string {
  const scrubbed = withoutPasswords(withoutSecretForms(text, FILTERED));
  if (!mayNameSecret(text)) return scrubbed;
  const slash = scrubbed.indexOf('/');
  const query = slash < 0 ? -1 : scrubbed.slice(slash).search(/[?#;]/);
  const shown = query < 0 ? scrubbed : scrubbed.slice(0, slash + query) + withoutParameters(scrubbed.slice(slash + query));
  return shown.replace(random, (value, at: number) =>
    (value.match(changes)?.length ?? 0) >= MIN_CHANGES &&
    isSecretName(assignedName.exec(shown.slice(Math.max(at - BEFORE, 0), at))?.[1] ?? '')
      ? FILTERED
      : value,
  );
}

const parameter = /([?#&;])([\w.%[\]-]{1,100})=([^&;#\s"'<>)]+)/g;

function withoutParameters(query: string): string {
  return query.replace(parameter, (whole, sign: string, name: string) =>
    isSecretName(name) ? `${sign}${name}=${FILTERED}` : whole,
  );
}

const random = /[A-Za-z0-9]{16,}/g;
/** A letter next to a digit. */
const changes = /[A-Za-z](?=\d)|\d(?=[A-Za-z])/g;
const MIN_CHANGES = 4;
/** Number of characters before a value that are searched for its name. */
const BEFORE = 128;
const assignedName = /([\w.%[\]-]{1,100})\\?["'`]?[ \t]{0,4}(?:=>?|:)[ \t]{0,4}\\?["'`]?$/;
