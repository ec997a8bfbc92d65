import type { Branch, CommitDetail, CommitStats, CommitWithStats, Tag, TreeEntry } from '../../../src/contract/repositories.ts';
import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { diff } from './responses.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import { addressPath } from '../../web/addresses.ts';
import { developerAccess, isProtected, isProtectedTag, mayPushTo } from '../pushes/pushes.ts';
import type { CommitObject, Entry, FileChange } from '../../repositories/objects.ts';
import { presentCommit } from './presentCommit.ts';
import type { RefRow } from '../git/git.ts';

interface Counted {
  readonly additions: number;
  readonly deletions: number;
}

function presentStats(stats: Counted | undefined): CommitStats {
  const { additions, deletions } = stats ?? { additions: 0, deletions: 0 };
  return { additions, deletions, total: additions + deletions };
}

export function presentCommitWithStats(
  commit: CommitObject,
  project: Project,
  baseUrl: string,
  stats: Counted | undefined,
): CommitWithStats {
  return { ...presentCommit(commit, project, baseUrl), stats: presentStats(stats) };
}

/** Omits `stats` if they were not requested. */
export function presentCommitDetail(
  commit: CommitObject,
  project: Project,
  baseUrl: string,
  stats: Counted | 'unasked' | undefined,
  lastPipeline: CommitDetail['last_pipeline'],
): CommitDetail {
  return {
    ...presentCommit(commit, project, baseUrl),
    ...(stats === 'unasked' ? {} : { stats: presentStats(stats) }),
    status: lastPipeline?.status ?? null,
    project_id: project.id,
    last_pipeline: lastPipeline,
  };
}

/** `merged` lists the branches that are fully contained in the default branch. */
export function presentBranch(
  core: Core,
  branch: RefRow,
  commit: CommitObject,
  found: FoundProject,
  baseUrl: string,
  merged: ReadonlySet<string>,
): Branch {
  const { project } = found;
  const isGuarded = isProtected(core, project, branch.name);
  const developers = developerAccess(core, project, branch.name);
  return {
    name: branch.name,
    commit: presentCommit(commit, project, baseUrl),
    merged: branch.name !== project.default_branch && merged.has(branch.name),
    protected: isGuarded,
    developers_can_push: developers.push,
    developers_can_merge: developers.merge,
    can_push: mayPushTo(core, found, branch.name),
    default: branch.name === project.default_branch,
    web_url: `${baseUrl}/${project.full_path}/-/tree/${addressPath(branch.name)}`,
  };
}

/** `release` is the release of the tag; undefined if there is none. */
export function presentTag(
  core: Core,
  tag: RefRow,
  commit: CommitObject,
  project: Project,
  baseUrl: string,
  release: { readonly description: string | null } | undefined,
): Tag {
  return {
    name: tag.name,
    message: tag.message,
    target: tag.target,
    commit: presentCommit(commit, project, baseUrl),
    release: release === undefined ? null : { tag_name: tag.name, description: release.description },
    protected: isProtectedTag(core, project, tag.name),
    created_at: tag.tagged_at === null ? null : isoTime(tag.tagged_at),
  };
}

/** `inside` is the path of the listed directory; empty for the root. */
export function presentEntry(entry: Entry, inside: string): TreeEntry {
  const path = inside === '' ? entry.path : `${inside}/${entry.path}`;
  return { id: entry.id, name: path.slice(path.lastIndexOf('/') + 1), type: entry.type, path, mode: entry.mode };
}

export function presentDiff(change: FileChange): ResponseOf<typeof diff> {
  return {
    diff: change.patch,
    collapsed: change.isCollapsed === true,
    too_large: false,
    new_path: change.newPath,
    old_path: change.oldPath,
    a_mode: trimmedMode(change.oldMode),
    b_mode: trimmedMode(change.newMode),
    new_file: change.kind === 'A',
    renamed_file: change.kind === 'R',
    deleted_file: change.kind === 'D',
    generated_file: null,
  };
}

/** Adds the lines that name the files, which other tools require. */
export function presentUnifiedDiff(change: FileChange): ResponseOf<typeof diff> {
  const { patch } = change;
  return { ...presentDiff(change), diff: patch === '' ? '' : `${fileLines(change)}${patch}` };
}

function fileLines({ kind, oldPath, newPath }: FileChange): string {
  return `--- ${kind === 'A' ? '/dev/null' : `a/${oldPath}`}\n+++ ${kind === 'D' ? '/dev/null' : `b/${newPath}`}\n`;
}

function trimmedMode(mode: string): string {
  return mode === '000000' ? '0' : mode;
}
