import type { GitCore } from '../../repositories/repositories.ts';
import { type DescribedCommit, MAX_DESCRIBED_COMMITS, MAX_PUSHED_COMMITS, type PushedCommit, type PushedRef } from './changes.ts';
import { protectFirstBranch } from '../protectedRefs/protectedRefs.ts';
import { refusedChange } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import { setDefaultBranch } from '../projects/projects.ts';
import { pushRefusal } from './access.ts';
import { identText, isRefName, readmeAmong, titleOf } from '../../repositories/names.ts';
import { commitIds, countCommits, type RepositoryDir, readCommits, rootFiles } from '../../repositories/objects.ts';
import {
  conflictingRef,
  deleteRef,
  forgetFolder,
  hasBranches,
  inTurn,
  openRepository,
  type RefKind,
  refOf,
  refPath,
  type RefRow,
  resolveRef,
  updateRefs,
  writeReadme,
  writeRef,
} from '../git/git.ts';
import { MAX_LISTED_MESSAGE_BYTES, textOfBytes } from '../../repositories/shortFields.ts';
import { writeTagObject } from '../../repositories/writing.ts';

/** The change of one ref. */
export interface RefMove {
  readonly kind: RefKind;
  readonly name: string;
  readonly before: RefRow | undefined;
  readonly after: RefRow | undefined;
  readonly commitCount: number;
  readonly commitTitle: string | null;
  /** The newest commits that are added to an existing branch, at most {@link MAX_PUSHED_COMMITS}, newest first. */
  readonly newest?: readonly PushedCommit[];
  /** Ids of commits that existed before and are now on the branch. */
  readonly commits?: readonly string[];
  /** True if the readme of the project is known to be unchanged. */
  readonly keepsReadme?: boolean;
  /** Runs in the transaction that moves the ref. */
  readonly also?: () => void;
}

/**
 * Moves a ref in the database, records its events, and then moves it in the folder. Throws `Refused` if the ref was changed in the
 * meantime.
 */
export function moveRef(core: GitCore, repository: RepositoryDir, project: Project, user: User, move: RefMove): Promise<void> {
  return moveRefs(core, repository, project, user, [move]);
}

/**
 * Moves refs in the database, all or none, records their events, and then moves them in the folder. Throws `Refused` if a ref was
 * changed in the meantime.
 */
export async function moveRefs(
  core: GitCore,
  repository: RepositoryDir,
  project: Project,
  user: User,
  moves: readonly RefMove[],
): Promise<void> {
  const { store } = core;
  const isFirst = !hasBranches(store, project.id) && moves.some(({ kind, after }) => kind === 'branch' && after !== undefined);
  const defaultBranch = isFirst ? firstDefaultBranch(project, moves) : project.default_branch;
  const readme = await readmeAfter(repository, defaultBranch, moves);
  const described = await describedAfter(repository, defaultBranch, moves);
  store.transaction(() => {
    for (const { kind, name, before } of moves) {
      if (refOf(store, project.id, kind, name)?.target === before?.target) continue;
      throw refusedChange(
        `Could not update ${refPath(kind, name)}. Please refresh and try again.`,
        'the ref was changed in the meantime',
      );
    }
    for (const { kind, name, after } of moves) {
      if (after === undefined) deleteRef(store, project.id, kind, name);
      else writeRef(store, project.id, after);
    }
    if (defaultBranch !== project.default_branch) setDefaultBranch(core, project.id, defaultBranch);
    if (isFirst) protectFirstBranch(core, project.id, defaultBranch);
    if (readme !== undefined) writeReadme(store, project.id, readme);
    // Notes are no pushes of code, so they have no events.
    const refs = moves.flatMap(pushedRef);
    if (refs.length > 0) core.changes.publish({ kind: 'refsPushed', projectId: project.id, authorId: user.id, refs });
    for (const { also } of moves) also?.();
    for (const { kind, name, commits = [] } of moves) {
      if (kind !== 'branch') continue;
      const messages = name === defaultBranch ? described : [];
      if (commits.length === 0 && messages.length === 0) continue;
      core.changes.publish({
        kind: 'commitsReached',
        projectId: project.id,
        branch: name,
        commits,
        described: messages,
        authorId: user.id,
      });
    }
  });
  try {
    // Deletions run first, because a removed ref can be in the way of a new one.
    for (const some of [moves.filter(({ after }) => after === undefined), moves.filter(({ after }) => after !== undefined)]) {
      if (some.length === 0) continue;
      await updateRefs(
        repository,
        some.map(({ kind, name, after }) => [refPath(kind, name), after?.target]),
      );
    }
    if (isFirst) await repository.git.run(repository.folder, ['symbolic-ref', '--', 'HEAD', `refs/heads/${defaultBranch}`]);
  } catch (error) {
    // The database has the new value; the folder is updated the next time it is opened.
    forgetFolder(core, project);
    core.log.error(`failed to write the refs of project ${project.id}`, error);
  }
}

