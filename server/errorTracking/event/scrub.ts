import { mayHoldSecretForm, withoutSecretForms } from './secretForms.ts';

/** Stands instead of a secret. */
export const FILTERED = '[Filtered]';

/** A name with one of these anywhere in it, written together or with `_` or `-` between its words, is that of a secret. */
const anywhere = [
  'password',
  'passwd',
  'passphrase',
  'passwort',
  'secret',
  'credential',
  'authorization',
  'authentication',
  'api_?key',
  'private_?key',
  'access_?key',
  'signing_?key',
  'encryption_?key',
  'access_?token',
  'refresh_?token',
  'auth_?token',
  'id_?token',
  'session_?id',
  'gitlab_session',
  'sessid',
  'set_?cookie',
  'credit_?card',
  'card_?number',
];
/** One of these is only as a word of its own: `token` is one in `csrf-token` and `userToken`, not in `max_tokens`. */
const asWord = [
  'auth',
  'token',
  'jwt',
  'bearer',
  'cookie',
  'cookies',
  'csrf',
  'xsrf',
  'pwd',
  'pass',
  'ssn',
  'cvv',
  'cvc',
  'otp',
  'pin',
  'passcode',
];
const secretName = new RegExp(`${anywhere.join('|')}|(?:^|_)(?:${asWord.join('|')})(?:_|$)`);

/** The names that were asked for: most programs send the same ones again and again. */
const answers = new Map<string, boolean>();
const MOST_ANSWERS = 10_000;
const NAME_LENGTH = 200;

/** Whether a header, parameter, variable or member with this name holds a secret by the two lists above. */
export function isSecretName(name: string): boolean {
  if (name.length > NAME_LENGTH) return isSecretName(name.slice(0, NAME_LENGTH));
  let answer = answers.get(name);
  if (answer === undefined) {
    const words = name
      .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replaceAll(/[^A-Za-z0-9]+/g, '_')
      .toLowerCase();
    answer = secretName.test(words);
    if (answers.size >= MOST_ANSWERS) answers.clear();
    answers.set(name, answer);
  }
  return answer;
}

/**
 * A line of source without its secrets: those known by their form, and texts in quotes that are assigned to the name of a secret. Expressions
 * such as `token=token` stay.
 */
export function scrubSource(line: string): string {
  return withoutSecretForms(line, FILTERED).replace(literal, (whole, name: string, sign: string, quote: string) =>
    isSecretName(name) ? `${name}${sign}${quote}${FILTERED}${quote}` : whole,
  );
}

const literal = /(?<![\w.-])([\w.-]{1,100})(["']?\s{0,4}(?:=>?|:)\s{0,4})(["'`])[^"'`\n]{1,1000}\3/g;

/** Whether `scrubSource` may change a line. */
export function mayHoldSecretInSource(line: string): boolean {
  return mayHoldSecretForm(line) || (/["'`]/.test(line) && scrubSource(line) !== line);
}

/**
 * A text without the secrets that are known by their form and the values that have the name of a secret in it: parameters of a query or form, strings of JSON, the password of an
 * address. The same text when there are none. Takes linear time.
 */
export function scrubText(text: string): string {
  let scrubbed = withoutSecretForms(text, FILTERED);
  if (text.includes('=')) scrubbed = withoutAssigned(scrubbed);
  if (text.includes('://') && text.includes('@')) scrubbed = scrubbed.replace(userInfo, `$1${FILTERED}@`);
  if (text.includes('":') || text.includes("':") || text.includes('" :') || text.includes("' :")) {
    scrubbed = scrubbed.replace(member, (whole, quote: string, name: string, colon: string) =>
      isSecretName(name) ? `${quote}${name}${quote}${colon}${quote}${FILTERED}${quote}` : whole,
    );
  }
  return scrubbed;
}

/**
 * Whether `scrubText` may change a text, or what is left of it when it was cleaned or cut off: true wherever the name of a secret stands
 * before what looks like its value.
 */
export function mayBeScrubbed(text: string): boolean {
  if (text.includes('\0') || mayHoldSecretForm(text)) return true;
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) {
    const begin = nameBefore(text, at, 0);
    if (begin < at && isSecretName(text.slice(begin, at))) return true;
  }
  if (text.includes('://') && text.includes('@') && text.search(userInfo) >= 0) return true;
  if (!/["'] ?:/.test(text)) return false;
  for (const [, , name = ''] of text.matchAll(memberName)) if (isSecretName(name)) return true;
  return false;
}

/** `name=value` of a query string, a form, a cookie or a printed object. */
function withoutAssigned(text: string): string {
  let scrubbed = '';
  let from = 0;
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) {
    const begin = nameBefore(text, at, from);
    if (begin === at || !isSecretName(text.slice(begin, at))) continue;
    valueEnd.lastIndex = at + 1;
    const value = valueEnd.exec(text);
    if (value === null) continue;
    scrubbed += `${text.slice(from, at + 1)}${value[1] ?? ''}${FILTERED}`;
    from = valueEnd.lastIndex;
    at = from - 1;
  }
  return from === 0 ? text : scrubbed + text.slice(from);
}

/** Where the name begins that ends at a place; that place when there is none. */
function nameBefore(text: string, end: number, from: number): number {
  let begin = end;
  while (begin > from && end - begin < MOST_ASSIGNED && isNameCode(text.charCodeAt(begin - 1))) begin -= 1;
  return begin;
}

const MOST_ASSIGNED = 100;
const valueEnd = /(["']?)[^&;\s"'<>#,)]+/y;

/** Letters, digits and `_ - . % [ ]`, which stand in names of parameters. */
function isNameCode(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x41 && code <= 0x5a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x25 ||
    code === 0x5b ||
    code === 0x5d
  );
}

/** `"name": "value"` of JSON or of a printed map, also of JSON that stands in a string of JSON. */
const member =
  /(\\?["'])([\w.-]{1,100})\1(\s*:\s*)(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\"(?:[^"\\]|\\[^"])*\\"|[^\s,}\]"'\\[{]+)/g;
/** What such a member begins with. */
const memberName = /(\\?["'])([\w.-]{1,100})\1\s*:/g;
/** `https://user:password@host` */
const userInfo = /(\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@?#]{0,200}:)[^\s/@?#]{1,200}@/gi;
