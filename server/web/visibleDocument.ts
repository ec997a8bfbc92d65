import { visible } from '../../src/contract/visibleText.ts';

/** Matches a text area, whose text must be sent back unchanged, a tag, or text between tags. */
const PART = /<textarea\b[^]*?<\/textarea>|<[^>]*>|[^<]+/gi;

/** Matches attribute values that are shown or spoken. All other attributes, such as `href` and `value`, contain data. */
const SPOKEN_ATTRIBUTE = /(?<=\s(?:title|alt|aria-label|placeholder)=")[^"]*(?=")/gi;

/**
 * Returns an HTML document in which invisible characters of names, titles and code are visible. URLs and form values are unchanged. The
 * escaping template leaves no `<`, `>` or `"` in values, so the parts can be distinguished without a parser.
 */
export function visibleDocument(document: string): string {
  if (visible(document) === document) return document;
  return document.replaceAll(PART, (part) => {
    if (!part.startsWith('<')) return visible(part);
    if (/^<textarea\b/i.test(part)) return part;
    return part.replaceAll(SPOKEN_ATTRIBUTE, (text) => visible(text));
  });
}

/** Invisible marks that Arabic or Hebrew text and flags need, and that cannot reverse the order of other characters. */
const MARK_OF_PROSE = /[\u00ad\u061c\u200b-\u200f\u2066-\u2069\u{e0020}-\u{e007f}]/gu;

/** Protects the marks of prose from `visibleDocument` by replacing them with character references. */
export function keepMarks(text: string): string {
  return text.replaceAll(MARK_OF_PROSE, (mark) => `&#x${(mark.codePointAt(0) ?? 0).toString(16)};`);
}
