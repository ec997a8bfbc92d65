import type { GitCore, RepositoryLocation } from '../../repositories/repositories.ts';
import { mayPush, mayPushTo, type PushedRef } from '../pushes/pushes.ts';
import { protectFirstBranch } from '../protectedRefs/protectedRefs.ts';
import { forbidden, refusedChange } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { setDefaultBranch } from '../projects/projects.ts';
import { type Action, applyActions, type Changed, pathsOf } from '../../repositories/actions.ts';
import { entriesOfTree, EMPTY_FOLDER, type FolderNode, mergeTrees, withFile } from '../../repositories/fileTree.ts';
import {
  conflictingRef,
  hasBranches,
  insertRepository,
  openRepository,
  refOf,
  type RefRow,
  writeReadme,
  writeRef,
} from '../git/git.ts';
import { identText, isRefName, readmeAmong, titleOf } from '../../repositories/names.ts';
import type { CommitObject } from '../../repositories/objects.ts';
import { createPack, type Pack } from '../../repositories/pack.ts';
import { pickStorage } from '../../repositories/storages.ts';
import { insertSingle, writeHead } from '../singleBranchRepositories/singleBranchRepositories.ts';
import { commitText, tagText, type Writer } from '../../repositories/writing.ts';

// Prepares commits and tags before their project exists. Because the objects are already on disk, a project and all its pushes
// can be created in one transaction.

/** The user who commits or tags, and the time in milliseconds since the epoch. */
export interface PlannedBy {
  readonly user: Pick<User, 'name' | 'username' | 'email'>;
  readonly at: number;
}

export interface PlannedCommit extends PlannedBy {
  readonly kind: 'commit';
  readonly branch: string;
  /** Branch that a new branch starts from; the default branch if omitted. */
  readonly startBranch?: string | undefined;
  readonly message: string;
  /** New state of files by path; undefined deletes a file. */
  readonly files: ReadonlyMap<string, { readonly content: Buffer; readonly executable: boolean } | undefined>;
}

export interface PlannedTag extends PlannedBy {
  readonly kind: 'tag';
  readonly name: string;
  /** Branch whose newest commit is tagged. */
  readonly branch: string;
  readonly message?: string | undefined;
}

/** A merge commit of one branch into another. */
export interface PlannedMerge extends PlannedBy {
  readonly kind: 'merge';
  /** Source branch. */
  readonly source: string;
  /** Target branch. */
  readonly branch: string;
  readonly message: string;
}

export type PlannedPush = PlannedCommit | PlannedTag | PlannedMerge;

/** The change of a ref by one push. */
export interface PreparedPush {
  readonly kind: 'branch' | 'tag';
  readonly ref: RefRow;
  readonly commitFrom: string | null;
  readonly commitCount: number;
  readonly commitTitle: string | null;
  /** Readme of the project, if the branch is the default branch. */
  readonly readme: string | null;
  /** Commit that a merge commit merges. */
  readonly merges: string | undefined;
}

export interface PreparedHistory {
  readonly location: RepositoryLocation;
  /** In the order of the plans. */
  readonly pushes: readonly PreparedPush[];
  /** Objects by ID. */
  readonly commits: ReadonlyMap<string, CommitObject>;
}

/** A plan that cannot be carried out, with the reason. */
export interface ImpossiblePush {
  readonly index: number;
  readonly refusal: string;
}

/** A commit under construction; its parents are indexes in the same list. */
interface Draft {
  readonly id: string;
  readonly parents: readonly number[];
  readonly tree: FolderNode;
  readonly title: string;
  readonly committedAt: number;
}

/**
 * Writes planned commits and tags, in order, into a separate repository that belongs to no project yet. Returns the impossible
 * plans instead if there are any. Throws `Unavailable` without git.
 */
export async function prepareHistory(
  core: GitCore,
  defaultBranch: string,
  planned: readonly PlannedPush[],
): Promise<PreparedHistory | { readonly impossible: readonly ImpossiblePush[] }> {
  const pack = createPack();
  const draft = draftOf(pack, defaultBranch, planned);
  if ('impossible' in draft) return draft;
  const { repositories } = core;
  // The first opening removes leftover folders, so it must happen before the new one is created.
  await openRepository(core, { id: 0, default_branch: defaultBranch });
  const location = { storage: pickStorage(core), folder: repositories.newName() };
  repositories.create(location, defaultBranch);
  await pack.write(repositories.folderOf(location));
  return { location, ...draft };
}

/** Removes a prepared repository that was not given to a project. */
export function discardHistory({ repositories }: GitCore, { location }: PreparedHistory): void {
  repositories.discard(location);
}

/** Gives the repository to a new project. Call in the transaction that creates the project. */
export function adoptHistory(core: Core, { project }: FoundProject, { location }: PreparedHistory): void {
  insertRepository(core.store, project.id, location, core.clock.now());
}

