import type { PushedRef } from '../changes.ts';
import { invalidRecord, notFound, refusedChange, WireFailure } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { findProject, type FoundProject, type Project, setDefaultBranch } from '../projects/projects.ts';
import { type Action, applyActions, pathsOf } from './actions.ts';
import { identText, isObjectId, isRefName, isShortObjectId, pathComplaint, readmeAmong, titleOf } from './names.ts';
import {
  commitIds,
  type CommitObject,
  commitOf,
  commitsOf,
  countCommits,
  entriesAt,
  listCommits,
  mergeBase,
  type Place,
  readCommits,
  rootFiles,
} from './objects.ts';
import { hasConflicts, mergeTree, packOf, takePack } from './merging.ts';
import { writeCommitObject, writeMergeObject, writeTagObject } from './writing.ts';
import {
  allRefs,
  deleteRef,
  folders,
  hasBranches,
  headBranchOf,
  insertRepository,
  refOf,
  type RefKind,
  type RefRow,
  repositoryOf,
  rivalOf,
  writeReadme,
  writeRef,
} from './store.ts';

export { isProtected, mayPush, mayPushTo } from './access.ts';
export { commit as commitAnswer, diff as diffAnswer } from './answers.ts';
export {
  type CommitObject,
  countCommits,
  type FileChange,
  listCommits,
  mergeBase,
  type Place,
  readChanges,
  readPatch,
} from './objects.ts';
export { presentDiff } from './present.ts';
export { presentCommit } from './presentCommit.ts';

/** Folders whose refs are those of the database, or are being made so. */
const settled = new WeakMap<Platform['repositories'], Map<string, Promise<void>>>();

/** The repository of a project; undefined when nothing was written to it yet. Throws 503 where there is no git. */
export async function openRepository(
  platform: Platform,
  project: Pick<Project, 'id' | 'default_branch'>,
): Promise<Place | undefined> {
  const { repositories, store } = platform;
  await repositories.git.demand();
  let known = settled.get(repositories);
  if (known === undefined) {
    known = new Map();
    settled.set(repositories, known);
    // A snapshot may know projects that are deleted by now.
    if (platform.snapshots?.list().length === 0) repositories.sweep(new Set(folders(store)));
  }
  const row = repositoryOf(store, project.id);
  if (row === undefined) return undefined;
  const place: Place = { git: repositories.git, folder: repositories.folderOf(row.folder) };
  let settling = known.get(row.folder);
  if (settling === undefined) {
    // Whoever asks meanwhile waits for the same: git lets only one at a time write a ref.
    settling = (async () => {
      repositories.create(row.folder, headOf(project.default_branch));
      await showRefs(place, allRefs(store, project.id), project.default_branch);
    })();
    known.set(row.folder, settling);
    settling.catch(() => known.delete(row.folder));
  }
  await settling;
  return place;
}

/** The repository of a project, made when it is not there. Only inside of `inTurn`. */
async function ensureRepository(platform: Platform, project: Project): Promise<Place> {
  const { repositories, store, clock } = platform;
  const place = await openRepository(platform, project);
  if (place !== undefined) return place;
  const folder = repositories.newName();
  repositories.create(folder, headOf(project.default_branch));
  insertRepository(store, project.id, folder, clock.now());
  const made = await openRepository(platform, project);
  if (made === undefined) throw notFound('Project');
  return made;
}

/** Runs a change of a repository after those that were asked for before, with the project as it is then. */
function inTurn<T>(
  platform: Platform,
  { project }: FoundProject,
  user: User,
  work: (found: FoundProject) => Promise<T>,
): Promise<T> {
  return platform.repositories.exclusively(String(project.id), () => {
    const found = findProject(platform, project.id, { user });
    if (found === undefined) throw notFound('Project');
    return work(found);
  });
}

/** What HEAD of a folder points to. Without a repository any text may be the default branch of a project. */
function headOf(defaultBranch: string): string {
  return isRefName(defaultBranch) ? defaultBranch : 'main';
}

