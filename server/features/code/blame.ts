import { badRequest } from '../../core/errors.ts';
import { isoTime } from '../../core/clock.ts';
import { type CommitObject, type RepositoryDir, readCommits, SEARCH_TIME } from '../../repositories/objects.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { blame as blameResponse } from './responses.ts';

/** Maximum size of a blamed file, in bytes. The response is several times as large. */
export const MAX_BLAMED_BYTES = 5 * 1024 * 1024;

interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the commits that last changed the lines of a file, in the order of the lines. Lines behind the end of the file are left out. */
export async function readBlame(
  repository: RepositoryDir,
  commit: string,
  path: string,
  range: LineRange | undefined,
): Promise<ResponseOf<typeof blameResponse>> {
  const lines = range === undefined ? [] : ['-L', `${range.start},${range.end}`];
  const { stdout } = await repository.git.run(repository.folder, ['blame', '--porcelain', ...lines, commit, '--', path], {
    // A range that begins behind the last line is an error of git.
    codes: range === undefined ? [] : [128],
    timeLimit: SEARCH_TIME,
  });
  const groups: { readonly id: string; readonly lines: string[] }[] = [];
  let id = '';
  for (const line of stdout.toString('utf8').split('\n')) {
    if (line.startsWith('\t')) {
      const last = groups.at(-1);
      if (last?.id === id) last.lines.push(line.slice(1));
      else groups.push({ id, lines: [line.slice(1)] });
    } else id = /^([0-9a-f]{40}) \d+ \d+/.exec(line)?.[1] ?? id;
  }
  const ids = [...new Set(groups.map((group) => group.id))];
  const commits = new Map((await readCommits(repository, ids)).map((one) => [one.id, one]));
  return groups.flatMap((group) => {
    const found = commits.get(group.id);
    return found === undefined ? [] : [{ commit: presentBlamed(found), lines: group.lines }];
  });
}

/** Reads the lines to blame from `range`. Throws `Refused` if the range is invalid. */
export function lineRange(range: { readonly start: number; readonly end: number } | undefined): LineRange | undefined {
  if (range === undefined) return undefined;
  if (range.start > range.end) throw badRequest('range[start] should be less than or equal to range[end]');
  return range;
}

function presentBlamed({ id, parents, message, author, committer }: CommitObject) {
  return {
    id,
    parent_ids: [...parents],
    message,
    authored_date: isoTime(author.seconds * 1000),
    author_name: author.name,
    author_email: author.email,
    committed_date: isoTime(committer.seconds * 1000),
    committer_name: committer.name,
    committer_email: committer.email,
  };
}
