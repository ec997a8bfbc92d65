import { html } from 'hono/html';
import type { Site } from '../http/requestContext.ts';
import { addressPath } from './addresses.ts';
import type { Markup } from './layout.ts';
import { markdown, markdownBudget, type LinkResolver } from './markdown.ts';

/** Maximum number of mentioned users that are looked up per page. */
const MAX_NAMED = 100;

export interface WriterOptions {
  /** Project of the texts, to which `#12`, `!3` and relative links refer. */
  readonly project?: { readonly id: number; readonly full_path: string; readonly default_branch: string } | undefined;
}

export interface WrittenText {
  /** Level of the first heading; 2 by default. */
  readonly level?: number;
  /** Prefix of the heading IDs, which makes them unique on the page. */
  readonly name?: string;
  /** True if line breaks are preserved, as in commit messages. */
  readonly keepsLines?: boolean;
}

/** Renders a text that a user wrote. */
export type Writer = (text: string, as?: WrittenText) => Promise<Markup>;

/**
 * Creates the renderer for the texts of one page. Texts are rendered as Markdown until the budget of the page is used up, and shown as plain
 * text after that. References to issues and merge requests are linked without checking that they exist, because that would reveal
 * resources that the reader cannot access.
 */
export function createWriter(site: Pick<Site, 'hasUser'>, { project }: WriterOptions): Writer {
  const known = new Map<string, boolean>();
  const isUser = (name: string): boolean => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size >= MAX_NAMED) return false;
    const exists = site.hasUser(name);
    known.set(name, exists);
    return exists;
  };
  const resolver: LinkResolver = {
    link: (address) => (project === undefined ? undefined : (uploadLink(project, address) ?? fileLink(project, address))),
    image: (address) => (project === undefined ? undefined : uploadLink(project, address)),
    reference: (mark, name) => {
      if (mark === '@') return isUser(name) ? `/${name}` : undefined;
      return project === undefined ? undefined : `/${project.full_path}/-/${mark === '#' ? 'issues' : 'merge_requests'}/${name}`;
    },
  };
  const budget = markdownBudget();
  return async (text, { level = 2, name, keepsLines } = {}) =>
    html`<div class="markdown">${await markdown(text, resolver, level, { prefix: name, keepsLines, budget })}</div>`;
}

/** Returns the address of an upload of the project, or of another one with its full path; undefined for any other path. */
function uploadLink({ id }: NonNullable<WriterOptions['project']>, address: string): string | undefined {
  const [, container, upload] = /^(\/-\/project\/\d{1,15})?(\/uploads\/[0-9a-f]{32}\/[^/?#\\]+)$/.exec(address) ?? [];
  return upload === undefined ? undefined : `${container ?? `/-/project/${id}`}${upload}`;
}

/** Returns the link of a relative path: the file on the default branch. */
function fileLink(project: NonNullable<WriterOptions['project']>, address: string): string | undefined {
  const files = `/${project.full_path}/-/blob/${addressPath(project.default_branch)}/`;
  const to = URL.parse(address.replace(/^[/\\]+/, ''), `http://localhost${files}`);
  return to?.host === 'localhost' && to.pathname.startsWith(files) ? `${to.pathname}${to.hash}` : undefined;
}