/** Makes the refs of a folder those of the database, and its HEAD the default branch. */
async function showRefs({ git, folder }: Place, refs: readonly RefRow[], defaultBranch: string): Promise<void> {
  const { stdout } = await git.run(folder, ['for-each-ref', '--format=%(objectname) %(refname)']);
  const shown = new Map<string, string>();
  for (const line of stdout.toString('utf8').split('\n')) {
    if (line !== '') shown.set(line.slice(41), line.slice(0, 40));
  }
  const wanted = new Map(refs.map((ref) => [refPath(ref.kind, ref.name), ref.target]));
  const gone = [...shown.keys()].filter((name) => !wanted.has(name));
  const moved = [...wanted].filter(([name, target]) => shown.get(name) !== target);
  // What goes may be in the way of what comes.
  if (gone.length > 0)
    await updateRefs(
      { git, folder },
      gone.map((name) => [name, undefined]),
    );
  if (moved.length > 0) await updateRefs({ git, folder }, moved);
  await git.run(folder, ['symbolic-ref', '--', 'HEAD', `refs/heads/${headOf(defaultBranch)}`]);
}

async function updateRefs(
  { git, folder }: Place,
  moves: readonly (readonly [name: string, target: string | undefined])[],
): Promise<void> {
  const input = moves
    .map(([name, target]) => (target === undefined ? `delete ${name}\0\0` : `update ${name}\0${target}\0\0`))
    .join('');
  await git.run(folder, ['update-ref', '--stdin', '-z'], { input });
}

function refPath(kind: RefKind, name: string): string {
  return `refs/${kind === 'branch' ? 'heads' : 'tags'}/${name}`;
}

/**
 * The commit that a ref of a request stands for: a branch or tag by its name, a commit by its id or the beginning of it, or HEAD. Nothing
 * else that git would understand is looked at. Undefined when there is none.
 */
export async function resolveRef(
  platform: Platform,
  place: Place | undefined,
  project: Pick<Project, 'id' | 'default_branch'>,
  ref: string,
): Promise<string | undefined> {
  if (place === undefined) return undefined;
  if (isObjectId(ref)) return commitOf(place, ref);
  const named = (kind: RefKind, name: string): string | undefined => refOf(platform.store, project.id, kind, name)?.commit_id;
  if (ref === 'HEAD') return named('branch', project.default_branch);
  const full = /^refs\/(heads|tags)\/(.+)$/s.exec(ref);
  if (full !== null) return named(full[1] === 'heads' ? 'branch' : 'tag', full[2] ?? '');
  return named('tag', ref) ?? named('branch', ref) ?? (isShortObjectId(ref) ? commitOf(place, ref) : undefined);
}

/** The commit that a ref stands for; undefined when there is none. Throws 503 where there is no git. */
export async function findCommit(
  platform: Platform,
  project: Pick<Project, 'id' | 'default_branch'>,
  ref: string,
): Promise<CommitObject | undefined> {
  const place = await openRepository(platform, project);
  const id = await resolveRef(platform, place, project, ref);
  if (place === undefined || id === undefined) return undefined;
  const [commit] = await readCommits(place, [id]);
  return commit;
}

/**
 * The commits that some ids (seven hexadecimal digits or more) and tags stand for, those that stand for none left out. There are none where
 * there is no git.
 */
export async function namedCommits(
  platform: Platform,
  project: Pick<Project, 'id' | 'default_branch'>,
  names: { readonly ids: readonly string[]; readonly tags: readonly string[] },
): Promise<{ readonly ids: ReadonlyMap<string, string>; readonly tags: ReadonlyMap<string, string> }> {
  const tags = new Map<string, string>();
  for (const tag of new Set(names.tags)) {
    const commit = refOf(platform.store, project.id, 'tag', tag)?.commit_id;
    if (commit !== undefined) tags.set(tag, commit);
  }
  try {
    const place = names.ids.length === 0 ? undefined : await openRepository(platform, project);
    return { tags, ids: place === undefined ? new Map() : await commitsOf(place, names.ids.filter(isShortObjectId)) };
  } catch (error) {
    if (error instanceof WireFailure && error.status === 503) return { tags, ids: new Map() };
    throw error;
  }
}

/** Whether a name is that of a branch or tag. */
export function refKindOf(platform: Platform, project: Pick<Project, 'id'>, name: string): RefKind | undefined {
  const kinds = ['branch', 'tag'] as const;
  return kinds.find((kind) => refOf(platform.store, project.id, kind, name) !== undefined);
}

interface RefMove {
  readonly kind: RefKind;
  readonly name: string;
  readonly before: RefRow | undefined;
  readonly after: RefRow | undefined;
  readonly commitCount: number;
  readonly commitTitle: string | null;
  /** Ids of commits that were made before and are on the branch now. */
  readonly commits?: readonly string[];
  /** Whether the file that describes the project is known to be the same. */
  readonly keepsReadme?: boolean;
  /** What else happens in the transaction in which the ref moves. */
  readonly also?: () => void;
}

