/** Parts of names that builds make anew, for all versions of the rules. */

/** Longer names are truncated before they are compared. */
export const MAX_NAME_LENGTH = 256;

export function isDigits(part: string): boolean {
  for (let at = 0; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

/** Returns true for at least seven hexadecimal digits that include letters and digits. */
export function isHash(part: string): boolean {
  if (part.length < 7) return false;
  let digits = 0;
  for (let at = 0; at < part.length; at += 1) {
    const code = part.charCodeAt(at) | 32;
    if (code >= 48 && code <= 57) digits += 1;
    else if (code < 97 || code > 102) return false;
  }
  return digits > 0 && digits < part.length;
}

/** Letters that follow each letter in words and names: the pairs that cover nearly all words. */
const followers = new Map(
  'abcdfgiklmnprstuvwy baeilorsuy cacehiklorstuy dadegilorsuy eabcdefghiklmnopqrstuvwxy faefilortuy gaeghilnorsu haeilortu iabcdefgklmnoprstvxz jaeosu kaeios ladeilopstuvy mabeilmopsu nabcdefgiklmnopstuvy oabcdefgiklmnoprstuvwx paehiloprstu qu rabcdefgiklmnoprstuvy sacefhiklmopstuwy tacehiloprstuy uabcdefgiklmnprst vaeiou waehinors xceipt yaeilmnops zaeiy'
    .split(' ')
    .map((letters) => [letters.charAt(0), letters.slice(1)]),
);
const WORD = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/**
 * Returns true if the eight characters of a base64url, base36 or base32 digest are no name that a person gave: `DiwrgTda`, but
 * not `Checkout`, `UserForm` or `Section2`. Of a hundred digests, fewer than one is taken for a name.
 */
export function isRandom(text: string): boolean {
  if (!/[a-z]/.test(text)) return true;
  let oddities = /[_-]/.test(text) && /[A-Z0-9]/.test(text) ? 1 : 0;
  let short = -1;
  const words = text.match(WORD) ?? [];
  for (const [index, word] of words.entries()) {
    if (isDigits(word)) oddities += index === words.length - 1 && word.length <= 3 ? 1 : 2;
    else if (word.length === 1 || word === word.toUpperCase()) oddities += 1;
    else oddities += rarePairs(word.toLowerCase());
    if (word.length === 2) short += 1;
  }
  return oddities + Math.max(short, 0) >= 2;
}

/** Parts of names that are no words. */
const abbreviations: ReadonlySet<string> = new Set([
  'css',
  'db',
  'html',
  'http',
  'js',
  'jwt',
  'pdf',
  'png',
  'sdk',
  'sql',
  'svg',
  'ts',
  'vm',
  'xml',
]);

function rarePairs(word: string): number {
  if (abbreviations.has(word)) return 0;
  let rare = 0;
  for (let at = 1; at < word.length; at += 1) {
    if (followers.get(word.charAt(at - 1))?.includes(word.charAt(at)) !== true) rare += 1;
  }
  return rare;
}
