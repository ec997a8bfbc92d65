import type { PushedRef } from '../changes.ts';
import { forbidden, refusedChange } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { type FoundProject, setDefaultBranch } from '../projects/projects.ts';
import { type Action, applyActions, type Changed, pathsOf } from './actions.ts';
import { entriesOfTree, EMPTY_FOLDER, type FolderNode, mergeTrees, withFile } from './fileTree.ts';
import { mayPush, mayPushTo, openRepository } from './git.ts';
import { identText, isRefName, readmeAmong, titleOf } from './names.ts';
import type { CommitObject } from './objects.ts';
import { createPack, type Pack } from './pack.ts';
import {
  hasBranches,
  insertRepository,
  insertSingle,
  refOf,
  type RefKind,
  type RefRow,
  rivalOf,
  writeHead,
  writeReadme,
  writeRef,
} from './store.ts';
import { commitText, tagText, type Writer } from './writing.ts';

// Commits and tags that are written before the project is there that they are for. With the objects on the disk already, a project and
// all its pushes come to be in one transaction, or not at all.

/** Who commits or tags, and when: milliseconds since the epoch. */
export interface PlannedBy {
  readonly user: Pick<User, 'name' | 'username' | 'email'>;
  readonly at: number;
}

export interface PlannedCommit extends PlannedBy {
  readonly kind: 'commit';
  readonly branch: string;
  /** Branch from which a new one begins; the default branch when it is left out. */
  readonly startBranch?: string | undefined;
  readonly message: string;
  /** Files as they are to be, by path; undefined for one that goes. */
  readonly files: ReadonlyMap<string, { readonly content: Buffer; readonly executable: boolean } | undefined>;
}

export interface PlannedTag extends PlannedBy {
  readonly kind: 'tag';
  readonly name: string;
  /** Branch whose newest commit it names. */
  readonly branch: string;
  readonly message?: string | undefined;
}

/** A commit of two parents that merges one branch into another. */
export interface PlannedMerge extends PlannedBy {
  readonly kind: 'merge';
  /** The branch that is merged. */
  readonly source: string;
  /** The branch that it is merged into. */
  readonly branch: string;
  readonly message: string;
}

export type PlannedPush = PlannedCommit | PlannedTag | PlannedMerge;

/** What one push does to a ref. */
export interface PreparedPush {
  readonly kind: RefKind;
  readonly ref: RefRow;
  readonly commitFrom: string | null;
  readonly commitCount: number;
  readonly commitTitle: string | null;
  /** The file that describes the project, where the branch is the default one. */
  readonly readme: string | null;
  /** The commit that a merge merges. */
  readonly merges: string | undefined;
}

export interface PreparedHistory {
  readonly folder: string;
  /** In the order of what was planned. */
  readonly pushes: readonly PreparedPush[];
  /** By their ids. */
  readonly commits: ReadonlyMap<string, CommitObject>;
}

/** One of the planned things cannot be. */
export interface ImpossiblePush {
  readonly index: number;
  readonly refusal: string;
}

/** A commit that was made up; its parents are places in the same list. */
interface Draft {
  readonly id: string;
  readonly parents: readonly number[];
  readonly tree: FolderNode;
  readonly title: string;
  readonly committedAt: number;
}

/**
 * Writes what is planned, in the given order, into a repository of its own that belongs to no project yet. Says what is impossible instead.
 * Throws 503 where there is no git.
 */
export async function prepareHistory(
  platform: Platform,
  defaultBranch: string,
  planned: readonly PlannedPush[],
): Promise<PreparedHistory | { readonly impossible: readonly ImpossiblePush[] }> {
  const pack = createPack();
  const draft = draftOf(pack, defaultBranch, planned);
  if ('impossible' in draft) return draft;
  const { repositories } = platform;
  // Afterwards nobody takes the new folder for one that was left behind.
  await openRepository(platform, { id: 0, default_branch: defaultBranch });
  const folder = repositories.newName();
  repositories.create(folder, defaultBranch);
  await pack.write(repositories.folderOf(folder));
  return { folder, ...draft };
}

/** Removes a repository that no project was given. */
export function discardHistory({ repositories }: Platform, { folder }: PreparedHistory): void {
  repositories.discard(folder);
}

/** Gives a new project the repository. Inside the transaction of the project. */
export function adoptHistory(platform: Platform, { project }: FoundProject, { folder }: PreparedHistory): void {
  insertRepository(platform.store, project.id, folder, platform.clock.now());
}

/** Makes a repository of no project of it; returns its number. Inside of the transaction of what it is for. */
export function adoptSingle({ store }: Platform, { folder, pushes }: PreparedHistory): number {
  const id = insertSingle(store, folder);
  const head = pushes.at(-1)?.ref.commit_id;
  if (head !== undefined) writeHead(store, id, head);
  return id;
}

/**
 * Pushes the next thing that was prepared; the folder follows when it is first opened. Inside of a transaction. Throws 403 for somebody
 * who may not push there.
 */
