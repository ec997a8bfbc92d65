import { FILTERED } from './filtered.ts';

/** Rules about names and values: those of `secretNames.ts` for new events, or former ones that never change. */
export interface SecretRules {
  readonly isSecretName: (name: string) => boolean;
  /** Returns true if the value of such a name at a position of a text is no secret. The position may be followed by blanks and a quote. */
  readonly isHarmlessAt: (name: string, text: string, at: number) => boolean;
}

const signs = /=>|[=:]/g;

/**
 * Scrubs `name=value` of a query string, form, cookie or printed object, `name = value`, `name => value`, `name: value` and
 * `"name": value`. Takes linear time.
 */
export function withoutAssigned(text: string, rules: SecretRules): string {
  const scrubbed = withoutUnquoted(text, rules);
  if (!(text.includes('":') || text.includes("':") || text.includes('" :') || text.includes("' :"))) return scrubbed;
  return scrubbed.replace(member, (whole, quote: string, name: string, colon: string, value: string) =>
    isSecretValue(rules, name, value) ? `${quote}${name}${quote}${colon}${quote}${FILTERED}${quote}` : whole,
  );
}

function isSecretValue({ isSecretName, isHarmlessAt }: SecretRules, name: string, value: string): boolean {
  return isSecretName(name) && !isHarmlessAt(name, value, 0);
}

/** Returns true if the name of a secret precedes a sign, and thus possibly its value. */
export function mayAssign(text: string, { isSecretName }: SecretRules): boolean {
  for (const { index } of text.matchAll(signs)) {
    const name = nameBefore(text, index, 0);
    if (name !== undefined && isSecretName(name.text)) return true;
  }
  return false;
}

function withoutUnquoted(text: string, { isSecretName, isHarmlessAt }: SecretRules): string {
  let scrubbed = '';
  let from = 0;
  for (const { 0: sign, index } of text.matchAll(signs)) {
    if (index < from) continue;
    const name = nameBefore(text, index, from);
    if (name === undefined || !isSecretName(name.text)) continue;
    const at = index + sign.length;
    const value = isHarmlessAt(name.text, text, at) ? undefined : valueAfter(text, at, name, sign);
    if (value === undefined) continue;
    scrubbed += text.slice(from, value.begin) + FILTERED;
    from = value.end;
  }
  return from === 0 ? text : scrubbed + text.slice(from);
}

interface AssignedName {
  readonly text: string;
  readonly begin: number;
  readonly isQuoted: boolean;
  /** True if a space separates the name from the sign. */
  readonly isSpaced: boolean;
}

const MAX_ASSIGNED = 100;
const MAX_SPACES = 4;

/** Returns the name before a sign, allowing a quote and a few spaces, or undefined if there is none. */
function nameBefore(text: string, sign: number, from: number): AssignedName | undefined {
  let end = sign;
  while (end > from && sign - end < MAX_SPACES && isSpace(text[end - 1])) end -= 1;
  const isSpaced = end < sign;
  const isQuoted = end > from && isQuote(text[end - 1]);
  if (isQuoted) end -= text[end - 2] === '\\' ? 2 : 1;
  let begin = end;
  while (begin > from && end - begin < MAX_ASSIGNED && isNameCode(text.charCodeAt(begin - 1))) begin -= 1;
  return begin >= end ? undefined : { text: text.slice(begin, end), begin, isQuoted, isSpaced };
}

interface Extent {
  readonly begin: number;
  readonly end: number;
}

/** Returns the extent of the value after a sign, or undefined if what follows is not a value. */
function valueAfter(text: string, sign: number, name: AssignedName, kind: string): Extent | undefined {
  let begin = sign;
  while (begin - sign < MAX_SPACES && isSpace(text[begin])) begin += 1;
  const isSpaced = name.isSpaced || begin > sign;
  if (kind === ':') {
    // JSON and similar formats, a name such as `Auth::Token`, a URL, or the name of an error.
    if (name.isQuoted || text[sign] === ':' || text[sign - 2] === ':' || text.startsWith('//', sign)) return undefined;
    return errorName.test(name.text) ? undefined : valueOfHeader(text, begin, name, begin > sign);
  }
  const quoted = matchAt(quotedValue, text, begin);
  if (quoted !== undefined)
    return { begin: begin + (text[begin] === '\\' ? 2 : 1), end: quoted.end - (text[begin] === '\\' ? 2 : 1) };
  if (kind === '=' && !isSpaced) {
    const value = matchAt(parameterValue, text, begin);
    return value && { begin: isQuote(text[begin]) ? begin + 1 : begin, end: value.end };
  }
  const value = matchAt(bareValue, text, begin);
  if (value === undefined || text[value.end] === '(' || isPlaceholder(text.slice(begin, value.end))) return undefined;
  return value;
}

/**
 * Returns the value of `name: value`. Prose has many colons, so the value must be quoted as in a printed map, or contain
 * characters that words do not have.
 */
