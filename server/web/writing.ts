import { html } from 'hono/html';
import { findUserByName } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { addressPath } from './addresses.ts';
import type { Markup } from './layout.ts';
import { markdown, markdownBudget, type MarkdownPlace } from './markdown.ts';

/** Most people whom a page looks up because a text names them. */
const MAX_NAMED = 100;

export interface WritingPlace {
  /** Of the project that the texts are about: `#12`, `!3` and files without an address are its own. */
  readonly project?: { readonly full_path: string; readonly default_branch: string } | undefined;
}

export interface WrittenText {
  /** Of the first heading in it; 2 when left out. */
  readonly level?: number;
  /** In front of the names of its headings, so that no other text of the page has the same. */
  readonly name?: string;
  /** Whether every line stays a line, as in messages of commits. */
  readonly keepsLines?: boolean;
}

/** Shows what people wrote. */
export type Writer = (text: string, as?: WrittenText) => Promise<Markup>;

/**
 * What people wrote on one page: as markdown, until the page has so much of it that rendering takes long, and as it was typed from then on.
 * Issues and merge requests that a text refers to are linked without a look whether they are there: the page would have to tell whether
 * the reader may know.
 */
export function createWriter(platform: Platform, { project }: WritingPlace): Writer {
  const known = new Map<string, boolean>();
  const isPerson = (name: string): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= MAX_NAMED) return false;
    const isThere = findUserByName(platform, name) !== undefined;
    known.set(name, isThere);
    return isThere;
  };
  const location: MarkdownPlace = {
    link: (address) => (project === undefined ? undefined : fileLink(project, address)),
    image: () => undefined,
    reference: (mark, name) => {
      if (mark === '@') return isPerson(name) ? `/${name}` : undefined;
      return project === undefined ? undefined : `/${project.full_path}/-/${mark === '#' ? 'issues' : 'merge_requests'}/${name}`;
    },
  };
  const budget = markdownBudget();
  return async (text, { level = 2, name, keepsLines } = {}) =>
    html`<div class="markdown">${await markdown(text, location, level, { prefix: name, keepsLines, budget })}</div>`;
}

/** Where a path of a text leads: to the file of the default branch. */
function fileLink(project: NonNullable<WritingPlace['project']>, address: string): string | undefined {
  const files = `/${project.full_path}/-/blob/${addressPath(project.default_branch)}/`;
  const to = URL.parse(address.replace(/^[/\\]+/, ''), `http://localhost${files}`);
  return to?.host === 'localhost' && to.pathname.startsWith(files) ? `${to.pathname}${to.hash}` : undefined;
}