export function pushPrepared(platform: Platform, found: FoundProject, user: User, push: PreparedPush): void {
  const { store, changes } = platform;
  const { project } = found;
  const { kind, ref } = push;
  const isAllowed = kind === 'tag' || !hasBranches(store, project.id) ? mayPush(found) : mayPushTo(found, ref.name);
  if (!isAllowed) throw forbidden(undefined, `${user.username} cannot push to ${ref.name}`, 'push');
  if (rivalOf(store, project.id, kind, ref.name) !== undefined)
    throw refusedChange(
      kind === 'branch' ? 'Branch name is invalid' : 'Tag name invalid',
      'conflicts with another ref: one name would be a directory of the other',
    );
  const before = refOf(store, project.id, kind, ref.name);
  const isFirst = kind === 'branch' && !hasBranches(store, project.id);
  const defaultBranch = isFirst ? ref.name : project.default_branch;
  writeRef(store, project.id, ref);
  if (defaultBranch !== project.default_branch) setDefaultBranch(platform, project.id, defaultBranch);
  if (kind === 'branch' && ref.name === defaultBranch) writeReadme(store, project.id, push.readme);
  const pushed: PushedRef = {
    ref: ref.name,
    refType: kind,
    action: before === undefined ? 'created' : 'pushed',
    commitFrom: push.commitFrom,
    commitTo: ref.commit_id,
    commitCount: push.commitCount,
    commitTitle: push.commitTitle,
  };
  changes.publish({ kind: 'refsPushed', projectId: project.id, authorId: user.id, refs: [pushed] });
}

/** The commit that a branch or tag stands for at present. */
export function refHead(
  platform: Platform,
  projectId: number,
  name: string,
): { readonly sha: string; readonly isTag: boolean } | undefined {
  const branch = refOf(platform.store, projectId, 'branch', name);
  const ref = branch ?? refOf(platform.store, projectId, 'tag', name);
  return ref === undefined ? undefined : { sha: ref.commit_id, isTag: branch === undefined };
}

/** Makes up every commit and tag; in the words of the wire what is impossible. */
function draftOf(
  pack: Pack,
  defaultBranch: string,
  planned: readonly PlannedPush[],
): Pick<PreparedHistory, 'pushes' | 'commits'> | { readonly impossible: ImpossiblePush[] } {
  const impossible: ImpossiblePush[] = [];
  const drafts: Draft[] = [];
  const commits = new Map<string, CommitObject>();
  const pushes: PreparedPush[] = [];
  const branches = new Map<string, number>();
  const tags = new Set<string>();

  const addCommit = (parents: readonly number[], tree: FolderNode, message: string, by: Writer): number => {
    const parentIds = parents.map((parent) => drafts[parent]?.id ?? '');
    const treeId = pack.addTree(tree);
    const text = commitText({ tree: treeId, parents: parentIds, author: by, committer: by, message });
    const id = pack.add('commit', Buffer.from(text));
    const signature = { ...by, seconds: Math.max(by.seconds, 0), zone: '+0000' };
    commits.set(id, { id, tree: treeId, parents: parentIds, author: signature, committer: signature, message });
    return drafts.push({ id, parents, tree, title: titleOf(message), committedAt: by.seconds * 1000 }) - 1;
  };
  const moveBranch = (branch: string, commit: Draft, at: number, merges: string | undefined): void => {
    const head = branches.get(branch);
    const known = head ?? branches.get(defaultBranch);
    branches.set(branch, at);
    pushes.push({
      kind: 'branch',
      ref: {
        kind: 'branch',
        name: branch,
        target: commit.id,
        commit_id: commit.id,
        committed_at: commit.committedAt,
        message: null,
        tagged_at: null,
      },
      commitFrom: head === undefined ? null : (drafts[head]?.id ?? null),
      commitCount: broughtBy(drafts, at, known),
      commitTitle: commit.title,
      readme: readmeAmong([...commit.tree.entries].filter(([, { kind }]) => kind === 'file').map(([name]) => name)) ?? null,
      merges,
    });
  };

  for (const [index, plan] of planned.entries()) {
    const { user, at } = plan;
    const seconds = Math.floor(at / 1000);
    const by = { name: identText(user.name, user.username), email: identText(user.email, 'unknown'), seconds };
    const refuse = (refusal: string): void => void impossible.push({ index, refusal });
    if (plan.kind === 'tag') {
      const commit = drafts[branches.get(plan.branch) ?? -1];
      if (!isRefName(plan.name)) refuse(`"${plan.name}" is not a valid tag name`);
      else if (tags.has(plan.name)) refuse(`tag ${plan.name} already exists`);
      else if (commit === undefined) refuse(`branch ${plan.branch} has no commit at that time`);
      else {
        tags.add(plan.name);
        pushes.push(tagPush(pack, plan, commit, by));
      }
      continue;
    }
    if (plan.kind === 'merge') {
      const [target, source] = [branches.get(plan.branch), branches.get(plan.source)];
      const tree = mergedTree(drafts, plan, target, source);
      if ('refusal' in tree) refuse(tree.refusal);
      else if (target !== undefined && source !== undefined) {
        const repository = addCommit([target, source], tree, plan.message, by);
        const commit = drafts[repository];
        if (commit !== undefined) moveBranch(plan.branch, commit, repository, drafts[source]?.id);
      }
      continue;
    }
    const base = baseOf(plan, defaultBranch, branches);
    if (typeof base === 'object') {
      refuse(base.refusal);
      continue;
    }
    const before = base === undefined ? EMPTY_FOLDER : (drafts[base]?.tree ?? EMPTY_FOLDER);
    const after = changedTree(pack, before, plan);
    if ('refusal' in after) {
      refuse(after.refusal);
      continue;
    }
    const repository = addCommit(base === undefined ? [] : [base], after, plan.message, by);
    const commit = drafts[repository];
    if (commit !== undefined) moveBranch(plan.branch, commit, repository, undefined);
  }
  return impossible.length > 0 ? { impossible } : { pushes, commits };
}

