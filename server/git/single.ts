import { refusedChange } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { type Action, applyActions, pathsOf } from './actions.ts';
import { createListing } from './listing.ts';
import { identText, isTreePath } from './names.ts';
import { entriesAt, type RepositoryDir, readBlob, readTree } from './objects.ts';
import { deleteSingle, insertSingle, singleRepository, writeHead } from './store.ts';
import { writeCommitObject } from './writing.ts';

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
 * Writes a commit to a repository, which is created if `repositoryId` is undefined, and returns the result of `then`. Throws 400
 * for changes that the tree does not allow, and 503 without git. A new repository is removed if its first commit fails.
 */
export async function writeSingle<T>(
  platform: Platform,
  repositoryId: number | undefined,
  user: User,
  input: { readonly message: string; readonly actions: readonly Action[] },
  then: (draft: Draft) => T,
): Promise<T> {
  const { repositories, store, clock } = platform;
  await repositories.git.demand();
  // The row is inserted first, because folders without a row are removed.
  const id = repositoryId ?? insertSingle(store, repositories.newName());
  try {
    return await repositories.exclusively(`single ${id}`, async () => {
      const repository = await openSingle(platform, id);
      const head = singleRepository(store, id)?.head ?? undefined;
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

async function openSingle({ repositories, store }: Platform, id: number): Promise<RepositoryDir> {
  const row = singleRepository(store, id);
  if (row === undefined) throw new Error(`standalone repository ${id} does not exist`);
  repositories.create(row.folder, SINGLE_BRANCH);
  return { git: repositories.git, folder: repositories.folderOf(row.folder) };
}

async function filesOf(repository: RepositoryDir, commit: string): Promise<string[]> {
  const listing = createListing(await readTree(repository, commit, true));
  const entries = Array.from({ length: listing.length }, (_, index) => listing.entry(index));
  return entries.filter(({ type }) => type === 'blob').map(({ path }) => path);
}

/** Returns a file at the newest commit; undefined if it does not exist. Throws 503 without git. */
export async function readSingle(platform: Platform, id: number, path: string): Promise<Buffer | undefined> {
  await platform.repositories.git.demand();
  const head = singleRepository(platform.store, id)?.head;
  if (head === undefined || head === null || !isTreePath(path)) return undefined;
  const repository = await openSingle(platform, id);
  const entry = (await entriesAt(repository, head, [path])).get(path);
  return entry?.type === 'blob' ? readBlob(repository, entry.id) : undefined;
}

/** Returns true if a ref resolves to the newest commit, the only one that is shown. */
export function isNewest(platform: Platform, id: number, ref: string): boolean {
  return ref === 'HEAD' || ref === SINGLE_BRANCH || ref === singleRepository(platform.store, id)?.head;
}
