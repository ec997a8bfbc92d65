import { rmSync } from 'node:fs';
import type { PushedRef } from '../changes.ts';
import { forbidden, refusedChange } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { type FoundProject, setDefaultBranch } from '../projects/projects.ts';
import { type Action, applyActions, type FileState, pathsOf } from './actions.ts';
import { mayPush, mayPushTo, openRepository } from './git.ts';
import { identText, isRefName, readmeAmong, titleOf } from './names.ts';
import { type CommitObject, type Entry, type Place, readCommits } from './objects.ts';
import { hasBranches, insertRepository, refOf, type RefKind, type RefRow, rivalOf, writeReadme, writeRef } from './store.ts';
import { writeCommitObjects, writeTagObject } from './writing.ts';

// Commits and tags that are written before the project is there that they are for. Objects need the git program and time; with them on
// the disk already, a project and all its pushes come to be in one transaction, or not at all.

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

/** What one push does to a ref. */
interface PreparedPush {
  readonly kind: RefKind;
  readonly ref: RefRow;
  readonly commitFrom: string | null;
  readonly commitCount: number;
  readonly commitTitle: string | null;
  /** The file that describes the project, where the branch is the default one. */
  readonly readme: string | null;
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

interface DraftCommit {
  readonly parent: number | undefined;
  readonly files: ReadonlyMap<string, FileState['mode']>;
}

/**
 * Writes what is planned, in the given order, into a repository of its own that belongs to no project yet. Says what is impossible instead.
 * Throws 503 where there is no git.
 */
export async function prepareHistory(
  platform: Platform,
  defaultBranch: string,
  planned: readonly (PlannedCommit | PlannedTag)[],
): Promise<PreparedHistory | { readonly impossible: readonly ImpossiblePush[] }> {
  const draft = draftOf(defaultBranch, planned);
  if ('impossible' in draft) return draft;
  const { repositories } = platform;
  // Afterwards nobody takes the new folder for one that was left behind.
  await openRepository(platform, { id: 0, default_branch: defaultBranch });
  const folder = repositories.newName();
  await repositories.create(folder, defaultBranch);
  const place: Place = { git: repositories.git, folder: repositories.folderOf(folder) };
  const ids = await writeCommitObjects(place, draft.commits);
  const pushes: PreparedPush[] = [];
  for (const push of draft.pushes) {
    const commit = ids[push.commit] ?? '';
    const plain = { kind: push.kind, name: push.name, commit_id: commit, committed_at: push.committedAt };
    const ref: RefRow =
      push.message === undefined
        ? { ...plain, target: commit, message: null, tagged_at: null }
        : {
            ...plain,
            target: await writeTagObject(place, { name: push.name, commit, tagger: push.by, message: push.message }),
            message: push.message,
            tagged_at: push.by.seconds * 1000,
          };
    pushes.push({
      kind: push.kind,
      ref,
      commitFrom: push.before === undefined ? null : (ids[push.before] ?? null),
      commitCount: push.commitCount,
      commitTitle: push.commitTitle,
      readme: push.readme,
    });
  }
  const commits = new Map((await readCommits(place, ids)).map((commit) => [commit.id, commit]));
  return { folder, pushes, commits };
}

/** Removes a repository that no project was given. */
export function discardHistory({ repositories }: Platform, { folder }: PreparedHistory): void {
  rmSync(repositories.folderOf(folder), { recursive: true, force: true });
}

/** Gives a new project the repository. Inside the transaction of the project. */
export function adoptHistory(platform: Platform, { project }: FoundProject, { folder }: PreparedHistory): void {
  insertRepository(platform.store, project.id, folder, platform.clock.now());
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
  if (!isAllowed) throw forbidden(undefined, `${user.username} may not push to ${ref.name}`, 'push');
  if (rivalOf(store, project.id, kind, ref.name) !== undefined)
    throw refusedChange(kind === 'branch' ? 'Branch name is invalid' : 'Tag name invalid', 'another ref would be a folder of it');
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

interface DraftPush {
  readonly kind: RefKind;
  readonly name: string;
  readonly commit: number;
  readonly committedAt: number;
  readonly before: number | undefined;
  readonly commitCount: number;
  readonly commitTitle: string | null;
  readonly readme: string | null;
  readonly by: { readonly name: string; readonly email: string; readonly seconds: number };
  /** Of a tag with a message. */
  readonly message: string | undefined;
}

type WrittenCommit = Parameters<typeof writeCommitObjects>[1][number];

function draftOf(
  defaultBranch: string,
  planned: readonly (PlannedCommit | PlannedTag)[],
): { readonly commits: WrittenCommit[]; readonly pushes: DraftPush[] } | { readonly impossible: ImpossiblePush[] } {
  const impossible: ImpossiblePush[] = [];
  const commits: WrittenCommit[] = [];
  const drafts: DraftCommit[] = [];
  const times: number[] = [];
  const titles: string[] = [];
  const pushes: DraftPush[] = [];
  const branches = new Map<string, number>();
  const tags = new Set<string>();

  for (const [index, plan] of planned.entries()) {
    const { user, at } = plan;
    const seconds = Math.floor(at / 1000);
    const by = { name: identText(user.name, user.username), email: identText(user.email, 'unknown'), seconds };
    const refuse = (refusal: string): void => void impossible.push({ index, refusal });
    if (plan.kind === 'tag') {
      const commit = branches.get(plan.branch);
      if (!isRefName(plan.name)) refuse(`git allows no tag with the name "${plan.name}"`);
      else if (tags.has(plan.name)) refuse(`there is a tag ${plan.name} already`);
      else if (commit === undefined) refuse(`there is no commit on the branch ${plan.branch} at that time`);
      else {
        const message = plan.message?.trim() === '' ? undefined : plan.message;
        tags.add(plan.name);
        pushes.push({
          kind: 'tag',
          name: plan.name,
          commit,
          committedAt: times[commit] ?? 0,
          before: undefined,
          commitCount: 1,
          commitTitle: titles[commit] ?? null,
          readme: null,
          by,
          message,
        });
      }
      continue;
    }
    const { branch, message } = plan;
    const head = branches.get(branch);
    const start = plan.startBranch ?? defaultBranch;
    const base = head ?? branches.get(start);
    if (!isRefName(branch)) {
      refuse(`git allows no branch with the name "${branch}"`);
      continue;
    }
    if (head !== undefined && plan.startBranch !== undefined) {
      refuse(`there is a branch ${branch} already, so it cannot begin at another one`);
      continue;
    }
    if (base === undefined && (branches.size > 0 || (plan.startBranch !== undefined && start !== branch))) {
      refuse(`there is no commit on the branch ${start} at that time`);
      continue;
    }
    const files =
      base === undefined ? new Map<string, FileState['mode']>() : (drafts[base]?.files ?? new Map<string, FileState['mode']>());
    const actions = [...plan.files].map(([path, file]): Action => {
      if (file === undefined) return { action: 'delete', path };
      const action = files.has(path) ? 'update' : 'create';
      return { action, path, content: file.content, executable: file.executable };
    });
    const changed = applyActions(entriesOf(files, pathsOf(actions)), actions);
    if ('refusal' in changed) {
      refuse(changed.refusal);
      continue;
    }
    const after = new Map(files);
    for (const [path, state] of changed) {
      if (state === undefined) after.delete(path);
      else after.set(path, state.mode);
    }
    const commit = commits.length;
    commits.push({ parent: base, message, author: by, committer: by, changed });
    drafts.push({ parent: base, files: after });
    times.push(seconds * 1000);
    titles.push(titleOf(message));
    const known = head ?? branches.get(defaultBranch);
    branches.set(branch, commit);
    pushes.push({
      kind: 'branch',
      name: branch,
      commit,
      committedAt: seconds * 1000,
      before: head,
      commitCount: broughtBy(drafts, commit, known),
      commitTitle: titleOf(message),
      readme: readmeAmong([...after.keys()].filter((path) => !path.includes('/'))) ?? null,
      by,
      message: undefined,
    });
  }
  return impossible.length > 0 ? { impossible } : { commits, pushes };
}

/** How many commits one reaches that another does not. */
function broughtBy(drafts: readonly DraftCommit[], commit: number, known: number | undefined): number {
  const old = new Set(ancestry(drafts, known));
  return ancestry(drafts, commit).filter((one) => !old.has(one)).length;
}

function ancestry(drafts: readonly DraftCommit[], from: number | undefined): number[] {
  const found: number[] = [];
  for (let at = from; at !== undefined; at = drafts[at]?.parent) found.push(at);
  return found;
}

/** What git would say stands at some paths. */
function entriesOf(files: ReadonlyMap<string, FileState['mode']>, paths: readonly string[]): Map<string, Entry> {
  const folders = new Set<string>();
  for (const file of files.keys()) {
    for (let at = file.indexOf('/'); at >= 0; at = file.indexOf('/', at + 1)) folders.add(file.slice(0, at));
  }
  const entries = new Map<string, Entry>();
  for (const path of paths) {
    const mode = files.get(path);
    if (mode !== undefined) entries.set(path, { mode, type: 'blob', id: '', path });
    else if (folders.has(path)) entries.set(path, { mode: '040000', type: 'tree', id: '', path });
  }
  return entries;
}
