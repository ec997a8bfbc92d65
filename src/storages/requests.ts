import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { failureOfError } from '../api/failures.ts';
import type { LocalStorage } from '../contract/control.ts';
import { integerMember, isJsonObject, stringMember } from '../contract/json.ts';
import { readProjectBasic } from '../contract/projects.ts';
import {
  type OwnerKind,
  ownerKinds,
  readStorageWeights,
  type RepositoryOwner,
  type StorageMove,
  storageMoveReader,
} from '../contract/storageMoves.ts';

/** Storage with what is on it. */
export interface Storage {
  readonly name: string;
  /** Share of new repositories that it receives. */
  readonly weight: number;
  /** Undefined if the instance does not count that many. */
  readonly projects: number | undefined;
  /** Numbers and size in bytes that only the local server reports. */
  readonly local: LocalStorage | undefined;
}

/** Returns the storages of the local server by name; empty for other instances. */
export type LocalStorages = () => Promise<ReadonlyMap<string, LocalStorage>>;

/** Numbers of owners by kind; undefined where the instance does not tell. Kinds that it cannot move are missing. */
export type OwnerCounts = ReadonlyMap<OwnerKind, number | undefined>;

const moveLists: Readonly<Record<OwnerKind, string>> = {
  project: '/project_repository_storage_moves',
  snippet: '/snippet_repository_storage_moves',
  group: '/group_repository_storage_moves',
};

const owners: Readonly<Record<OwnerKind, string>> = { project: 'projects', snippet: 'snippets', group: 'groups' };

const PAGE = 100;

/** Maximum number of pages of moves: enough for the moves that are shown or watched. */
const MAX_PAGES = 10;

/** Maximum number of paths that `firstProjects` returns. */
const SHOWN_PATHS = 3;

/**
 * Returns whether the user is an administrator of an instance that can move repositories, and has something to see: several storages or
 * moves. Rejects with an `ApiFailure`.
 */
export async function findsStorages(client: Client): Promise<'no' | 'oneStorage' | 'yes'> {
  if (!(await client.get('/user', (user) => (isJsonObject(user) ? { isAdmin: user.is_admin === true } : undefined))).isAdmin)
    return 'no';
  try {
    const moves = await client.list(moveLists.project, storageMoveReader('project'), { per_page: 1 });
    if (moves.items.length > 0) return 'yes';
    if ((await client.get('/application/settings', readStorageWeights)).size > 1) return 'yes';
    const others = await Promise.all([
      ifMovable(() => loadMoves(client, 'snippet')),
      ifMovable(() => loadMoves(client, 'group')),
    ]);
    return others.some((list) => list !== undefined && list.length > 0) ? 'yes' : 'oneStorage';
  } catch (error) {
    // The result is remembered, so only what the instance itself says counts.
    if (failureOfError(error)?.isOwnWord !== true) throw error;
    return 'no';
  }
}

/** Loads all storages. Rejects with an `ApiFailure`. */
export async function loadStorages(client: Client, local: LocalStorages): Promise<readonly Storage[]> {
  const [weights, known] = await Promise.all([client.get('/application/settings', readStorageWeights), local()]);
  const names = [...new Set([...weights.keys(), ...known.keys()])].toSorted();
  return Promise.all(
    names.map(async (name) => ({
      name,
      weight: weights.get(name) ?? 0,
      projects: (await loadProjects(client, name)).total,
      local: known.get(name),
    })),
  );
}

function loadProjects(client: Client, storage: string, signal?: AbortSignal) {
  const query = { repository_storage: storage, simple: true, per_page: SHOWN_PATHS };
  return client.list('/projects', readProjectBasic, query, signal);
}

/** Returns the paths of some projects of a storage. */
export async function firstProjects(client: Client, storage: string): Promise<readonly string[]> {
  return (await loadProjects(client, storage)).items.map((project) => project.path_with_namespace);
}

/** Returns the storage of a project; undefined if the instance does not tell it. */
export async function storageOfProject(client: Client, id: number | string): Promise<string | undefined> {
  return (await client.get(apiPath`/projects/${id}`, readStorageName)).name;
}

/** Counts the owners of repositories on a storage, of the given kinds. Rejects with an `ApiFailure`. */
export async function countOwners(
  client: Client,
  local: LocalStorages,
  storage: string,
  kinds: readonly OwnerKind[],
  signal?: AbortSignal,
): Promise<OwnerCounts> {
  const known = (await local()).get(storage);
  const count = async (kind: OwnerKind): Promise<number | undefined> => {
    if (kind === 'project') return (await loadProjects(client, storage, signal)).total;
    if (known !== undefined) return kind === 'snippet' ? known.snippets : known.groups;
    return countListed(client, kind === 'snippet' ? '/snippets/all' : '/groups', storage, signal);
  };
  return new Map(await Promise.all(kinds.map(async (kind) => [kind, await count(kind)] as const)));
}

