import { unavailable } from '../core/errors.ts';
import { hasMoreChanges } from './changedPaths.ts';
import { mergeBase, type RepositoryDir } from './objects.ts';
import { packingSettings, WRITE_TIME } from './program.ts';

/**
 * Writes the merged tree of two commits to the repository. Returns undefined on conflicts, without a common ancestor, or if there are too many
 * changes.
 */
export async function mergeTree(repository: RepositoryDir, into: string, from: string): Promise<string | undefined> {
  const { git, folder } = repository;
  const base = await mergeBase(repository, [into, from]);
  for (const side of base === undefined ? [] : [into, from]) if (await hasMoreChanges(repository, base, side)) return undefined;
  // 128: unrelated histories; 129: a version of git without this option.
  const args = ['merge-tree', '--write-tree', '--no-messages', into, from];
  const { code, stdout } = await git.run(folder, args, { codes: [1, 128, 129] });
  if (code === 129) {
    throw unavailable(
      '503 Service Unavailable - Merging needs Git 2.38 or later where this server runs.',
      'the installed Git is too old to merge',
    );
  }
  return code === 0 ? stdout.toString('latin1').split('\n', 1)[0] : undefined;
}

/** Returns true if git cannot merge the two commits without conflicts. */
export async function hasConflicts(repository: RepositoryDir, into: string, from: string): Promise<boolean> {
  return (await mergeTree(repository, into, from)) === undefined;
}

/**
 * Returns a pack with everything a commit needs, excluding objects reachable from those of the `without` commits that the
 * repository has.
 */
export async function packOf({ git, folder }: RepositoryDir, commit: string, without: readonly string[]): Promise<Buffer> {
  const { stdout: known } = await git.run(folder, ['cat-file', '--batch-check=%(objectname)'], {
    input: without.map((id) => `${id}\n`).join(''),
  });
  const had = known
    .toString('latin1')
    .split('\n')
    .filter((line) => /^[0-9a-f]{40}$/.test(line));
  const { stdout } = await git.run(folder, ['pack-objects', '--revs', '--stdout', '--quiet'], {
    input: [commit, ...had.map((id) => `^${id}`)].map((line) => `${line}\n`).join(''),
    timeLimit: WRITE_TIME,
    settings: packingSettings,
  });
  return stdout;
}

/** Stores a pack in a repository. */
export async function storePack({ git, folder }: RepositoryDir, pack: Buffer): Promise<void> {
  await git.run(folder, ['unpack-objects', '-q'], { input: pack, timeLimit: WRITE_TIME, settings: packingSettings });
}