/** Makes it a standalone repository and returns the id. Call in the transaction that creates the owner. */
export function adoptSingle({ store }: Core, { location, pushes }: PreparedHistory): number {
  const id = insertSingle(store, location);
  const head = pushes.at(-1)?.ref.commit_id;
  if (head !== undefined) writeHead(store, id, head);
  return id;
}

/**
 * Applies the next prepared push; the folder is updated when it is first opened. Call in a transaction. Throws `Forbidden` if the user
 * cannot push to the ref.
 */
export function pushPrepared(core: Core, found: FoundProject, user: User, push: PreparedPush): void {
  const { store, changes } = core;
  const { project } = found;
  const { kind, ref } = push;
  const isAllowed = kind === 'tag' || !hasBranches(store, project.id) ? mayPush(found) : mayPushTo(core, found, ref.name);
  if (!isAllowed) throw forbidden(undefined, `${user.username} cannot push to ${ref.name}`, 'push');
  if (conflictingRef(store, project.id, kind, ref.name) !== undefined)
    throw refusedChange(
      kind === 'branch' ? 'Branch name is invalid' : 'Tag name invalid',
      'conflicts with another ref: one name would be a directory of the other',
    );
  const before = refOf(store, project.id, kind, ref.name);
  const isFirst = kind === 'branch' && !hasBranches(store, project.id);
  const defaultBranch = isFirst ? ref.name : project.default_branch;
  writeRef(store, project.id, ref);
  if (defaultBranch !== project.default_branch) setDefaultBranch(core, project.id, defaultBranch);
  if (isFirst) protectFirstBranch(core, project.id, defaultBranch);
  if (kind === 'branch' && ref.name === defaultBranch) writeReadme(store, project.id, push.readme);
  const pushed: PushedRef = {
    ref: ref.name,
    refType: kind,
    action: before === undefined ? 'created' : 'pushed',
    commitFrom: push.commitFrom,
    commitTo: ref.commit_id,
    commitCount: push.commitCount,
    commitTitle: push.commitTitle,
    commits: kind === 'branch' ? [{ id: ref.commit_id, title: push.commitTitle ?? '' }] : [],
  };
  changes.publish({ kind: 'refsPushed', projectId: project.id, authorId: user.id, refs: [pushed] });
}

/** Pushes new branches at the head of the default branch, all at once. */
export function pushBranches(core: Core, { project }: FoundProject, user: User, names: readonly string[]): void {
  const { store, changes } = core;
  const head = refOf(store, project.id, 'branch', project.default_branch);
  if (head === undefined) throw new Error(`${project.full_path} has no commits`);
  const refs = names.map((name): PushedRef => {
    writeRef(store, project.id, { ...head, name });
    const nothing = { commitFrom: null, commitCount: 0, commitTitle: null, commits: [] };
    return { ref: name, refType: 'branch', action: 'created', commitTo: head.commit_id, ...nothing };
  });
  changes.publish({ kind: 'refsPushed', projectId: project.id, authorId: user.id, refs });
}

/** Returns the current commit of a branch or tag. */
export function refHead(
  core: Core,
  projectId: number,
  name: string,
): { readonly sha: string; readonly isTag: boolean } | undefined {
  const branch = refOf(core.store, projectId, 'branch', name);
  const ref = branch ?? refOf(core.store, projectId, 'tag', name);
  return ref === undefined ? undefined : { sha: ref.commit_id, isTag: branch === undefined };
}

/** Builds all planned commits and tags, and lists the impossible ones with reasons. */
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
      commitCount: countAddedCommits(drafts, at, known),
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

/** Returns the parent of a new commit, undefined for the first commit, or the reason why there is none. */
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
  // Deletions run first, because a removed file can be in the way of a new directory.
  for (const [path, state] of changed) if (state === undefined) after = withFile(after, path.split('/'), undefined);
  for (const [path, state] of changed) {
    if (state === undefined) continue;
    const { mode, content } = state;
    const id = 'id' in content ? content.id : pack.add('blob', content.bytes);
    after = withFile(after, path.split('/'), { kind: 'file', mode, id });
  }
  return after;
}

/** Returns the tree of a merge, or the reason why it is impossible. */
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
  // Parents precede their children, so the highest common index is the newest common commit.
  const base = drafts[Math.max(...[...reachedFrom(drafts, head)].filter((one) => known.has(one)))];
  const merged = mergeTrees(base?.tree ?? EMPTY_FOLDER, ours.tree, theirs.tree);
  return 'conflict' in merged ? { refusal: `merging ${source} into ${branch} conflicts in ${merged.conflict}` } : merged;
}

/** Returns the number of commits reachable from one commit but not from another. */
function countAddedCommits(drafts: readonly Draft[], commit: number, known: number | undefined): number {
  const old = known === undefined ? new Set<number>() : reachedFrom(drafts, known);
  return [...reachedFrom(drafts, commit)].filter((one) => !old.has(one)).length;
}

function reachedFrom(drafts: readonly Draft[], from: number): Set<number> {
  const found = new Set([from]);
  // Iteration over a set includes members added during the loop.
  for (const one of found) for (const parent of drafts[one]?.parents ?? []) found.add(parent);
  return found;
}