/** Moves a ref in the database together with the events of it, and then in the folder. Throws 400 when it was moved by somebody else. */
async function moveRef(platform: Platform, place: Place, project: Project, user: User, move: RefMove): Promise<void> {
  const { store } = platform;
  const { kind, name, before, after } = move;
  const isFirst = kind === 'branch' && after !== undefined && !hasBranches(store, project.id);
  const defaultBranch = isFirst ? name : project.default_branch;
  const readme =
    kind === 'branch' && name === defaultBranch && after !== undefined && move.keepsReadme !== true
      ? (readmeAmong(await rootFiles(place, after.commit_id)) ?? null)
      : undefined;
  store.transaction(() => {
    if (refOf(store, project.id, kind, name)?.target !== before?.target) {
      throw refusedChange(`Could not update ${refPath(kind, name)}. Please refresh and try again.`, 'somebody else has moved it');
    }
    if (after === undefined) deleteRef(store, project.id, kind, name);
    else writeRef(store, project.id, after);
    if (defaultBranch !== project.default_branch) setDefaultBranch(platform, project.id, defaultBranch);
    if (readme !== undefined) writeReadme(store, project.id, readme);
    const pushed: PushedRef = {
      ref: name,
      refType: kind,
      action: before === undefined ? 'created' : after === undefined ? 'removed' : 'pushed',
      commitFrom: before?.commit_id ?? null,
      commitTo: after?.commit_id ?? null,
      commitCount: move.commitCount,
      commitTitle: move.commitTitle,
    };
    platform.changes.publish({ kind: 'refsPushed', projectId: project.id, authorId: user.id, refs: [pushed] });
    move.also?.();
    const { commits = [] } = move;
    if (kind === 'branch' && commits.length > 0) {
      platform.changes.publish({ kind: 'commitsReached', projectId: project.id, branch: name, commits, authorId: user.id });
    }
  });
  try {
    await updateRefs(place, [[refPath(kind, name), after?.target]]);
    if (isFirst) await place.git.run(place.folder, ['symbolic-ref', '--', 'HEAD', `refs/heads/${defaultBranch}`]);
  } catch (error) {
    // The database has it; the folder is made to follow when it is next opened.
    settled.get(platform.repositories)?.delete(repositoryOf(store, project.id)?.folder ?? '');
    platform.log.error(`the refs of project ${project.id} could not be written`, error);
  }
}

/** How many commits a ref brings, and the title of its newest one. */
async function broughtBy(
  platform: Platform,
  place: Place,
  project: Project,
  commit: string,
  before: RefRow | undefined,
): Promise<{ commitCount: number; commitTitle: string | null; commits: readonly string[] }> {
  const known = before ?? refOf(platform.store, project.id, 'branch', project.default_branch);
  const without = known === undefined ? [] : [known.commit_id];
  const history = { from: [commit], without };
  // Nobody waits for commits on a branch that was not there.
  const commits = before === undefined ? [] : await commitIds(place, history, MOST_COUNTED);
  const commitCount = before === undefined ? await countCommits(place, history, MOST_COUNTED) : commits.length;
  if (commitCount === 0) return { commitCount, commitTitle: null, commits };
  const [newest] = await readCommits(place, [commit]);
  return { commitCount, commitTitle: titleOf(newest?.message ?? ''), commits };
}

const MOST_COUNTED = 100_000;

export interface CommitWish {
  readonly branch: string;
  readonly message: string;
  readonly actions: readonly Action[];
  /** Branch from which a new one begins. */
  readonly startBranch?: string | undefined;
  readonly startSha?: string | undefined;
  /** Whether a branch that is there begins anew at the start. */
  readonly force?: boolean | undefined;
  readonly authorName?: string | undefined;
  readonly authorEmail?: string | undefined;
}

/**
 * Commits changes of files to a branch, all of them or none, and makes the branch when it is not there. Returns the id of the commit.
 * Throws 400 for what the tree does not allow. Whoever calls has checked that the person may push there.
 */
