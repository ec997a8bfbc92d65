import { raw } from 'hono/html';
import type { MarkdownIt, Token } from 'markdown-it';
import type { Markup } from './layout.ts';

/** What relative addresses of a text are made to lead to; undefined for those that lead nowhere. */
export interface MarkdownPlace {
  link(path: string): string | undefined;
  image(path: string): string | undefined;
}

/** More than this is shown as it was typed: the time of rendering must stay small, whatever the text. Characters. */
export const LONGEST_MARKDOWN = 262_144;

/** Names of headings in a page of ours begin with this, so that they are never those of the page. */
const PREFIX = 'text-';

let renderer: MarkdownIt | undefined;

/**
 * A text in markdown as HTML that runs nothing: HTML in it is shown as it was typed, links lead to web pages, mail addresses and what
 * `place` knows, and of images elsewhere, which the policy of pages refuses, the description is shown. Its first heading has `level`,
 * and no level between two headings is left out.
 */
export async function markdown(text: string, place: MarkdownPlace, level: number): Promise<Markup> {
  renderer ??= await makeRenderer();
  const env = {};
  const tokens = renderer.parse(text, env);
  fitHeadings(tokens, level);
  for (const token of tokens) fitLinks(token.children ?? [], place);
  return raw(renderer.renderer.render(tokens, renderer.options, env));
}

async function makeRenderer(): Promise<MarkdownIt> {
  const { default: Renderer } = await import('markdown-it');
  const made = new Renderer({ html: false, linkify: true });
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  made.validateLink = (address) => /^(?:https?:|mailto:)/i.test(address) || !/^[^/?#]*:/.test(address.trim());
  // A table that is wider than the screen scrolls, by the keyboard too.
  made.renderer.rules['table_open'] = () => '<table tabindex="0">\n';
  return made;
}

/** The headings of a text below one of the page, one step at a time, with names to link to. */
function fitHeadings(tokens: readonly Token[], level: number): void {
  const taken = new Map<string, number>();
  let before = level - 1;
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const wished = Number(token.tag.slice(1)) + level - 1;
    before = Math.min(wished, before + 1, 6);
    const name = headingName(tokens[index + 1]?.content ?? '');
    const count = taken.get(name) ?? 0;
    taken.set(name, count + 1);
    token.attrSet('id', `${PREFIX}${name}${count === 0 ? '' : `-${count}`}`);
    token.tag = `h${before}`;
    const end = tokens[index + 2];
    if (end?.type === 'heading_close') end.tag = token.tag;
  }
}

function headingName(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** Leads links and images where they may lead. What leads nowhere loses its address; an image then is its description. */
function fitLinks(tokens: readonly Token[], place: MarkdownPlace): void {
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const href = fitted(String(token.attrGet('href') ?? ''), place);
      token.attrs = href === undefined ? null : [['href', href]];
      if (href !== undefined && isElsewhere(href)) token.attrSet('rel', 'nofollow noopener noreferrer');
    } else if (token.type === 'image') {
      const src = String(token.attrGet('src') ?? '');
      const own = isElsewhere(src) ? undefined : place.image(src);
      if (own === undefined) {
        token.type = 'text';
        token.content = token.content === '' ? 'image' : token.content;
      } else {
        token.attrSet('src', own);
      }
    }
  }
}

function isElsewhere(address: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address);
}

function fitted(address: string, place: MarkdownPlace): string | undefined {
  if (address.startsWith('#')) return `#${PREFIX}${address.slice(1)}`;
  return isElsewhere(address) ? address : place.link(address);
}
