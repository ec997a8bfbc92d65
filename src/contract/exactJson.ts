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

/** A number with at least 16 digits, or with an exponent of at least three. Also matches in texts, which only takes time. */
const LONG_NUMBER = /(?:^|[:,[\s])-?\d(?:[\d.]{15}|[\d.]*[eE][+-]?\d{3})/;

/**
 * Parses JSON. Numbers that a double cannot hold, such as integers above 2^53, become an {@link ExactNumber} instead of another number.
 *
 * @throws SyntaxError if the text is not valid JSON, RangeError if it is nested too deeply.
 */
export function parseExactly(text: string): unknown {
  return LONG_NUMBER.test(text) ? JSON.parse(text, exactValue) : JSON.parse(text);
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

/** Returns true if the digits in the source are those of the number. */
function isSame(source: string, value: number): boolean {
  return Number.isFinite(value) && decimalOf(source) === decimalOf(String(value));
}

/** Returns the digits of a number without zeros at both ends, and its exponent. Numbers are equal if these texts are. */
function decimalOf(text: string): string {
  const [, sign = '', integer = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = integer + fraction;
  let [start, end] = [0, digits.length];
  while (digits[start] === '0') start += 1;
  while (end > start && digits[end - 1] === '0') end -= 1;
  if (start === end) return '0';
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
