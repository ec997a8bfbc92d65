import { commitsOf, readCommits, type RepositoryDir } from '../../../repositories/objects.ts';
import { MAX_LISTED_MESSAGE_BYTES, textOfBytes } from '../../../repositories/shortFields.ts';
import type { RefKind, RefRow } from '../../git/git.ts';

/** A branch or tag that a push creates or updates. */
export interface NewTarget {
  readonly kind: RefKind;
  readonly name: string;
  /** ID of the new object. */
  readonly target: string;
}

/** Returns the refs with their commits, in the same order. Returns a reason in place of a ref that cannot point to its object. */
export async function describeTargets(repository: RepositoryDir, targets: readonly NewTarget[]): Promise<(RefRow | string)[]> {
  if (targets.length === 0) return [];
  const ids = [...new Set(targets.map(({ target }) => target))];
  const types = await typesOf(repository, ids);
  const commits = await commitsOf(repository, ids);
  const times = new Map(
    (await readCommits(repository, [...new Set(commits.values())])).map(({ id, committer }) => [id, committer.seconds * 1000]),
  );
  const tags = new Map<string, { message: string; taggedAt: number | null }>();
  for (const { kind, target } of targets) {
    if (kind === 'tag' && types.get(target) === 'tag' && !tags.has(target)) tags.set(target, await readTag(repository, target));
  }
  return targets.map(({ kind, name, target }) => {
    const commit = commits.get(target);
    if (kind === 'branch' && types.get(target) !== 'commit') return 'a branch must point to a commit';
    if (commit === undefined) return `a ${kind} must point to a commit`;
    const tag = kind === 'tag' ? tags.get(target) : undefined;
    return {
      kind,
      name,
      target,
      commit_id: commit,
      committed_at: times.get(commit) ?? 0,
      message: tag?.message ?? null,
      tagged_at: tag?.taggedAt ?? null,
    };
  });
}

async function typesOf({ git, folder }: RepositoryDir, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { stdout } = await git.run(folder, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], {
    input: ids.map((id) => `${id}\n`).join(''),
  });
  return new Map(
    stdout
      .toString('latin1')
      .split('\n')
      .map((line) => [line.slice(0, 40), line.slice(41)]),
  );
}

/** Returns the message of an annotated tag, or the beginning of a long one, and the time of its tagger. */
async function readTag({ git, folder }: RepositoryDir, id: string): Promise<{ message: string; taggedAt: number | null }> {
  const { stdout } = await git.run(folder, ['cat-file', 'tag', id], { enough: 2 * MAX_LISTED_MESSAGE_BYTES });
  const text = stdout.toString('utf8');
  const end = text.indexOf('\n\n');
  const header = end < 0 ? text : text.slice(0, end);
  const seconds = /^tagger .*> (\d+) [+-]\d{4}$/m.exec(header)?.[1];
  return {
    message: end < 0 ? '' : textOfBytes(text.slice(end + 2).replace(/\n$/, ''), MAX_LISTED_MESSAGE_BYTES),
    taggedAt: seconds === undefined ? null : Number(seconds) * 1000,
  };
}