/** Returns the default branch after the first branches of a repository are created. */
function firstDefaultBranch(project: Project, moves: readonly RefMove[]): string {
  const created = moves.flatMap(({ kind, name, after }) => (kind === 'branch' && after !== undefined ? [name] : []));
  const preferred = [project.default_branch, 'main', 'master'].find((name) => created.includes(name));
  return preferred ?? created[0] ?? project.default_branch;
}

/** Returns the readme of the project after some moves: null if there is none, undefined if it does not change. */
async function readmeAfter(
  repository: RepositoryDir,
  defaultBranch: string,
  moves: readonly RefMove[],
): Promise<string | null | undefined> {
  const move = moves.find(({ kind, name }) => kind === 'branch' && name === defaultBranch);
  if (move?.after === undefined || move.keepsReadme === true) return undefined;
  return readmeAmong(await rootFiles(repository, move.after.commit_id)) ?? null;
}

/** Returns the newest commits that the default branch gets, with their messages: those of its history if it is new. */
async function describedAfter(
  repository: RepositoryDir,
  defaultBranch: string,
  moves: readonly RefMove[],
): Promise<readonly DescribedCommit[]> {
  const move = moves.find(({ kind, name }) => kind === 'branch' && name === defaultBranch);
  const { before, after, commits: added = [] } = move ?? {};
  const ids =
    before === undefined && after !== undefined
      ? await commitIds(repository, { from: [after.commit_id], without: [] }, MAX_DESCRIBED_COMMITS)
      : added.slice(0, MAX_DESCRIBED_COMMITS);
  const commits = await readCommits(repository, ids);
  return commits.map(({ id, message }) => ({ id, message }));
}

function pushedRef({ kind, name, before, after, commitCount, commitTitle, newest }: RefMove): PushedRef[] {
  if (kind === 'note') return [];
  const ref: PushedRef = {
    ref: name,
    refType: kind,
    action: before === undefined ? 'created' : after === undefined ? 'removed' : 'pushed',
    commitFrom: before?.commit_id ?? null,
    commitTo: after?.commit_id ?? null,
    commitCount,
    commitTitle,
    ...(newest === undefined ? {} : { commits: newest }),
  };
  return [ref];
}

const MAX_COUNTED = 100_000;

/** Returns the number of commits that a ref adds, the title of the newest one and, if the ref existed, the newest ones. */
export async function addedCommits(
  core: Core,
  repository: RepositoryDir,
  project: Project,
  commit: string,
  before: RefRow | undefined,
): Promise<{ commitCount: number; commitTitle: string | null; newest: readonly PushedCommit[]; commits: readonly string[] }> {
  const known = before ?? refOf(core.store, project.id, 'branch', project.default_branch);
  const without = known === undefined ? [] : [known.commit_id];
  const history = { from: [commit], without };
  // A new branch has no merge requests that wait for its commits.
  const commits = before === undefined ? [] : await commitIds(repository, history, MAX_COUNTED);
  const commitCount = before === undefined ? await countCommits(repository, history, MAX_COUNTED) : commits.length;
  if (commitCount === 0) return { commitCount, commitTitle: null, newest: [], commits };
  const shown = before === undefined ? [commit] : commits.slice(0, MAX_PUSHED_COMMITS);
  const newest = (await readCommits(repository, shown)).map(({ id, message }) => ({ id, title: titleOf(message) }));
  return { commitCount, commitTitle: newest[0]?.title ?? '', newest, commits };
}

