import { raw } from 'hono/html';
import type { MarkdownIt, Token } from 'markdown-it';
import type { Markup } from './layout.ts';

/** What relative addresses of a text are made to lead to; undefined for those that lead nowhere. */
export interface MarkdownPlace {
  link(path: string): string | undefined;
  image(path: string): string | undefined;
  /** Where what people refer to is: an issue `#12`, a merge request `!3`, somebody `@ines`. Without it, that is text as any other. */
  reference?(mark: '#' | '!' | '@', name: string): string | undefined;
}

export interface MarkdownStyle {
  /** In front of the names of headings. */
  readonly prefix?: string | undefined;
  /** Whether a new line in the text is one on the page. */
  readonly keepsLines?: boolean | undefined;
}

/** More than this is shown as it was typed: the time of rendering must stay small, whatever the text. Characters. */
export const LONGEST_MARKDOWN = 262_144;

/** Names of headings in a page of ours begin with this, so that they are never those of the page. */
const PREFIX = 'text-';

let renderer: MarkdownIt | undefined;

type Reference = NonNullable<MarkdownPlace['reference']>;
/** Where references lead, by what a text is rendered with. */
const references = new WeakMap<object, Reference>();
/** What links of references are marked with: they lead where they may already. */
const REFERRED = 'reference';

/**
 * A text in markdown as HTML that runs nothing: HTML in it is shown as it was typed, links lead to web pages, mail addresses and what
 * `place` knows, and of images elsewhere, which the policy of pages refuses, the description is shown. Its first heading has `level`,
 * and no level between two headings is left out.
 */
export async function markdown(
  text: string,
  place: MarkdownPlace,
  level: number,
  { prefix = PREFIX, keepsLines = false }: MarkdownStyle = {},
): Promise<Markup> {
  renderer ??= await makeRenderer();
  const env = {};
  if (place.reference !== undefined) references.set(env, place.reference);
  const tokens = renderer.parse(text, env);
  fitHeadings(tokens, level, prefix);
  for (const token of tokens) fitLinks(token.children ?? [], place, prefix);
  return raw(renderer.renderer.render(tokens, { ...renderer.options, breaks: keepsLines }, env));
}

async function makeRenderer(): Promise<MarkdownIt> {
  const { default: Renderer } = await import('markdown-it');
  const made = new Renderer({ html: false, linkify: true });
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  made.validateLink = (address) => /^(?:https?:|mailto:)/i.test(address) || !/^[^/?#]*:/.test(address.trim());
  made.core.ruler.push('references', (state) => {
    const reference = references.get(state.env);
    if (reference === undefined) return;
    const make: MakeToken = (type, tag, nesting, content = '') => Object.assign(new state.Token(type, tag, nesting), { content });
    for (const [index, token] of state.tokens.entries()) {
      if (token.children === null) continue;
      const [first] = token.children;
      if (first?.type === 'text' && state.tokens[index - 2]?.type === 'list_item_open') first.content = withBox(first.content);
      token.children = withReferences(token.children, reference, make);
    }
  });
  // A table that is wider than the screen scrolls, by the keyboard too.
  made.renderer.rules['table_open'] = () => '<table tabindex="0">\n';
  return made;
}

/** The headings of a text below one of the page, one step at a time, with names to link to. */
function fitHeadings(tokens: readonly Token[], level: number, prefix: string): void {
  const taken = new Map<string, number>();
  let before = level - 1;
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const wished = Number(token.tag.slice(1)) + level - 1;
    before = Math.min(wished, before + 1, 6);
    const name = headingName(tokens[index + 1]?.content ?? '');
    const count = taken.get(name) ?? 0;
    taken.set(name, count + 1);
    token.attrSet('id', `${prefix}${name}${count === 0 ? '' : `-${count}`}`);
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
function fitLinks(tokens: readonly Token[], place: MarkdownPlace, prefix: string): void {
  for (const token of tokens) {
    if (token.type === 'link_open' && token.markup !== REFERRED) {
      const href = fitted(String(token.attrGet('href') ?? ''), place, prefix);
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

/** Not in the middle of a word, an address or a path; a name does not end with what ends a sentence. */
const REFERENCE = /(?<![\w&/#!@.~-])(?:([#!])(\d{1,9})|(@)(\w(?:[\w.-]*\w)?))(?![\w-])/g;

/** What is to be done and what is done have a box in front. */
function withBox(text: string): string {
  return text.replace(/^\[([ xX])\] /, (_, mark: string) => (mark === ' ' ? '☐ ' : '☑ '));
}

type MakeToken = (type: string, tag: string, nesting: -1 | 0 | 1, content?: string) => Token;

/** Links what a text refers to, where it is no link yet. */
function withReferences(tokens: readonly Token[], reference: Reference, make: MakeToken): Token[] {
  let depth = 0;
  return tokens.flatMap((token): Token[] => {
    if (token.type === 'link_open') depth += 1;
    if (token.type === 'link_close') depth -= 1;
    return token.type === 'text' && depth === 0 ? linked(token, reference, make) : [token];
  });
}

function linked(token: Token, reference: Reference, make: MakeToken): Token[] {
  const parts: Token[] = [];
  let done = 0;
  for (const found of token.content.matchAll(REFERENCE)) {
    const [whole, sign, number = '', , name = ''] = found;
    const href = sign === '#' || sign === '!' ? reference(sign, number) : reference('@', name);
    if (href === undefined) continue;
    const open = make('link_open', 'a', 1);
    open.markup = REFERRED;
    open.attrSet('href', href);
    parts.push(make('text', '', 0, token.content.slice(done, found.index)), open, make('text', '', 0, whole));
    parts.push(make('link_close', 'a', -1));
    done = found.index + whole.length;
  }
  return done === 0 ? [token] : [...parts, make('text', '', 0, token.content.slice(done))];
}

function isElsewhere(address: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address);
}

function fitted(address: string, place: MarkdownPlace, prefix: string): string | undefined {
  if (address.startsWith('#')) return `#${prefix}${address.slice(1)}`;
  return isElsewhere(address) ? address : place.link(address);
}