export function createCommit(platform: Platform, found: FoundProject, user: User, wish: CommitWish): Promise<string> {
  return inTurn(platform, found, user, async ({ project }) => {
    const { store } = platform;
    const { branch } = wish;
    const head = refOf(store, project.id, 'branch', branch);
    if (head === undefined) checkNewRef(platform, project, 'branch', branch);
    const place = await ensureRepository(platform, project);
    const base = await baseOf(platform, place, project, wish, head);
    const entries = base === undefined ? new Map<never, never>() : await entriesAt(place, base, pathsOf(wish.actions));
    await checkLastCommits(place, base, wish.actions);
    const changed = applyActions(entries, wish.actions);
    if ('refusal' in changed) throw refusedChange(changed.refusal);
    const now = Math.floor(platform.clock.now() / 1000);
    const committer = { name: identText(user.name, user.username), email: identText(user.email, 'unknown'), seconds: now };
    const id = await writeCommitObject(place, {
      parent: base,
      message: wish.message.toWellFormed(),
      author: {
        name: identText(wish.authorName ?? '', committer.name),
        email: identText(wish.authorEmail ?? '', committer.email),
        seconds: now,
      },
      committer,
      changed,
    });
    const after: RefRow = { ...plainRef('branch', branch, id), committed_at: now * 1000 };
    const isNext = head !== undefined && base === head.commit_id;
    const brought = isNext
      ? { commitCount: 1, commitTitle: titleOf(wish.message) }
      : await broughtBy(platform, place, project, id, head);
    const keepsReadme = isNext && ![...changed.keys()].some((path) => /^readme[^/]*$/i.test(path));
    await moveRef(platform, place, project, user, { kind: 'branch', name: branch, before: head, after, keepsReadme, ...brought });
    return id;
  });
}

/** The commit on which a new one is made; undefined for the first of a repository. */
async function baseOf(
  platform: Platform,
  place: Place,
  project: Project,
  { branch, startBranch, startSha, force }: CommitWish,
  head: RefRow | undefined,
): Promise<string | undefined> {
  const isElsewhere = startSha !== undefined || (startBranch !== undefined && startBranch !== branch);
  if (isElsewhere && head !== undefined && force !== true) {
    throw refusedChange(`A branch called '${branch}' already exists. Switch to that branch in order to make changes`);
  }
  if (startSha !== undefined) {
    if (!isShortObjectId(startSha)) throw refusedChange(`Invalid start_sha '${startSha}'`);
    const base = await commitOf(place, startSha);
    if (base === undefined) throw refusedChange(`Cannot find start_sha '${startSha}'`);
    return base;
  }
  const start =
    startBranch === undefined || startBranch === branch ? head : refOf(platform.store, project.id, 'branch', startBranch);
  if (start === undefined && hasBranches(platform.store, project.id)) {
    throw refusedChange('You can only create or edit files when you are on a branch', 'the branch to start from is not there');
  }
  return start?.commit_id;
}

/** Throws 400 when a file has other commits than its author knew of. */
async function checkLastCommits(place: Place, base: string | undefined, actions: readonly Action[]): Promise<void> {
  for (const { action, path, previousPath, lastCommitId } of actions) {
    if (lastCommitId === undefined || action === 'create' || action === 'chmod') continue;
    const file = previousPath ?? path;
    if (pathComplaint(file) !== undefined) continue;
    const last = base === undefined ? undefined : await lastCommitOf(place, base, file);
    if (last !== lastCommitId) throw refusedChange(`The file has changed since you started editing it: ${file}`);
  }
}

/** The newest commit of a history that changed a file. */
export async function lastCommitOf(place: Place, commit: string, path: string): Promise<string | undefined> {
  const [newest] = await listCommits(place, { from: [commit], path }, 1, 0);
  return newest?.id;
}

function plainRef(kind: RefKind, name: string, commit: string): Omit<RefRow, 'committed_at'> {
  return { kind, name, target: commit, commit_id: commit, message: null, tagged_at: null };
}

function checkNewRef(platform: Platform, project: Project, kind: RefKind, name: string): void {
  const words = kind === 'branch' ? 'Branch name is invalid' : 'Tag name invalid';
  if (!isRefName(name)) throw refusedChange(words, 'git allows no such name');
  if (refOf(platform.store, project.id, kind, name) !== undefined) {
    throw refusedChange(kind === 'branch' ? 'Branch already exists' : `Tag ${name} already exists`);
  }
  const rival = rivalOf(platform.store, project.id, kind, name);
  if (rival !== undefined) throw refusedChange(words, `it cannot stand beside ${rival}: one would be a folder of the other`);
}

/** Makes a branch at another ref or commit. Throws 400 for a bad or taken name and an unknown ref. */
export function createBranch(platform: Platform, found: FoundProject, user: User, name: string, ref: string): Promise<RefRow> {
  return inTurn(platform, found, user, async ({ project }) => {
    checkNewRef(platform, project, 'branch', name);
    const place = await openRepository(platform, project);
    const commit = await resolveRef(platform, place, project, ref);
    if (place === undefined || commit === undefined) throw refusedChange(`Invalid reference name: ${ref}`);
    const after = await refAt(place, 'branch', name, commit);
    const brought = await broughtBy(platform, place, project, commit, undefined);
    await moveRef(platform, place, project, user, { kind: 'branch', name, before: undefined, after, ...brought });
    return after;
  });
}

