/**
 * Characters that are invisible or change the direction of the following text. They can make a name look like another name. Joiners are
 * allowed after an emoji and after letters of scripts that need them.
 */
const INVISIBLE =
  /(?![\n\t])\p{Cc}|(?<![\u0530-\u{10ffff}])[\u200c\u200d]|\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{1d173}-\u{1d17a}\u{e0000}-\u{e007f}]/gu;

/** Replaces every invisible character by its code point, for example `⟦U+202E⟧`. Keeps line breaks and tabs. */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(INVISIBLE, (character) => {
    const codePoint = character.codePointAt(0) ?? 0;
    return `⟦U+${codePoint.toString(16).toUpperCase().padStart(4, '0')}⟧`;
  });
}
