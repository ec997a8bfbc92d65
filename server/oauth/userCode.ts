import { randomInt } from 'node:crypto';

/** RFC 8628 §6.1: consonants only, so that no letter looks like a digit and no words come out. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;

export function randomUserCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** `BCDFGHJK` as it is shown to people: `BCDF-GHJK`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** What somebody typed, in any case and with whatever between the letters, as it is stored (RFC 8628 §6.1). */
export function normalisedUserCode(text: string): string {
  return text
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '');
}
