import { isIdName } from './secretNames.ts';

const separator = String.raw`(?: |-|\+|%20|\u00a0)`;
/**
 * Digits with the length of a card number, whole or in groups with the same separator: 4-4-4-4, 4-6-5 and 4-6-4. Lengths of 13 and 18
 * digits are left out, because many IDs have them. They are not part of a longer word, decimal, UUID or hexadecimal ID; an escaped
 * character such as `%20` or `\n` may precede.
 */
const candidates = new RegExp(
  [
    String.raw`[2-68](?<=(?:^|[^\w.%-]|[^\d]\.|%[0-9A-Fa-f]{2}|\\[nrt]).)`,
    '(?:',
    String.raw`\d{11}(?:\d{2,4}|\d{7})?`,
    String.raw`|\d{3}(?<separator>${separator})(?:\d{4}\k<separator>\d{4}\k<separator>\d{4}(?:\k<separator>\d{3})?|\d{6}\k<separator>\d{4,5})`,
    ')',
    String.raw`(?!\w|-\w|\.\d)`,
  ].join(''),
  'g',
);

/** First digits of the cards of each issuer, with the lengths of their numbers. */
const issuers: readonly (readonly [digits: RegExp, lengths: readonly number[]])[] = [
  // Visa
  [/^4/, [16, 19]],
  // Mastercard
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  // American Express
  [/^3[47]/, [15]],
  // Discover
  [/^(?:6011|64[4-9]|65)/, [16, 19]],
  // Diners Club
  [/^3(?:0[0-5]|095|[689])/, [14]],
  // JCB
  [/^35(?:2[89]|[3-8])/, [16, 19]],
  // UnionPay
  [/^(?:62|81)/, [16, 19]],
  // Maestro
  [/^(?:50(?:18|20|38)|5893|6304|6390|67)/, [12, 16, 19]],
];

/** Returns true if a text may hold the number of a card. */
export function mayHoldCardNumber(text: string): boolean {
  candidates.lastIndex = 0;
  return text.length >= 12 && candidates.test(text);
}

/**
 * Returns a text without numbers of cards: digits with the first digits and length of an issuer and a correct check digit. Numbers of
 * JSON and those behind the name of an ID are kept. Returns the same text if there are none.
 */
export function withoutCardNumbers(text: string, filtered: string): string {
  if (!mayHoldCardNumber(text)) return text;
  const isJsonNumber = jsonNumbersOf(text);
  let scrubbed = '';
  let from = 0;
  candidates.lastIndex = 0;
  for (let match = candidates.exec(text); match !== null; match = candidates.exec(text)) {
    const { 0: sent, index: at } = match;
    const digits = sent.replaceAll('%20', '').replaceAll(/\D/g, '');
    const before = text.slice(Math.max(at - BEFORE, 0), at);
    if (!isCardNumber(digits) || (sent === digits && isJsonNumber(at, before)) || isIdName(nameBefore.exec(before)?.[1] ?? '')) {
      // The next group may be the first one of a card.
      candidates.lastIndex = at + GROUP;
    } else {
      scrubbed += text.slice(from, at) + filtered;
      from = at + sent.length;
    }
  }
  return from === 0 ? text : scrubbed + text.slice(from);
}

const GROUP = 4;

function isCardNumber(digits: string): boolean {
  return issuers.some(([first, lengths]) => lengths.includes(digits.length) && first.test(digits)) && hasCheckDigit(digits);
}

/** Returns true if the last digit is the check digit of the others (ISO/IEC 7812-1). */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    sum += index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0);
  }
  return sum % 10 === 0;
}

/** Number of characters before a number that are examined. */
const BEFORE = 64;
/** A name with the sign behind it, also in the address of a query: `order_id=`, `"id": "`, `user%5Bid%5D%3D`. */
const nameBefore = /(?:%5B)?([A-Za-z0-9_.$-]{1,40})\\{0,3}["'`\]]{0,2}(?:%5D)?\s{0,4}(?:=>?|:|%3D|%3A)\s{0,4}\\{0,3}["'`]?$/i;

const jsonArray = /^\s*\[[\s\d,.eE+[\]-]*\]\s*$/;
const jsonObject = /^\s*(?:\[\s*)?\{\s*(\\?)"/;
const jsonMember = /\\?"\s{0,4}:\s{0,4}$/;

/**
 * Returns a function that tells which digits of a text are a number of JSON, not a part of a string. It must be called for increasing
 * positions.
 */
function jsonNumbersOf(text: string): (at: number, before: string) => boolean {
  if (jsonArray.test(text)) return () => true;
  const escape = jsonObject.exec(text)?.[1];
  if (escape === undefined) return (_, before) => jsonMember.test(before);
  const quotes = text.matchAll(escape === '' ? /(?<!\\)(?:\\\\)*"/g : /(?<!\\)\\"/g);
  let next = quotes.next();
  let isQuoted = false;
  return (at) => {
    for (; next.done !== true && next.value.index < at; next = quotes.next()) isQuoted = !isQuoted;
    return !isQuoted;
  };
}
