import { visible } from '../contract/visibleText.ts';

/**
 * Text of somebody else as markdown that shows exactly this text: no formatting, no links (not even the ones markdown makes of bare
 * addresses), no HTML, no theme icons. Line breaks stay, and invisible characters stand as their code points.
 */
export function escapeMarkdown(text: string): string {
  return visible(text)
    .replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/[\\`*_{}[\]()#+\-.!~|$"'=^]/g, '\\$&')
    .replace(/[:/@]/g, (sign) => `&#${sign.charCodeAt(0)};`)
    .replace(/^[ \t]+/gm, (spaces) => '&nbsp;'.repeat(spaces.length))
    .replace(/\r\n?|\n/g, '  \n');
}

/** A link in markdown, or only its words when the address is not one for a browser. */
export function markdownLink(text: string, url: string | undefined): string {
  const target = browserUrl(url);
  if (target === undefined) return escapeMarkdown(text);
  return `[${escapeMarkdown(text)}](${target.replace(/[()<>\s\\]/g, (sign) => encodeURIComponent(sign).replace(/[()]/g, hexOf))})`;
}

/** The address when it is http or https, which is all that is ever opened on the word of a server. */
export function browserUrl(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

function hexOf(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
