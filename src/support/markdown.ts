import { visible } from '../contract/visibleText.ts';

/**
 * Escapes text so that Markdown shows exactly this text: no formatting, no links (including autolinks of bare URLs), no HTML, no theme
 * icons. Line breaks are preserved, and invisible characters are shown as their code points.
 */
export function escapeMarkdown(text: string): string {
  return (
    visible(text)
      .replace(/[\\`*_{}[\]()#+\-.!~|$"'=^]/g, '\\$&')
      // Afterwards, so that the signs of these references are not escaped.
      .replace(/[&<>:/@]/g, (sign) => `&#${sign.charCodeAt(0)};`)
      .replace(/^[ \t]+/gm, (spaces) => '&nbsp;'.repeat(spaces.length))
      .replace(/\r\n?|\n/g, '  \n')
  );
}

/** Returns a Markdown link, or only its text if the URL is not http or https. */
export function markdownLink(text: string, url: string | undefined): string {
  const target = browserUrl(url);
  if (target === undefined) return escapeMarkdown(text);
  return `[${escapeMarkdown(text)}](${target.replace(/[()<>\s\\]/g, (sign) => encodeURIComponent(sign).replace(/[()]/g, hexOf))})`;
}

/** Returns the URL if it is http or https. Other URLs from a server are never opened. */
export function browserUrl(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

function hexOf(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
}
