import type { GitCore } from '../../repositories/repositories.ts';
import type { Listing } from '../../repositories/listing.ts';
import { isTreePath } from '../../repositories/names.ts';
import { entriesAt, type RepositoryDir, readCommits, readTree } from '../../repositories/objects.ts';

/** Lists a directory of a commit, all levels if `recursive`. Returns undefined if it does not exist. */
export async function listingAt(
  core: GitCore,
  repository: RepositoryDir,
  commit: string,
  inside: string,
  recursive: boolean,
): Promise<Listing | undefined> {
  const { trees, listings } = core.repositories;
  const tree = await treeAt(trees, repository, commit, inside);
  if (tree === undefined) return undefined;
  return listings.get(`${tree}${recursive ? '+' : ''}`, () => readTree(repository, tree, recursive));
}

/** Maximum number of cached tree ids. */
const MAX_TREES = 1000;

/** Returns the id of a directory's tree in a commit; undefined if it does not exist. */
async function treeAt(
  known: Map<string, string>,
  repository: RepositoryDir,
  commit: string,
  inside: string,
): Promise<string | undefined> {
  const key = `${commit}:${inside}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  let tree: string | undefined;
  if (inside === '') tree = (await readCommits(repository, [commit]))[0]?.tree;
  else if (isTreePath(inside)) {
    const entry = (await entriesAt(repository, commit, [inside])).get(inside);
    tree = entry?.type === 'tree' ? entry.id : undefined;
  }
  if (tree === undefined) return undefined;
  const [oldest] = known.keys();
  if (known.size >= MAX_TREES && oldest !== undefined) known.delete(oldest);
  known.set(key, tree);
  return tree;
}