function valueOfHeader(text: string, begin: number, name: AssignedName, isSpaced: boolean): Extent | undefined {
  const quoted = matchAt(quotedValue, text, begin);
  if (quoted !== undefined) {
    const inner = text[begin] === '\\' ? 2 : 1;
    const value = text.slice(begin + inner, quoted.end - inner);
    return isListed(text, name.begin) || isCredential(value) ? { begin: begin + inner, end: quoted.end - inner } : undefined;
  }
  if (/cookie$/i.test(name.text)) {
    const line = matchAt(cookieLine, text, begin);
    return line !== undefined && text.slice(begin, line.end).includes('=') ? line : undefined;
  }
  const scheme = matchAt(schemeBefore, text, begin);
  const value = matchAt(headerValue, text, scheme?.end ?? begin);
  if (value === undefined) return undefined;
  const shown = text.slice(value.begin, value.end);
  // Without a space before it, as in `auth.js:10:5`, it may be a position in a file.
  if (!isSpaced && /^\d+(?::|$)/.test(shown)) return undefined;
  return isCredential(shown) ? value : undefined;
}

const errorName = /(?:error|exception|warning|failure)$/i;
const quotedValue = /"(?:[^"\\\n]|\\.){1,1000}"|'(?:[^'\\\n]|\\.){1,1000}'|`[^`\n]{1,1000}`|\\"(?:[^"\\\n]|\\[^"]){1,1000}\\"/y;
const parameterValue = /["']?[^&;\s"'<>#,)]+/y;
const bareValue = /[^&;\s"'<>#,(){}[\]=~]{3,1000}/y;
const headerValue = /[^&;\s"'<>#,(){}[\]]{4,4000}/y;
const schemeBefore = /(?:bearer|basic|digest|token|apikey|key|negotiate) {1,4}/iy;
const cookieLine = /[^\r\n"'<>[\]]{3,4000}/y;

function matchAt(pattern: RegExp, text: string, begin: number): Extent | undefined {
  pattern.lastIndex = begin;
  return pattern.test(text) ? { begin, end: pattern.lastIndex } : undefined;
}

/** Returns true if a name is at the start of a text or line, or is an entry of a list, as in `{ host: 'a', password: 'b' }`. */
function isListed(text: string, begin: number): boolean {
  let at = begin - 1;
  while (at >= 0 && begin - at <= MAX_LISTED && isSpace(text[at])) at -= 1;
  return at < 0 || '{[(,;\n\r:'.includes(text[at] ?? '');
}

const MAX_LISTED = 100;

/** Returns true if a value looks generated: it has a digit or a sign that prose does not have, or it is long and has both cases. */
function isCredential(value: string): boolean {
  if (value.length < 4 || value.includes('://')) return false;
  return /\d|[@$%^*+~=!|][^.:]/.test(value) || (value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value));
}

/** Returns true if a value is no secret itself: a word such as `null`, or a placeholder such as `$1`, `:name` and `%s`. */
function isPlaceholder(value: string): boolean {
  return /^(?:null|none|nil|undefined|true|false|empty|[?$:%@]\w{0,40})$/i.test(value);
}

function isSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'" || character === '`';
}

/** Returns true for letters, digits and `_ - . % [ ]`, which occur in parameter names. */
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

/** `"name": "value"` of JSON or of a printed map, also if the JSON is inside a JSON string. */
const member =
  /(\\?["'])([\w.-]{1,100})\1(\s*:\s*)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\\"(?:[^"\\]|\\[^"])*\\"|[^\s,}\]"'\\[{]+)/g;

/**
 * Scrubs quoted texts that are assigned to a name in a line of source, and lines of a settings file such as `API_KEY=abc`.
 * Expressions such as `token=token` are kept.
 */
export function withoutAssignedInSource(line: string, rules: SecretRules): string {
  return line
    .replace(literal, (whole, name: string, sign: string, quote: string, value: string) =>
      isSecretValue(rules, name, value) ? `${name}${sign}${quote}${FILTERED}${quote}` : whole,
    )
    .replace(settingsLine, (whole, begin: string, name: string, sign: string, value: string) =>
      isSetting(name, value) && isSecretValue(rules, name, value) ? `${begin}${name}${sign}${FILTERED}` : whole,
    );
}

const literal = /(?<![\w.-])([\w.-]{1,100})(["']?\s{0,4}(?:=>?|:)\s{0,4})(["'`])([^"'`\n]{1,1000})\3/g;
/** An assignment that is the whole line. */
const settingsLine = /^(\s{0,100}(?:(?:export|set|ENV|-) )?)([\w.-]{1,100})(=| = |: )([^\s"'`(){}[\]$<>=,;]{1,1000})\s{0,10}$/;
const typeName = /^(?:u?int|float|double|decimal|string|char|byte|[iuf])\d{1,3}(?:_t)?$/i;

/** Returns true if the value of an assignment is a literal: any value of an environment variable, otherwise one with a digit. */
function isSetting(name: string, value: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(name) ? !isPlaceholder(value) : value.length >= 4 && /\d/.test(value) && !typeName.test(value);
}
