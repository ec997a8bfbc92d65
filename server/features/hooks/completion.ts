import { isJsonObject } from '../../../src/contract/json.ts';
import { type CommitObject, listCommits, readChangedPaths, readCommits } from '../../repositories/objects.ts';
import { openRepository } from '../git/git.ts';
import { presentCommit } from '../code/code.ts';
import { type Project, projectById } from '../projectAccess/projectAccess.ts';
import type { DeliveryRow } from './deliveryStore.ts';
import type { HookCore } from './hookCore.ts';
import { objectIn } from './json.ts';

// Parts of payloads that are read from the repository. That takes git, so it cannot happen in the transaction of the change. Commits do
// not change, so it makes no difference that they are read later.

/** Maximum number of commits in the payload of a push. */
const MAX_COMMITS = 20;
/** Maximum number of paths of a commit in a payload, for each kind of change. */
const MAX_PATHS = 1000;

export type Completion =
  /** `commits` of a push: the newest commits that are reached by `from`, but not by `without`. */
  | { readonly kind: 'commits'; readonly projectId: number; readonly from: string; readonly without: readonly string[] }
  /** A commit as `commit`, as `last_commit` of `object_attributes`, or as that of `merge_request`. */
  | {
      readonly kind: 'commit';
      readonly projectId: number;
      readonly sha: string;
      readonly as: 'commit' | 'object_attributes' | 'merge_request';
    };

/** Returns the payload of a delivery as JSON, with what it still needs of the repository. */
export async function completed(core: HookCore, { id, payload, completion }: DeliveryRow): Promise<string> {
  const wanted = completion === null ? undefined : completionIn(completion);
  if (wanted === undefined) return payload;
  try {
    const members = await membersOf(core, wanted, objectIn(payload));
    return JSON.stringify({ ...objectIn(payload), ...members });
  } catch (error) {
    core.log.error(`the commits of delivery ${id} of a hook could not be read`, error);
    return payload;
  }
}

function completionIn(json: string): Completion | undefined {
  const { kind, projectId, from, without, sha, as } = objectIn(json);
  if (typeof projectId !== 'number') return undefined;
  if (kind === 'commits' && typeof from === 'string' && Array.isArray(without)) {
    return { kind, projectId, from, without: without.map(String) };
  }
  if (kind !== 'commit' || typeof sha !== 'string') return undefined;
  return as === 'commit' || as === 'object_attributes' || as === 'merge_request' ? { kind, projectId, sha, as } : undefined;
}

async function membersOf(
  core: HookCore,
  wanted: Completion,
  payload: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const project = projectById(core.store, wanted.projectId, 0);
  const repository = project === undefined ? undefined : await openRepository(core, project);
  if (project === undefined || repository === undefined) return {};
  const url = core.origin.value;
  if (wanted.kind === 'commit') {
    const [commit] = await readCommits(repository, [wanted.sha]);
    if (commit === undefined) return {};
    if (wanted.as === 'commit') return { commit: commitOf(commit, project, url) };
    const inside = payload[wanted.as];
    return { [wanted.as]: { ...(isJsonObject(inside) ? inside : {}), last_commit: commitOf(commit, project, url) } };
  }
  const commits = (await listCommits(repository, { from: [wanted.from], without: wanted.without }, MAX_COMMITS, 0)).toReversed();
  const paths = await readChangedPaths(
    repository,
    commits.map(({ id }) => id),
  );
  return {
    commits: commits.map((commit) => {
      const { added = [], modified = [], removed = [] } = paths.get(commit.id) ?? {};
      return {
        ...commitOf(commit, project, url),
        added: added.slice(0, MAX_PATHS),
        modified: modified.slice(0, MAX_PATHS),
        removed: removed.slice(0, MAX_PATHS),
      };
    }),
  };
}

/** Returns a commit as payloads have it. */
export function commitOf(commit: Omit<CommitObject, 'tree'>, project: Pick<Project, 'full_path'>, url: string) {
  const { id, message, title, committed_date: time, web_url: page } = presentCommit(commit, project, url);
  const { name, email } = commit.author;
  return { id, message, title, timestamp: time.replace(/\.\d{3}/, ''), url: page, author: { name, email } };
}
