import type { GitCore } from '../../repositories/repositories.ts';
import { isShortObjectId } from '../../repositories/names.ts';
import { countCommits, type History, listCommits, readCommits } from '../../repositories/objects.ts';
import { filesOfCommit, findInFiles, readText } from '../../repositories/searching.ts';
import type { SlowOffsetList } from '../../http/pagination.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { openRepository, resolveRef } from '../git/git.ts';
import { presentCommit } from './presentCommit.ts';
import type { commit as commitResponse, foundBlob } from './responses.ts';

/** Maximum length of the text of one result, in characters. */
const MAX_DATA = 10_000;

type FoundBlob = ResponseOf<typeof foundBlob>;

/** Filters by name: what stands before their value, and whether the path must end with it. */
const filters = {
  filename: { prefix: '', atEnd: true },
  path: { prefix: '', atEnd: false },
  extension: { prefix: '.', atEnd: true },
} as const;

function isFilter(name: string): name is keyof typeof filters {
  return Object.hasOwn(filters, name);
}

/** Returns true if a text contains the parts one after the other, the last one at its end if `atEnd`. Not a regular expression, which could be slow. */
function containsParts(text: string, parts: readonly string[], atEnd: boolean): boolean {
  let position = 0;
  for (const part of parts.slice(0, -1)) {
    const found = text.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  const last = parts.at(-1) ?? '';
  return atEnd ? text.endsWith(last) && text.length - last.length >= position : text.includes(last, position);
}

export interface FileQuery {
  /** Text that files or their paths contain; may be empty. */
  readonly text: string;
  readonly hasFilters: boolean;
  /** Returns true for a path that matches all filters. */
  matches(path: string): boolean;
}

/**
 * Reads the search for files: a text with filters like `filename:*.ts`, `path:docs` and `extension:md`, of which `-path:docs` excludes
 * matches. `*` matches anything.
 */
export function readFileQuery(search: string): FileQuery {
  const words: string[] = [];
  const conditions: ((path: string) => boolean)[] = [];
  for (const word of search.split(/\s+/).filter((part) => part !== '')) {
    const [, minus, name = '', value = ''] = /^(-?)(\w+):(.+)$/.exec(word) ?? [];
    if (!isFilter(name)) {
      words.push(word);
      continue;
    }
    const { prefix, atEnd } = filters[name];
    const parts = `${prefix}${value}`.toLowerCase().split('*');
    conditions.push((path) => containsParts(path.toLowerCase(), parts, atEnd) !== (minus === '-'));
  }
  return {
    text: words.join(' '),
    hasFilters: conditions.length > 0,
    matches: (path) => conditions.every((condition) => condition(path)),
  };
}

/** Returns the files of a branch, tag or commit whose path or content contains a text: first those with a path, then excerpts. */
export async function searchBlobs(
  core: GitCore,
  project: Project,
  { search, ref }: { readonly search: string; readonly ref: string },
): Promise<SlowOffsetList<FoundBlob>> {
  const repository = await openRepository(core, project);
  const commit = await resolveRef(core, repository, project, ref === '' ? project.default_branch : ref);
  const query = readFileQuery(search);
  if (repository === undefined || commit === undefined) return { count: () => 0, rows: () => [] };
  const text = query.text.toLowerCase();
  const files = (await filesOfCommit(repository, commit)).filter(
    ({ path }) => path.toLowerCase().includes(text) && query.matches(path),
  );
  const inside = text === '' ? [] : await findInFiles(repository, commit, query.text);
  const excerpts = query.hasFilters ? inside.filter(({ path }) => query.matches(path)) : inside;
  const present = (path: string, startLine: number, data: string): FoundBlob => ({
    basename: path.replace(/(?<=[^/])\.[^./]*$/, ''),
    data: data.slice(0, MAX_DATA),
    path,
    filename: path,
    id: null,
    ref: ref === '' ? project.default_branch : ref,
    startline: startLine,
    project_id: project.id,
  });
  return {
    count: (cap) => Math.min(files.length + excerpts.length, cap),
    rows: async (limit, offset) => {
      const found: FoundBlob[] = [];
      for (const { id, path } of files.slice(offset, offset + limit)) {
        found.push(present(path, 1, (await readText(repository, id)) ?? ''));
      }
      const start = Math.max(offset - files.length, 0);
      const rest = excerpts.slice(start, start + limit - found.length);
      return [...found, ...rest.map((excerpt) => present(excerpt.path, excerpt.startLine, excerpt.text))];
    },
  };
}

/** Returns the commits of a branch, tag or commit whose message contains a text, newest first, after the one with the text as its id. */
export async function searchCommits(
  core: GitCore,
  project: Project,
  { search, ref }: { readonly search: string; readonly ref: string },
  baseUrl: string,
): Promise<SlowOffsetList<ResponseOf<typeof commitResponse>>> {
  const repository = await openRepository(core, project);
  const commit = await resolveRef(core, repository, project, ref === '' ? project.default_branch : ref);
  if (repository === undefined || commit === undefined) return { count: () => 0, rows: () => [] };
  const named = isShortObjectId(search) ? await resolveRef(core, repository, project, search) : undefined;
  const first = named === undefined ? [] : await readCommits(repository, [named]);
  const history: History = { from: [commit], message: search };
  return {
    count: async (cap) => first.length + (await countCommits(repository, history, cap - first.length)),
    rows: async (limit, offset) => {
      const begin = first.slice(offset, offset + limit);
      const more = await listCommits(repository, history, limit - begin.length, Math.max(offset - first.length, 0));
      return [...begin, ...more].map((one) => presentCommit(one, project, baseUrl));
    },
  };
}
