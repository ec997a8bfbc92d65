import type { RepositoryDir } from '../../repositories/objects.ts';
import { createFieldLimit, NAME_BYTES, shortName } from '../../repositories/shortFields.ts';

/** Author of commits, by email address. */
export interface Contributor {
  readonly name: string;
  readonly email: string;
  readonly commits: number;
}

export type ContributorOrder = 'name' | 'email' | 'commits';

/** Maximum number of counted commits, the newest first. */
const MAX_COMMITS = 100_000;
/** Number of commits counted before the event loop continues. */
const COMMITS_AT_ONCE = 10_000;

/** Returns the authors of the history of a commit without its merges. The name of an author is that of the newest commit. */
export async function readContributors({ git, folder }: RepositoryDir, commit: string): Promise<Contributor[]> {
  const args = [
    'log',
    '--no-merges',
    `--max-count=${MAX_COMMITS}`,
    '-z',
    '--encoding=UTF-8',
    '--format=tformat:%an%x00%ae',
    commit,
    '--',
  ];
  const { stdout } = await git.run(folder, args, { filter: createFieldLimit([NAME_BYTES, NAME_BYTES]) });
  const fields = stdout.toString('utf8').split('\0');
  const found = new Map<string, { readonly name: string; readonly email: string; commits: number }>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [name, email] = [shortName(fields[at] ?? ''), shortName(fields[at + 1] ?? '')];
    const known = found.get(email);
    if (known === undefined) found.set(email, { name, email, commits: 1 });
    else known.commits += 1;
    if (at % (2 * COMMITS_AT_ONCE) === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return [...found.values()];
}

/** Sorts contributors; equal ones by email address. */
export function sortedContributors(
  contributors: readonly Contributor[],
  order: ContributorOrder,
  sort: 'asc' | 'desc',
): Contributor[] {
  const key = (one: Contributor): string | number => (order === 'commits' ? one.commits : one[order].toLowerCase());
  const direction = sort === 'asc' ? 1 : -1;
  return contributors.toSorted((a, b) => compared(key(a), key(b)) * direction || compared(a.email, b.email));
}

function compared(a: string | number, b: string | number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