function tagPush(pack: Pack, { name, message }: PlannedTag, { id, committedAt, title }: Draft, tagger: Writer): PreparedPush {
  const plain = { kind: 'tag', name, commit_id: id, committed_at: committedAt } as const;
  const ref: RefRow =
    message === undefined || message.trim() === ''
      ? { ...plain, target: id, message: null, tagged_at: null }
      : {
          ...plain,
          target: pack.add('tag', Buffer.from(tagText({ name, commit: id, tagger, message }))),
          message,
          tagged_at: tagger.seconds * 1000,
        };
  return { kind: 'tag', ref, commitFrom: null, commitCount: 1, commitTitle: title, readme: null, merges: undefined };
}

/** The commit on which a new one is made, undefined for the first of all, or why there is none. */
function baseOf(
  { branch, startBranch }: PlannedCommit,
  defaultBranch: string,
  branches: ReadonlyMap<string, number>,
): number | undefined | { readonly refusal: string } {
  if (!isRefName(branch)) return { refusal: `"${branch}" is not a valid branch name` };
  const head = branches.get(branch);
  if (head !== undefined && startBranch !== undefined)
    return { refusal: `branch ${branch} already exists, so it cannot start from another branch` };
  const start = startBranch ?? defaultBranch;
  const base = head ?? branches.get(start);
  if (base === undefined && (branches.size > 0 || (startBranch !== undefined && start !== branch)))
    return { refusal: `branch ${start} has no commit at that time` };
  return base;
}

function changedTree(pack: Pack, before: FolderNode, plan: PlannedCommit): FolderNode | { readonly refusal: string } {
  const paths = [...plan.files.keys()];
  const there = entriesOfTree(before, paths);
  const actions = [...plan.files].map(([path, file]): Action => {
    if (file === undefined) return { action: 'delete', path };
    const action = there.get(path)?.type === 'blob' ? 'update' : 'create';
    return { action, path, content: file.content, executable: file.executable };
  });
  const changed: Changed | { refusal: string } = applyActions(entriesOfTree(before, pathsOf(actions)), actions);
  if ('refusal' in changed) return changed;
  let after = before;
  // What goes may be in the way of what comes.
  for (const [path, state] of changed) if (state === undefined) after = withFile(after, path.split('/'), undefined);
  for (const [path, state] of changed) {
    if (state === undefined) continue;
    const { mode, content } = state;
    const id = 'id' in content ? content.id : pack.add('blob', content.bytes);
    after = withFile(after, path.split('/'), { kind: 'file', mode, id });
  }
  return after;
}

/** What a merge has, or why it is none. */
function mergedTree(
  drafts: readonly Draft[],
  { branch, source }: PlannedMerge,
  target: number | undefined,
  head: number | undefined,
): FolderNode | { readonly refusal: string } {
  const [ours, theirs] = [drafts[target ?? -1], drafts[head ?? -1]];
  if (target === undefined || ours === undefined) return { refusal: `branch ${branch} has no commit at that time` };
  if (head === undefined || theirs === undefined) return { refusal: `branch ${source} has no commit at that time` };
  const known = reachedFrom(drafts, target);
  if (known.has(head)) return { refusal: `branch ${source} has no commits to merge into ${branch}` };
  // The newest commit of both stands last, because parents stand in front.
  const base = drafts[Math.max(...[...reachedFrom(drafts, head)].filter((one) => known.has(one)))];
  const merged = mergeTrees(base?.tree ?? EMPTY_FOLDER, ours.tree, theirs.tree);
  return 'conflict' in merged ? { refusal: `merging ${source} into ${branch} conflicts in ${merged.conflict}` } : merged;
}

/** How many commits one reaches that another does not. */
function broughtBy(drafts: readonly Draft[], commit: number, known: number | undefined): number {
  const old = known === undefined ? new Set<number>() : reachedFrom(drafts, known);
  return [...reachedFrom(drafts, commit)].filter((one) => !old.has(one)).length;
}

function reachedFrom(drafts: readonly Draft[], from: number): Set<number> {
  const found = new Set([from]);
  // A set hands out also what is added to it meanwhile.
  for (const one of found) for (const parent of drafts[one]?.parents ?? []) found.add(parent);
  return found;
}