/** Returns the row of a ref that is not annotated. */
export function plainRef(kind: RefKind, name: string, commit: string): Omit<RefRow, 'committed_at'> {
  return { kind, name, target: commit, commit_id: commit, message: null, tagged_at: null };
}

export function checkNewRef(core: Core, project: Project, kind: RefKind, name: string): void {
  const text = kind === 'branch' ? 'Branch name is invalid' : 'Tag name invalid';
  if (!isRefName(name)) throw refusedChange(text, 'not a valid Git ref name');
  if (refOf(core.store, project.id, kind, name) !== undefined) {
    throw refusedChange(kind === 'branch' ? 'Branch already exists' : `Tag ${name} already exists`);
  }
  const conflicting = conflictingRef(core.store, project.id, kind, name);
  if (conflicting !== undefined)
    throw refusedChange(text, `conflicts with ${conflicting}: one name would be a directory of the other`);
}

/** Creates a branch at another ref or commit. Throws `Refused` for an invalid or taken name and for an unknown ref. */
export function createBranch(core: GitCore, found: FoundProject, user: User, name: string, ref: string): Promise<RefRow> {
  return inTurn(core, found, user, async ({ project }) => {
    checkNewRef(core, project, 'branch', name);
    const repository = await openRepository(core, project);
    const commit = await resolveRef(core, repository, project, ref);
    if (repository === undefined || commit === undefined) throw refusedChange(`Invalid reference name: ${ref}`);
    const after = await refAt(repository, 'branch', name, commit);
    const brought = await addedCommits(core, repository, project, commit, undefined);
    await moveRef(core, repository, project, user, { kind: 'branch', name, before: undefined, after, ...brought });
    return after;
  });
}

/** Creates a tag, annotated if it has a message. Throws `Refused` for an invalid or taken name and for an unknown ref. */
export function createTag(
  core: GitCore,
  found: FoundProject,
  user: User,
  input: { readonly name: string; readonly ref: string; readonly message?: string | undefined },
): Promise<RefRow> {
  return inTurn(core, found, user, async ({ project }) => {
    const { name, ref } = input;
    checkNewRef(core, project, 'tag', name);
    const refusal = pushRefusal(core, found, { kind: 'tag', name, action: 'create', by: 'api' });
    if (refusal !== undefined) throw refusedChange(refusal.text, refusal.remedy);
    const repository = await openRepository(core, project);
    const commit = await resolveRef(core, repository, project, ref);
    if (repository === undefined || commit === undefined) throw refusedChange(`Target ${ref} is invalid`);
    const plain = await refAt(repository, 'tag', name, commit);
    const message = input.message?.toWellFormed() ?? '';
    const now = Math.floor(core.clock.now() / 1000);
    const tagger = { name: identText(user.name, user.username), email: identText(user.email, 'unknown'), seconds: now };
    const after: RefRow =
      message.trim() === ''
        ? plain
        : {
            ...plain,
            target: await writeTagObject(repository, { name, commit, tagger, message }),
            message: textOfBytes(message, MAX_LISTED_MESSAGE_BYTES),
            tagged_at: now * 1000,
          };
    const [newest] = await readCommits(repository, [commit]);
    await moveRef(core, repository, project, user, {
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

async function refAt(repository: RepositoryDir, kind: RefKind, name: string, commit: string): Promise<RefRow> {
  const [object] = await readCommits(repository, [commit]);
  return { ...plainRef(kind, name, commit), committed_at: (object?.committer.seconds ?? 0) * 1000 };
}

/** Deletes a branch or tag. Returns false if it does not exist. */
export function removeRef(core: GitCore, found: FoundProject, user: User, kind: RefKind, name: string): Promise<boolean> {
  return inTurn(core, found, user, async ({ project }) => {
    const before = refOf(core.store, project.id, kind, name);
    const repository = await openRepository(core, project);
    if (before === undefined || repository === undefined) return false;
    await moveRef(core, repository, project, user, {
      kind,
      name,
      before,
      after: undefined,
      commitCount: 0,
      commitTitle: null,
    });
    return true;
  });
}
