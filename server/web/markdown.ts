import { setImmediate as turn } from 'node:timers/promises';
import { html, raw } from 'hono/html';
import type { MarkdownIt, StateBlock, Token } from 'markdown-it';
import type { Markup } from './layout.ts';
import { keepMarks } from './visibleDocument.ts';

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
  /** Whether the text becomes part of a JSON value and not of a page. */
  readonly isForJson?: boolean | undefined;
  /** What may still be rendered on the page. A budget of its own for this text when left out. */
  readonly budget?: MarkdownBudget | undefined;
}

/** More than this is shown as it was typed: the time of rendering must stay small, whatever the text. Characters. */
export const MAX_MARKDOWN_LENGTH = 262_144;
/** Work that one page takes for rendering: the characters that mean something in markdown, weighed by `WEIGHTS`. */
const MAX_WORK = 15_000;
/** Cells of all tables of a text, those included that rows lack. */
const MAX_CELLS = 4000;

/** What may still be rendered on a page. What comes after it is shown as it was typed. */
export interface MarkdownBudget {
  characters: number;
  work: number;
}

export function markdownBudget(): MarkdownBudget {
  return { characters: MAX_MARKDOWN_LENGTH, work: MAX_WORK };
}

/** Names of headings in a page of ours begin with this, so that they are never those of the page. */
const PREFIX = 'text-';

let renderer: MarkdownIt | undefined;

type Reference = NonNullable<MarkdownPlace['reference']>;
/** Where references lead, by what a text is rendered with. */
const references = new WeakMap<object, Reference>();
/** What texts for JSON are rendered with: their characters stay as they were typed. */
const forJson = new WeakSet<object>();
/** What links of references are marked with: they lead where they may already. */
const REFERRED = 'reference';

/**
 * A text in markdown as HTML that runs nothing: HTML in it is shown as it was typed, links lead to web pages, mail addresses and what
 * `place` knows, and of images elsewhere, which the policy of pages refuses, the description is shown. Its first heading has `level`,
 * and no level between two headings is left out.
 */
export async function markdown(
  text: string,
  location: MarkdownPlace,
  level: number,
  { prefix = PREFIX, keepsLines = false, isForJson = false, budget = markdownBudget() }: MarkdownStyle = {},
): Promise<Markup> {
  renderer ??= await makeRenderer();
  const end = affordableEnd(text, budget);
  const typed = end === text.length ? '' : html`<p class="typed">${text.slice(end)}</p>`;
  if (end === 0) return html`${typed}`;
  // Other requests come between two texts of a page.
  if (end > LONG_TEXT) await turn();
  const rendered = render(renderer, text.slice(0, end), location, level, { prefix, keepsLines, isForJson });
  return typed === '' ? rendered : html`${rendered}${typed}`;
}

function render(
  renderer: MarkdownIt,
  text: string,
  location: MarkdownPlace,
  level: number,
  { prefix, keepsLines, isForJson }: { readonly prefix: string; readonly keepsLines: boolean; readonly isForJson: boolean },
): Markup {
  const env = {};
  if (isForJson) forJson.add(env);
  if (location.reference !== undefined) references.set(env, location.reference);
  const tokens = renderer.parse(text, env);
  fitHeadings(tokens, level, prefix);
  for (const token of tokens) fitLinks(token.children ?? [], location, prefix);
  return raw(renderer.renderer.render(tokens, { ...renderer.options, breaks: keepsLines }, env));
}

/** Characters; rendering more is done in a turn of the event loop of its own. */
const LONG_TEXT = 1000;

/** How much work some characters are: a line is a paragraph, a heading or an item of a list, a colon may begin an address. */
const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ...[...'*_~`<>&\\'].map((mark) => [mark, 1] as const),
  ...[...'\n!|[]'].map((mark) => [mark, 2] as const),
  ['@', 3],
  [':', 6],
  ['#', 5],
]);

/** A space after one of these may begin a list, of which one line can hold a hundred within one another. */
const LIST_MARKS = '-+.)';

/** Takes from a budget what a text costs. Returns how much of the text is rendered: whole lines, and none after the budget is spent. */
function affordableEnd(text: string, budget: MarkdownBudget): number {
  budget.characters -= text.length;
  if (budget.characters < 0 || budget.work <= 0) return 0;
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text.charAt(at);
    budget.work -= WEIGHTS.get(mark) ?? (mark === ' ' && LIST_MARKS.includes(text.charAt(at - 1)) ? 1 : 0);
    if (budget.work < 0) return end;
    if (mark === '\n') end = at + 1;
  }
  return text.length;
}

/** Cells of the tables so far, by what a text is rendered with. */
const cells = new WeakMap<object, number>();

/** Takes a table with too many cells for a paragraph: each line may be short, and have as many cells as the first one. */
function largeTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const lineAt = (line: number): string => state.src.slice(state.bMarks[line], state.eMarks[line]);
  if (startLine + 1 >= endLine) return false;
  const delimiters = lineAt(startLine + 1);
  if (!delimiters.includes('-') || !/^[\s>|:-]*$/.test(delimiters)) return false;
  let end = startLine + 2;
  while (end < endLine && !state.isEmpty(end)) end += 1;
  const count = (cells.get(state.env) ?? 0) + delimiters.split('|').length * (end - startLine);
  if (count <= MAX_CELLS) {
    if (!silent) cells.set(state.env, count);
    return false;
  }
  if (silent) return true;
  state.push('paragraph_open', 'p', 1).map = [startLine, end];
  const inline = state.push('inline', '', 0);
  inline.content = state.getLines(startLine, end, state.blkIndent, false).trim();
  inline.map = [startLine, end];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = end;
  return true;
}

async function makeRenderer(): Promise<MarkdownIt> {
  const { default: Renderer } = await import('markdown-it');
  const made = new Renderer({ html: false, linkify: true });
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  made.validateLink = (address) => /^(?:https?:|mailto:)/i.test(address) || !/^[^/?#]*:/.test(address.trim());
  made.block.ruler.before('table', 'large_table', largeTable, { alt: ['paragraph', 'reference'] });
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
  made.renderer.rules['text'] = (tokens, index, _options, env) => {
    const escaped = made.utils.escapeHtml(tokens[index]?.content ?? '');
    return env !== undefined && forJson.has(env) ? escaped : keepMarks(escaped);
  };
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
    const requested = Number(token.tag.slice(1)) + level - 1;
    before = Math.min(requested, before + 1, 6);
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
function fitLinks(tokens: readonly Token[], location: MarkdownPlace, prefix: string): void {
  for (const token of tokens) {
    if (token.type === 'link_open' && token.markup !== REFERRED) {
      const href = fitted(String(token.attrGet('href') ?? ''), location, prefix);
      token.attrs = href === undefined ? null : [['href', href]];
      if (href !== undefined && isElsewhere(href)) token.attrSet('rel', 'nofollow noopener noreferrer');
    } else if (token.type === 'image') {
      const src = String(token.attrGet('src') ?? '');
      const own = isElsewhere(src) ? undefined : location.image(src);
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

function fitted(address: string, location: MarkdownPlace, prefix: string): string | undefined {
  if (address.startsWith('#')) return `#${prefix}${address.slice(1)}`;
  return isElsewhere(address) ? address : location.link(address);
}
