import { readObject } from './catFile.ts';
import { demandFewPaths } from './changedPaths.ts';
import { type Entry, type RepositoryDir, SEARCH_TIME } from './objects.ts';

/** Lines of a file around those that match. */
export interface Excerpt {
  readonly path: string;
  /** Number of the first line. */
  readonly startLine: number;
  readonly text: string;
}

/** Lines before and after a match. */
const CONTEXT = 2;
/** Amounts of output that end a search, in bytes. */
const ENOUGH_EXCERPTS = 4 * 1024 * 1024;
const ENOUGH_PATHS = 32 * 1024 * 1024;

/**
 * Finds a text in the files of a commit, in the order of their paths. The case of ASCII letters is ignored; binary files are not searched.
 * Ends after 4 MiB of lines.
 *
 * @throws 503 after ten seconds.
 * @throws {Refused} if there are too many paths.
 */
export async function findInFiles(repository: RepositoryDir, commit: string, text: string): Promise<Excerpt[]> {
  const { git, folder } = repository;
  await demandFewPaths(repository, commit);
  const context = [`--before-context=${CONTEXT}`, `--after-context=${CONTEXT}`];
  const form = ['--line-number', '--null', '--full-name', '--no-color'];
  const { stdout } = await git.run(
    folder,
    ['grep', '--threads=1', '-I', '--ignore-case', '--fixed-strings', ...context, ...form, '-e', text, commit],
    { codes: [1], timeLimit: SEARCH_TIME, enough: ENOUGH_EXCERPTS },
  );
  return readExcerpts(stdout.toString('utf8'), commit);
}

/**
 * Reads the output of git grep: lines with path and number, and lines `--` between what is not contiguous. Versions of git differ in what
 * follows the number.
 */
export function readExcerpts(output: string, commit: string): Excerpt[] {
  const found: { readonly path: string; readonly startLine: number; readonly lines: string[] }[] = [];
  let isContiguous = false;
  // The part after the last line end is empty, or git was stopped within the line.
  for (const line of output.split('\n').slice(0, -1)) {
    const end = line.indexOf('\0');
    const [, number = '', text = ''] = /^(\d+)[\0:-](.*)$/s.exec(line.slice(end + 1)) ?? [];
    if (end < 0 || number === '' || !line.startsWith(`${commit}:`)) {
      isContiguous = false;
      continue;
    }
    const path = line.slice(commit.length + 1, end);
    const last = found.at(-1);
    if (isContiguous && last?.path === path) last.lines.push(text);
    else found.push({ path, startLine: Number(number), lines: [text] });
    isContiguous = true;
  }
  return found.map(({ path, startLine, lines }) => ({ path, startLine, text: `${lines.join('\n')}\n` }));
}

/**
 * Returns the files of a commit with their paths, up to 32 MiB of them.
 *
 * @throws 503 after ten seconds.
 * @throws {Refused} if there are too many paths.
 */
export async function filesOfCommit(repository: RepositoryDir, commit: string): Promise<Pick<Entry, 'id' | 'path'>[]> {
  const { git, folder } = repository;
  await demandFewPaths(repository, commit);
  const limits = { timeLimit: SEARCH_TIME, enough: ENOUGH_PATHS };
  const { stdout } = await git.run(folder, ['ls-tree', '-r', '-z', '--full-tree', commit], limits);
  return stdout
    .toString('utf8')
    .split('\0')
    .slice(0, -1)
    .flatMap((record) => {
      const tab = record.indexOf('\t');
      const [, type, id = ''] = record.slice(0, tab).split(' ');
      return type === 'blob' ? [{ id, path: record.slice(tab + 1) }] : [];
    });
}

/** Returns the text of a file; undefined for a binary file or one of more than 8 MiB. */
export async function readText({ git, folder }: RepositoryDir, id: string): Promise<string | undefined> {
  const object = await readObject(git, folder, id);
  const content = object === undefined || object === 'missing' ? undefined : object.content;
  return content === undefined || content.includes(0) ? undefined : content.toString('utf8');
}
