import type { GitCore } from '../../repositories/repositories.ts';
import { refusedChange, repositoryReadOnly } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { type Action, applyActions, pathsOf } from '../../repositories/actions.ts';
import { createListing } from '../../repositories/listing.ts';
import { identText, isTreePath } from '../../repositories/names.ts';
import { entriesAt, type RepositoryDir, readBlob, readTree } from '../../repositories/objects.ts';
import { located } from '../git/git.ts';
import { pickStorage } from '../../repositories/storages.ts';
import { deleteSingle, insertSingle, singleRepository, writeHead, writeStorageOfSingle } from './store.ts';
import { writeCommitObject } from '../../repositories/writing.ts';

// Standalone repositories have one branch, whose newest commit is in the database, and are only written by this server.

/** Name of the only branch. */
export const SINGLE_BRANCH = 'main';

/** A written commit that no ref points to yet. */
export interface Draft {
  readonly repositoryId: number;
  readonly commit: string;
  /** All files of the commit, in git's order. */
  readonly files: readonly string[];
  /** Makes the branch point to the commit. Call in the transaction of the related changes. */
  moveBranch(): void;
}

/**
 * Writes a commit to a repository, which is created if `repositoryId` is undefined, and returns the result of `then`. Throws `Refused`
 * for changes that the tree does not allow, and 503 without git. A new repository is removed if its first commit fails.
 */
export async function writeSingle<T>(
  core: GitCore,
  repositoryId: number | undefined,
  user: User,
  input: { readonly message: string; readonly actions: readonly Action[] },
  then: (draft: Draft) => T,
): Promise<T> {
  const { repositories, store, clock } = core;
  await repositories.git.demand();
  // The row is inserted first, because folders without a row are removed.
  const id = repositoryId ?? insertSingle(store, { storage: pickStorage(core), folder: repositories.newName() });
  try {
    return await repositories.exclusively(singleQueue(id), async () => {
      const row = singleRepository(store, id);
      if (row?.read_only === 1) throw repositoryReadOnly();
      const repository = await openSingle(core, id);
      const head = row?.head ?? undefined;
      const entries = head === undefined ? new Map<never, never>() : await entriesAt(repository, head, pathsOf(input.actions));
      const changed = applyActions(entries, input.actions);
      if ('refusal' in changed) throw refusedChange(changed.refusal);
      const writer = {
        name: identText(user.name, user.username),
        email: identText(user.email, 'unknown'),
        seconds: Math.floor(clock.now() / 1000),
      };
      const commit = await writeCommitObject(repository, {
        parent: head,
        message: input.message.toWellFormed(),
        author: writer,
        committer: writer,
        changed,
      });
      const files = await filesOf(repository, commit);
      const result = store.transaction(() =>
        then({ repositoryId: id, commit, files, moveBranch: () => writeHead(store, id, commit) }),
      );
      await repository.git.run(repository.folder, ['update-ref', `refs/heads/${SINGLE_BRANCH}`, commit]);
      return result;
    });
  } catch (error) {
    if (repositoryId === undefined && singleRepository(store, id)?.head === null) deleteSingle(store, id);
    throw error;
  }
}

/** A pushed commit, which replaces the newest one. */
export interface PushedDraft {
  /** Newest commit that the client has seen; undefined for none. */
  readonly before: string | undefined;
  readonly after: string;
  /** The repository together with the pushed objects. */
  readonly objects: RepositoryDir;
  /** Makes the objects part of the repository. */
  migrate(): Promise<void>;
}

/**
 * Makes the branch point to a pushed commit. `then` checks the files and stores the related changes; nothing changes if it throws. Returns
 * false if the branch was changed in the meantime.
 */
export function moveSingle(
  core: GitCore,
  id: number,
  { before, after, objects, migrate }: PushedDraft,
  then: (draft: Draft) => void,
): Promise<boolean> {
  const { repositories, store } = core;
  return repositories.exclusively(`single ${id}`, async () => {
    const repository = await openSingle(core, id);
    const row = singleRepository(store, id);
    // The objects are in the folder from before a move to another storage.
    if (row?.read_only === 1 || repository.folder !== objects.folder) throw repositoryReadOnly();
    if ((row?.head ?? undefined) !== before) return false;
    const files = await filesOf(objects, after);
    await migrate();
    store.transaction(() => then({ repositoryId: id, commit: after, files, moveBranch: () => writeHead(store, id, after) }));
    await repository.git.run(repository.folder, ['update-ref', `refs/heads/${SINGLE_BRANCH}`, after]);
    return true;
  });
}

/** Returns the newest commit of a standalone repository. */
export function headOfSingle({ store }: Core, id: number): string | undefined {
  return singleRepository(store, id)?.head ?? undefined;
}

/** Returns true while a standalone repository is moved to another storage. */
export function isReadOnlySingle({ store }: Core, id: number): boolean {
  return singleRepository(store, id)?.read_only === 1;
}

/** Opens a standalone repository, whose branch is the stored commit. Throws `Unavailable` without git. */
export async function openForFetch(core: GitCore, id: number): Promise<RepositoryDir> {
  const { repositories, store } = core;
  await repositories.git.demand();
  return repositories.exclusively(singleQueue(id), async () => {
    const repository = await openSingle(core, id);
    const head = singleRepository(store, id)?.head ?? undefined;
    // The server can have ended between storing the commit and moving the branch.
    if (head !== undefined) await repository.git.run(repository.folder, ['update-ref', `refs/heads/${SINGLE_BRANCH}`, head]);
    return repository;
  });
}

/** Returns the name of the queue of changes of a standalone repository. */
export function singleQueue(id: number): string {
  return `single ${id}`;
}

async function openSingle(core: GitCore, id: number): Promise<RepositoryDir> {
  const { repositories, store } = core;
  const single = singleRepository(store, id);
  if (single === undefined) throw new Error(`standalone repository ${id} does not exist`);
  const row = located(core, single, (storage) => writeStorageOfSingle(store, id, storage));
  repositories.create(row, SINGLE_BRANCH);
  return { git: repositories.git, folder: repositories.folderOf(row) };
}

async function filesOf(repository: RepositoryDir, commit: string): Promise<string[]> {
  const listing = createListing(await readTree(repository, commit, true));
  const entries = Array.from({ length: listing.length }, (_, index) => listing.entry(index));
  return entries.filter(({ type }) => type === 'blob').map(({ path }) => path);
}

/** Returns a file at the newest commit; undefined if it does not exist. Throws `Unavailable` without git. */
export async function readSingle(core: GitCore, id: number, path: string): Promise<Buffer | undefined> {
  await core.repositories.git.demand();
  const head = singleRepository(core.store, id)?.head;
  if (head === undefined || head === null || !isTreePath(path)) return undefined;
  const repository = await openSingle(core, id);
  const entry = (await entriesAt(repository, head, [path])).get(path);
  return entry?.type === 'blob' ? readBlob(repository, entry.id) : undefined;
}

/** Returns true if a ref resolves to the newest commit, the only one that is shown. */
export function isNewest(core: Core, id: number, ref: string): boolean {
  return ref === 'HEAD' || ref === SINGLE_BRANCH || ref === singleRepository(core.store, id)?.head;
}
