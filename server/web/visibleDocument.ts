import { visible } from '../../src/contract/visibleText.ts';

/** A text area, whose text is sent back as it is; a tag; or text between tags. */
const PART = /<textarea\b[^]*?<\/textarea>|<[^>]*>|[^<]+/gi;

/** Attributes that people read or hear. All others, such as `href` and `value`, carry data. */
const SPOKEN_ATTRIBUTE = /(?<=\s(?:title|alt|aria-label|placeholder)=")[^"]*(?=")/gi;

/**
 * An HTML document in which people see every invisible character of names, titles and code. Addresses and values of forms stay as they
 * are. The escaping template leaves `<`, `>` and `"` in no value, so that the parts can be told apart without a parser.
 */
export function visibleDocument(document: string): string {
  if (visible(document) === document) return document;
  return document.replaceAll(PART, (part) => {
    if (!part.startsWith('<')) return visible(part);
    if (/^<textarea\b/i.test(part)) return part;
    return part.replaceAll(SPOKEN_ATTRIBUTE, (text) => visible(text));
  });
}

/** Marks that sentences in Arabic or Hebrew and flags need, and that cannot reverse the order of other letters. */
const MARK_OF_PROSE = /[\u00ad\u061c\u200b-\u200f\u2066-\u2069\u{e0020}-\u{e007f}]/gu;

/** Keeps the marks of prose out of reach of `visibleDocument`: as character references, which browsers read as the marks themselves. */
export function keepMarks(text: string): string {
  return text.replaceAll(MARK_OF_PROSE, (mark) => `&#x${(mark.codePointAt(0) ?? 0).toString(16)};`);
}
