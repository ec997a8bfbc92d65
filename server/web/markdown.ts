import { setImmediate as turn } from 'node:timers/promises';
import { html, raw } from 'hono/html';
import type { MarkdownIt, StateBlock, Token } from 'markdown-it';
import type { Markup } from './layout.ts';
import { keepMarks } from './visibleDocument.ts';

/** Resolves the relative links and references of a text. The functions return undefined for targets that are not linked. */
export interface LinkResolver {
  link(path: string): string | undefined;
  image(path: string): string | undefined;
  /** Returns the link of a reference to an issue `#12`, a merge request `!3` or a user `@ines`. If omitted, references stay plain text. */
  reference?(mark: '#' | '!' | '@', name: string): string | undefined;
}

export interface MarkdownStyle {
  /** Prefix of the heading IDs. */
  readonly prefix?: string | undefined;
  /** True if line breaks are preserved. */
  readonly keepsLines?: boolean | undefined;
  /** True if the HTML becomes part of a JSON value instead of a page. */
  readonly isForJson?: boolean | undefined;
  /** Remaining budget of the page; a separate budget by default. */
  readonly budget?: MarkdownBudget | undefined;
}

/** Maximum number of characters that are rendered, which limits the rendering time. Longer text is shown as plain text. */
export const MAX_MARKDOWN_LENGTH = 262_144;
/** Maximum rendering work of a page: its Markdown characters, weighted by `WEIGHTS`. */
const MAX_WORK = 15_000;
/** Maximum number of cells of all tables of a text, including cells that rows lack. */
const MAX_CELLS = 4000;

/** Remaining rendering budget of a page. Text beyond it is shown as plain text. */
export interface MarkdownBudget {
  characters: number;
  work: number;
}

export function markdownBudget(): MarkdownBudget {
  return { characters: MAX_MARKDOWN_LENGTH, work: MAX_WORK };
}

/** Default prefix of heading IDs, which keeps them distinct from the IDs of the page. */
const PREFIX = 'text-';

let renderer: MarkdownIt | undefined;

type Reference = NonNullable<LinkResolver['reference']>;
/** Reference resolvers by rendering environment. */
const references = new WeakMap<object, Reference>();
/** Rendering environments of texts for JSON, whose characters are not replaced. */
const forJson = new WeakSet<object>();
/** Markup of reference links, whose targets are resolved already. */
const REFERRED = 'reference';

/**
 * Renders Markdown as safe HTML. HTML in the text is escaped. Links lead to web pages, email addresses and targets that `resolver` resolves.
 * External images, which the policy of pages forbids, are replaced by their descriptions. The first heading has `level`, and no heading level
 * is skipped.
 */
export async function markdown(
  text: string,
  resolver: LinkResolver,
  level: number,
  { prefix = PREFIX, keepsLines = false, isForJson = false, budget = markdownBudget() }: MarkdownStyle = {},
): Promise<Markup> {
  renderer ??= await makeRenderer();
  const end = affordableEnd(text, budget);
  const typed = end === text.length ? '' : html`<p class="typed">${text.slice(end)}</p>`;
  if (end === 0) return html`${typed}`;
  // Lets other requests run between two texts of a page.
  if (end > LONG_TEXT) await turn();
  const rendered = render(renderer, text.slice(0, end), resolver, level, { prefix, keepsLines, isForJson });
  return typed === '' ? rendered : html`${rendered}${typed}`;
}

function render(
  renderer: MarkdownIt,
  text: string,
  resolver: LinkResolver,
  level: number,
  { prefix, keepsLines, isForJson }: { readonly prefix: string; readonly keepsLines: boolean; readonly isForJson: boolean },
): Markup {
  const env = {};
  if (isForJson) forJson.add(env);
  if (resolver.reference !== undefined) references.set(env, resolver.reference);
  const tokens = renderer.parse(text, env);
  adjustHeadings(tokens, level, prefix);
  for (const token of tokens) resolveLinks(token.children ?? [], resolver, prefix);
  return raw(renderer.renderer.render(tokens, { ...renderer.options, breaks: keepsLines }, env));
}

