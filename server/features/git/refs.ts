import { Unavailable } from '../../core/errors.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { isObjectId, isShortObjectId } from '../../repositories/names.ts';
import {
  type CommitObject,
  commitOf,
  commitsOf,
  listCommits,
  type RepositoryDir,
  readCommits,
} from '../../repositories/objects.ts';
import { openRepository } from './open.ts';
import { refOf, type RefKind, type RefRow } from './store.ts';

/**
 * Resolves a ref of a request to a commit: the name of a branch or tag, a full or abbreviated commit id, or HEAD. No other git
 * revision syntax is supported. Returns undefined if there is none.
 */
export async function resolveRef(
  core: Core,
  repository: RepositoryDir | undefined,
  project: Pick<Project, 'id' | 'default_branch'>,
  ref: string,
): Promise<string | undefined> {
  if (repository === undefined) return undefined;
  if (isObjectId(ref)) return commitOf(repository, ref);
  const named = (kind: RefKind, name: string): string | undefined => refOf(core.store, project.id, kind, name)?.commit_id;
  if (ref === 'HEAD') return named('branch', project.default_branch);
  const full = /^refs\/(heads|tags)\/(.+)$/s.exec(ref);
  if (full !== null) return named(full[1] === 'heads' ? 'branch' : 'tag', full[2] ?? '');
  return named('tag', ref) ?? named('branch', ref) ?? (isShortObjectId(ref) ? commitOf(repository, ref) : undefined);
}

/** Resolves a ref to a commit; returns undefined if there is none. Throws `Unavailable` without git. */
export async function findCommit(
  core: GitCore,
  project: Pick<Project, 'id' | 'default_branch'>,
  ref: string,
): Promise<CommitObject | undefined> {
  const repository = await openRepository(core, project);
  const id = await resolveRef(core, repository, project, ref);
  if (repository === undefined || id === undefined) return undefined;
  const [commit] = await readCommits(repository, [id]);
  return commit;
}

/**
 * Resolves abbreviated ids (at least seven hexadecimal digits) and tags to commits. Names that do not resolve are left out.
 * Returns none without git.
 */
export async function namedCommits(
  core: GitCore,
  project: Pick<Project, 'id' | 'default_branch'>,
  names: { readonly ids: readonly string[]; readonly tags: readonly string[] },
): Promise<{ readonly ids: ReadonlyMap<string, string>; readonly tags: ReadonlyMap<string, string> }> {
  const tags = new Map<string, string>();
  for (const tag of new Set(names.tags)) {
    const commit = refOf(core.store, project.id, 'tag', tag)?.commit_id;
    if (commit !== undefined) tags.set(tag, commit);
  }
  try {
    const repository = names.ids.length === 0 ? undefined : await openRepository(core, project);
    return { tags, ids: repository === undefined ? new Map() : await commitsOf(repository, names.ids.filter(isShortObjectId)) };
  } catch (error) {
    if (error instanceof Unavailable) return { tags, ids: new Map() };
    throw error;
  }
}

/** Returns the kind of the ref with this name; undefined if there is none. */
export function refKindOf(core: Core, project: Pick<Project, 'id'>, name: string): RefKind | undefined {
  const kinds = ['branch', 'tag'] as const;
  return kinds.find((kind) => refOf(core.store, project.id, kind, name) !== undefined);
}

/** Returns a tag of a project by name; undefined if there is none. */
export function findTag(core: Core, projectId: number, name: string): RefRow | undefined {
  return refOf(core.store, projectId, 'tag', name);
}

/** Returns the commit that a branch points to. */
export function branchHead(core: Core, projectId: number, branch: string): string | undefined {
  return refOf(core.store, projectId, 'branch', branch)?.commit_id;
}

/** Returns true if the repository contains the commit. */
export async function hasCommit(repository: RepositoryDir, commit: string): Promise<boolean> {
  return (await commitOf(repository, commit)) !== undefined;
}

/** Returns true if a commit is another one or one of its ancestors. False without git. */
export async function isAncestor(
  core: GitCore,
  project: Pick<Project, 'id' | 'default_branch'>,
  commit: string,
  descendant: string,
): Promise<boolean> {
  try {
    const repository = await openRepository(core, project);
    if (repository === undefined) return false;
    const { git, folder } = repository;
    const { code } = await git.run(folder, ['merge-base', '--is-ancestor', commit, descendant], { codes: [1, 128] });
    return code === 0;
  } catch (error) {
    if (error instanceof Unavailable) return false;
    throw error;
  }
}

/** Returns the newest commit of a history that changed a file. */
export async function lastCommitOf(repository: RepositoryDir, commit: string, path: string): Promise<string | undefined> {
  const key = `${commit}:${path}`;
  const known = lastCommits.get(key);
  if (known !== undefined) return known;
  const [newest] = await listCommits(repository, { from: [commit], path }, 1, 0);
  if (newest === undefined) return undefined;
  const [oldest] = lastCommits.keys();
  if (lastCommits.size >= MAX_LAST_COMMITS && oldest !== undefined) lastCommits.delete(oldest);
  lastCommits.set(key, newest.id);
  return newest.id;
}

/** Maximum number of cached last commits of files. */
const MAX_LAST_COMMITS = 5000;
/** Newest commits by commit and path. They never change, because a commit determines its history. */
const lastCommits = new Map<string, string>();
