/** Number that a double cannot hold, as `JSON.rawJSON` makes it. `JSON.stringify` writes all its digits. */
export interface ExactNumber {
  readonly rawJSON: string;
}

declare global {
  interface JSON {
    rawJSON(text: string): ExactNumber;
    isRawJSON(value: unknown): value is ExactNumber;
    parse(text: string, reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
  }
}

/**
 * Parses JSON. Numbers that a double cannot hold, such as integers above 2^53, become an {@link ExactNumber} instead of another number.
 *
 * @throws SyntaxError if the text is not valid JSON, RangeError if it is nested too deeply.
 */
export function parseExactly(text: string): unknown {
  return hasInexactNumber(text) ? JSON.parse(text, exactValue) : JSON.parse(text);
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
const PART_OF_NUMBER = /[\d.eE+-]/;
const BEFORE_NUMBER = /^$|[:,[\s]/;
const BEFORE_EXPONENT = /[eE+-]/;
/** Numbers with at most as many characters and without an exponent are held by a double. */
const MAX_HELD = 15;
/** Longer numbers have at least as many digits in a row, before or after the point. */
const LONG_DIGITS = 8;
/** Exponents with fewer digits are held by a double. */
const EXPONENT_DIGITS = 3;

/**
 * Returns true if the text has a number that a double cannot hold. It may be part of a string, which only takes time. As every payload is
 * searched, this looks at one of three characters: where three digits or more follow each other, it finds one of them.
 */
function hasInexactNumber(text: string): boolean {
  for (let at = EXPONENT_DIGITS - 1; at < text.length; at += EXPONENT_DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    let end = at + 1;
    while (start > 0 && isDigit(text.charCodeAt(start - 1))) start -= 1;
    while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
    const digits = end - start;
    if (digits >= LONG_DIGITS || (digits >= EXPONENT_DIGITS && BEFORE_EXPONENT.test(text.charAt(start - 1)))) {
      while (PART_OF_NUMBER.test(text.charAt(start - 1))) start -= 1;
      while (PART_OF_NUMBER.test(text.charAt(end))) end += 1;
      if (BEFORE_NUMBER.test(text.charAt(start - 1)) && isInexact(text.slice(start, end))) return true;
    }
    at = end - 1;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** True once there is an exact number. Most programs never see one, and asking for each value takes time. */
let areThereAny = false;

/** Returns true for a number that a double cannot hold. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return areThereAny && JSON.isRawJSON(value);
}

function exactValue(_name: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || source === undefined || isSame(source, value)) return value;
  areThereAny = true;
  return JSON.rawJSON(source);
}

function isInexact(source: string): boolean {
  return (source.length > MAX_HELD || /e/i.test(source)) && NUMBER.test(source) && !isSame(source, Number(source));
}

/** Returns true if the digits in the source are those of the number. */
function isSame(source: string, value: number): boolean {
  return Number.isFinite(value) && decimalOf(source) === decimalOf(String(value));
}

/** Returns the digits of a number without zeros at both ends, and its exponent. Numbers are equal if these texts are. */
function decimalOf(text: string): string {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = integer + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