/** Makes a tag, with a message an annotated one. Throws 400 for a bad or taken name and an unknown ref. */
export function createTag(
  platform: Platform,
  found: FoundProject,
  user: User,
  wish: { readonly name: string; readonly ref: string; readonly message?: string | undefined },
): Promise<RefRow> {
  return inTurn(platform, found, user, async ({ project }) => {
    const { name, ref } = wish;
    checkNewRef(platform, project, 'tag', name);
    const place = await openRepository(platform, project);
    const commit = await resolveRef(platform, place, project, ref);
    if (place === undefined || commit === undefined) throw refusedChange(`Target ${ref} is invalid`);
    const plain = await refAt(place, 'tag', name, commit);
    const message = wish.message?.toWellFormed() ?? '';
    const now = Math.floor(platform.clock.now() / 1000);
    const tagger = { name: identText(user.name, user.username), email: identText(user.email, 'unknown'), seconds: now };
    const after: RefRow =
      message.trim() === ''
        ? plain
        : { ...plain, target: await writeTagObject(place, { name, commit, tagger, message }), message, tagged_at: now * 1000 };
    const [newest] = await readCommits(place, [commit]);
    await moveRef(platform, place, project, user, {
      kind: 'tag',
      name,
      before: undefined,
      after,
      commitCount: 1,
      commitTitle: titleOf(newest?.message ?? ''),
    });
    return after;
  });
}

async function refAt(place: Place, kind: RefKind, name: string, commit: string): Promise<RefRow> {
  const [object] = await readCommits(place, [commit]);
  return { ...plainRef(kind, name, commit), committed_at: (object?.committer.seconds ?? 0) * 1000 };
}

/** A tag of a project by its name; undefined when there is none. */
export function findTag(platform: Platform, projectId: number, name: string): RefRow | undefined {
  return refOf(platform.store, projectId, 'tag', name);
}

/** Deletes a branch or tag; false when it is not there any more. */
export function removeRef(platform: Platform, found: FoundProject, user: User, kind: RefKind, name: string): Promise<boolean> {
  return inTurn(platform, found, user, async ({ project }) => {
    const before = refOf(platform.store, project.id, kind, name);
    const place = await openRepository(platform, project);
    if (before === undefined || place === undefined) return false;
    await moveRef(platform, place, project, user, { kind, name, before, after: undefined, commitCount: 0, commitTitle: null });
    return true;
  });
}

/** The commit that a branch points to. */
export function branchHead(platform: Platform, projectId: number, branch: string): string | undefined {
  return refOf(platform.store, projectId, 'branch', branch)?.commit_id;
}

/** Whether two commits change the same places in different ways, so that git cannot merge them alone. */
export function doConflict(place: Place, into: string, from: string): Promise<boolean> {
  return hasConflicts(place, into, from);
}

/** Whether a repository has a commit. */
export async function hasCommit(place: Place, commit: string): Promise<boolean> {
  return (await commitOf(place, commit)) !== undefined;
}

/** Brings a commit with all that it needs into the repository of another project, as that of a fork is brought by a merge request. */
export async function bringCommit(platform: Platform, fromId: number, to: Project, commit: string): Promise<void> {
  if (fromId === to.id) return;
  const branch = headBranchOf(platform.store, fromId);
  const [source, target] = await Promise.all([
    openRepository(platform, { id: fromId, default_branch: branch }),
    openRepository(platform, to),
  ]);
  if (source === undefined || target === undefined || (await commitOf(target, commit)) !== undefined) return;
  const heads = allRefs(platform.store, to.id).map((ref) => ref.commit_id);
  await takePack(target, await packOf(source, commit, heads));
}

export interface MergeWish {
  /** The branch that is merged into. */
  readonly branch: string;
  /** The commit that is merged; it lies in the repository of the branch. */
  readonly commit: string;
  readonly message: string;
  /** Makes one commit of all, with this message and author, and merges that; where it would be the same as the only one there is, that. */
  readonly squash?: { readonly message: string; readonly author: Pick<User, 'name' | 'username' | 'email'> } | undefined;
  /** What else happens in the transaction in which the branch moves; a throw keeps it where it is. */
  settle(merged: Merged): void;
}