/** Minimum number of characters that are rendered in a separate turn of the event loop. */
const LONG_TEXT = 1000;

/** Rendering work by character: a line can be a paragraph, heading or list item, and a colon can begin a URL. */
const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ...[...'*_~`<>&\\'].map((mark) => [mark, 1] as const),
  ...[...'\n!|[]'].map((mark) => [mark, 2] as const),
  ['@', 3],
  [':', 6],
  ['#', 5],
]);

/** List markers. A space after one can begin a list, and one line can contain a hundred nested lists. */
const LIST_MARKS = '-+.)';

/** Subtracts the cost of a text from the budget. Returns the length of the text that is rendered: whole lines, until the budget is used up. */
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

/** Number of table cells so far, by rendering environment. */
const cells = new WeakMap<object, number>();

/** Renders a table with too many cells as a paragraph. Even short rows are filled up to the number of cells of the first row. */
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
  const created = new Renderer({ html: false, linkify: true });
  created.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  created.validateLink = (address) => /^(?:https?:|mailto:)/i.test(address) || !/^[^/?#]*:/.test(address.trim());
  created.block.ruler.before('table', 'large_table', largeTable, { alt: ['paragraph', 'reference'] });
  created.core.ruler.push('references', (state) => {
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
  created.renderer.rules['text'] = (tokens, index, _options, env) => {
    const escaped = created.utils.escapeHtml(tokens[index]?.content ?? '');
    return env !== undefined && forJson.has(env) ? escaped : keepMarks(escaped);
  };
  // Makes wide tables scrollable with the keyboard.
  created.renderer.rules['table_open'] = () => '<table tabindex="0">\n';
  return created;
}

/** Adjusts heading levels to the page without skipping a level, and adds IDs. */
function adjustHeadings(tokens: readonly Token[], level: number, prefix: string): void {
  const taken = new Map<string, number>();
  let current = level - 1;
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue;
    const requested = Number(token.tag.slice(1)) + level - 1;
    current = Math.min(requested, current + 1, 6);
    const name = headingName(tokens[index + 1]?.content ?? '');
    const count = taken.get(name) ?? 0;
    taken.set(name, count + 1);
    token.attrSet('id', `${prefix}${name}${count === 0 ? '' : `-${count}`}`);
    token.tag = `h${current}`;
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

/** Resolves links and images. Unresolved links lose their target, and unresolved images are replaced by their descriptions. */
function resolveLinks(tokens: readonly Token[], resolver: LinkResolver, prefix: string): void {
  for (const token of tokens) {
    if (token.type === 'link_open' && token.markup !== REFERRED) {
      const href = resolvedLink(String(token.attrGet('href') ?? ''), resolver, prefix);
      token.attrs = href === undefined ? null : [['href', href]];
      if (href !== undefined && isExternal(href)) token.attrSet('rel', 'nofollow noopener noreferrer');
    } else if (token.type === 'image') {
      const src = String(token.attrGet('src') ?? '');
      const own = isExternal(src) ? undefined : resolver.image(src);
      if (own === undefined) {
        token.type = 'text';
        token.content = token.content === '' ? 'image' : token.content;
      } else {
        token.attrSet('src', own);
      }
    }
  }
}

/** Matches references outside of words, URLs and paths. A username does not end with punctuation. */
const REFERENCE = /(?<![\w&/#!@.~-])(?:([#!])(\d{1,9})|(@)(\w(?:[\w.-]*\w)?))(?![\w-])/g;

/** Replaces the marker of a task list item with a check box character. */
function withBox(text: string): string {
  return text.replace(/^\[([ xX])\] /, (_, mark: string) => (mark === ' ' ? '☐ ' : '☑ '));
}

type MakeToken = (type: string, tag: string, nesting: -1 | 0 | 1, content?: string) => Token;

/** Links the references in a text that are not part of a link. */
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

function isExternal(address: string): boolean {
  return /^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(address);
}

function resolvedLink(address: string, resolver: LinkResolver, prefix: string): string | undefined {
  if (address.startsWith('#')) return `#${prefix}${address.slice(1)}`;
  return isExternal(address) ? address : resolver.link(address);
}