/**
 * Counts the entries of a list that are on a storage. Not every release filters these lists, so the storage of each entry decides. Returns
 * undefined if the entries do not name it, or if there are too many of them.
 */
async function countListed(client: Client, path: string, storage: string, signal?: AbortSignal): Promise<number | undefined> {
  let page = await client.list(path, readStorageName, { repository_storage: storage, per_page: PAGE }, signal);
  let count = 0;
  for (let pages = 1; ; pages += 1) {
    if (page.items.some(({ name }) => name === undefined)) return undefined;
    count += page.items.filter(({ name }) => name === storage).length;
    if (page.next === undefined) return count;
    if (pages === MAX_PAGES) return undefined;
    page = await client.follow(page.next, readStorageName, signal);
  }
}

function readStorageName(value: unknown): { readonly name: string | undefined } | undefined {
  return isJsonObject(value) && integerMember(value, 'id') !== undefined
    ? { name: stringMember(value, 'repository_storage') }
    : undefined;
}

/** Returns the id of the newest move of each kind, 0 if there is none. Kinds that the instance cannot move are missing. */
export async function newestMoves(client: Client): Promise<ReadonlyMap<OwnerKind, number>> {
  const found = await Promise.all(
    ownerKinds.map(async (kind) => [kind, await ifMovable(() => loadMoves(client, kind))] as const),
  );
  return new Map(found.flatMap(([kind, moves]) => (moves === undefined ? [] : [[kind, moves[0]?.id ?? 0] as const])));
}

/** Returns a function that loads the newest moves, newest first. It asks only once for kinds that the instance cannot move. */
export function createMoveList(client: () => Client): () => Promise<readonly StorageMove[]> {
  let kinds: readonly OwnerKind[] = ownerKinds;
  return async () => {
    const current = client();
    const lists = await Promise.all(
      kinds.map(async (kind) => ({ kind, moves: await ifMovable(() => loadMoves(current, kind)) })),
    );
    kinds = lists.filter(({ moves }) => moves !== undefined).map(({ kind }) => kind);
    return lists.flatMap(({ moves = [] }) => moves).toSorted((a, b) => b.created_at.localeCompare(a.created_at, 'en'));
  };
}

/** Returns undefined if the instance does not have the endpoints of a kind. */
async function ifMovable<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    const failure = failureOfError(error);
    if (failure?.kind === 'notFound' && failure.isOwnWord) return undefined;
    throw error;
  }
}

/** Loads the newest moves of a kind, newest first. With `after`, all moves with a greater id; otherwise one page. */
export async function loadMoves(
  client: Client,
  kind: OwnerKind,
  after?: number,
  signal?: AbortSignal,
): Promise<readonly StorageMove[]> {
  const read = storageMoveReader(kind);
  let page = await client.list(moveLists[kind], read, { per_page: PAGE }, signal);
  const moves = [...page.items];
  if (after === undefined) return moves;
  for (let pages = 1; page.next !== undefined && (moves.at(-1)?.id ?? 0) > after && pages < MAX_PAGES; pages += 1) {
    page = await client.follow(page.next, read, signal);
    moves.push(...page.items);
  }
  return moves.filter(({ id }) => id > after);
}

/** Loads the present state of a move. */
export function reloadMove(client: Client, { id, owner: { kind } }: StorageMove, signal?: AbortSignal): Promise<StorageMove> {
  return client.get(`${moveLists[kind]}/${id}`, storageMoveReader(kind), {}, signal);
}

/** Schedules the move of one repository. Without a destination, the instance selects it by the weights. */
export function moveRepository(
  client: Client,
  { kind, id }: Pick<RepositoryOwner, 'kind'> & { readonly id: number | string },
  destination: string | undefined,
): Promise<StorageMove> {
  const path = apiPath`/${owners[kind]}/${id}/repository_storage_moves`;
  return client.change({ method: 'POST', path, body: destinationOf(destination) }, storageMoveReader(kind));
}

/** Schedules moves of all repositories of a kind on a storage. The moves are created in the background. */
export async function moveAllRepositories(
  client: Client,
  kind: OwnerKind,
  source: string,
  destination: string | undefined,
): Promise<void> {
  const body = { source_storage_name: source, ...destinationOf(destination) };
  await client.change({ method: 'POST', path: moveLists[kind], body }, (value) => (isJsonObject(value) ? value : undefined));
}

function destinationOf(name: string | undefined): Readonly<Record<string, string>> {
  return name === undefined ? {} : { destination_storage_name: name };
}