export interface Merged {
  readonly mergeCommit: string;
  readonly squashCommit: string | null;
}

/**
 * Merges a commit into a branch with a commit of two parents. Undefined when they conflict or the branch is gone; whoever calls has
 * checked that the person may push there.
 */
export function mergeIntoBranch(
  platform: Platform,
  found: FoundProject,
  user: User,
  wish: MergeWish,
): Promise<Merged | undefined> {
  return inTurn(platform, found, user, async ({ project }) => {
    const { branch, commit, squash } = wish;
    const before = refOf(platform.store, project.id, 'branch', branch);
    const place = await openRepository(platform, project);
    if (before === undefined || place === undefined) return undefined;
    const tree = await mergeTree(place, before.commit_id, commit);
    if (tree === undefined) return undefined;
    const seconds = Math.floor(platform.clock.now() / 1000);
    const writer = (person: Pick<User, 'name' | 'username' | 'email'>) => ({
      name: identText(person.name, person.username),
      email: identText(person.email, 'unknown'),
      seconds,
    });
    const [object] = await readCommits(place, [commit]);
    const base = await mergeBase(place, [before.commit_id, commit]);
    const squashCommit =
      squash === undefined || object === undefined || base === undefined || isAllOf(object, base, squash.message)
        ? null
        : await writeMergeObject(place, {
            tree: object.tree,
            parents: [base],
            author: writer(squash.author),
            committer: writer(user),
            message: squash.message.toWellFormed(),
          });
    const mergeCommit = await writeMergeObject(place, {
      tree,
      parents: [before.commit_id, squashCommit ?? commit],
      author: writer(user),
      committer: writer(user),
      message: wish.message.toWellFormed(),
    });
    const after: RefRow = { ...plainRef('branch', branch, mergeCommit), committed_at: seconds * 1000 };
    const brought = await broughtBy(platform, place, project, mergeCommit, before);
    const merged = { mergeCommit, squashCommit };
    await moveRef(platform, place, project, user, {
      kind: 'branch',
      name: branch,
      before,
      after,
      ...brought,
      also: () => wish.settle(merged),
    });
    return merged;
  });
}

/** Whether a commit is the only one since its parent, and says what is to be said of all. */
function isAllOf(commit: CommitObject, base: string, message: string): boolean {
  return commit.parents.length === 1 && commit.parents[0] === base && commit.message.trimEnd() === message.trimEnd();
}

/** The first commit of a project: a file with its name and description. */
export async function initialiseRepository(platform: Platform, found: FoundProject, user: User): Promise<void> {
  const { name, description, default_branch: branch } = found.project;
  const text = `# ${name}\n${description === null || description === '' ? '' : `\n${description}\n`}`;
  const action: Action = { action: 'create', path: 'README.md', content: Buffer.from(text.toWellFormed()) };
  await createCommit(platform, found, user, { branch, message: 'Initial commit', actions: [action] });
}

/** Throws what would keep a project from being made with a first commit, before it is made. */
export async function demandRepositories(platform: Platform, branch: string): Promise<void> {
  if (!isRefName(branch)) throw refusedChange('Branch name is invalid', 'git allows no such name');
  await platform.repositories.git.demand();
}

/** Throws 400 when a branch cannot become the default one: in a repository with branches it must be one of them. 503 without git. */
export async function demandDefaultBranch(platform: Platform, projectId: number, branch: string): Promise<void> {
  if (repositoryOf(platform.store, projectId) === undefined) return;
  if (refOf(platform.store, projectId, 'branch', branch) === undefined && hasBranches(platform.store, projectId)) {
    throw invalidRecord({ base: [`Could not change HEAD: branch '${branch}' does not exist`] });
  }
  await platform.repositories.git.demand();
}

/** What follows for the repository when another branch has become the default one. */
export async function followDefaultBranch(platform: Platform, found: FoundProject, user: User): Promise<void> {
  if (repositoryOf(platform.store, found.project.id) === undefined) return;
  await inTurn(platform, found, user, async ({ project }) => {
    const place = await openRepository(platform, project);
    const head = refOf(platform.store, project.id, 'branch', project.default_branch);
    if (place === undefined) return;
    const readme = head === undefined ? undefined : readmeAmong(await rootFiles(place, head.commit_id));
    writeReadme(platform.store, project.id, readme ?? null);
    await place.git.run(place.folder, ['symbolic-ref', '--', 'HEAD', `refs/heads/${project.default_branch}`]);
  });
}
