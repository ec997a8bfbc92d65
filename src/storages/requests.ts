import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { failureOfError } from '../api/failures.ts';
import { isJsonObject } from '../contract/json.ts';
import { readProjectBasic } from '../contract/projects.ts';
import { type ProjectStorageMove, readProjectStorageMove, readStorageWeights } from '../contract/storageMoves.ts';

/** Storage with its projects. */
export interface Storage {
  readonly name: string;
  /** Share of new repositories that it receives. */
  readonly weight: number;
  /** Undefined if the instance does not count that many. */
  readonly projects: number | undefined;
  /** Size of its repositories; only the local server reports it. */
  readonly bytes: number | undefined;
}

/** Projects that are still on a storage. */
export interface Remaining {
  /** Undefined if the instance does not count that many. */
  readonly count: number | undefined;
  /** Paths of the first ones. */
  readonly paths: readonly string[];
}

const MOVES = '/project_repository_storage_moves';
const PAGE = 100;

/** Maximum number of pages of moves: enough for the moves that are shown or watched. */
const MAX_PAGES = 10;

/** Maximum number of paths of `Remaining`. */
const SHOWN_PATHS = 3;

/** Returns true if the user is an administrator and the instance can move repositories. Rejects with an `ApiFailure`. */
export async function canMoveRepositories(client: Client): Promise<boolean> {
  if (!(await client.get('/user', (user) => (isJsonObject(user) ? { isAdmin: user.is_admin === true } : undefined))).isAdmin)
    return false;
  try {
    await client.list(MOVES, readProjectStorageMove, { per_page: 1 });
    return true;
  } catch (error) {
    const kind = failureOfError(error)?.kind;
    if (kind === 'notFound' || kind === 'forbidden' || kind === 'refused') return false;
    throw error;
  }
}

/** Loads all storages. `sizes` returns the sizes in bytes by name. Rejects with an `ApiFailure`. */
export async function loadStorages(
  client: Client,
  sizes: () => Promise<ReadonlyMap<string, number>>,
  signal?: AbortSignal,
): Promise<readonly Storage[]> {
  const [weights, bytes] = await Promise.all([client.get('/application/settings', readStorageWeights, {}, signal), sizes()]);
  const names = [...new Set([...weights.keys(), ...bytes.keys()])].toSorted();
  return Promise.all(
    names.map(async (name) => ({
      name,
      weight: weights.get(name) ?? 0,
      projects: (await loadRemaining(client, name, signal)).count,
      bytes: bytes.get(name),
    })),
  );
}

export async function loadRemaining(client: Client, storage: string, signal?: AbortSignal): Promise<Remaining> {
  const query = { repository_storage: storage, simple: true, per_page: SHOWN_PATHS };
  const { items, total } = await client.list('/projects', readProjectBasic, query, signal);
  return { count: total, paths: items.map((project) => project.path_with_namespace) };
}

/** Loads the newest moves, newest first. With `after`, all moves with a greater id; otherwise one page. */
export async function loadMoves(client: Client, after?: number, signal?: AbortSignal): Promise<readonly ProjectStorageMove[]> {
  let page = await client.list(MOVES, readProjectStorageMove, { per_page: PAGE }, signal);
  const moves = [...page.items];
  if (after === undefined) return moves;
  for (let pages = 1; page.next !== undefined && (moves.at(-1)?.id ?? 0) > after && pages < MAX_PAGES; pages += 1) {
    page = await client.follow(page.next, readProjectStorageMove, signal);
    moves.push(...page.items);
  }
  return moves.filter(({ id }) => id > after);
}

export function loadMove(client: Client, id: number, signal?: AbortSignal): Promise<ProjectStorageMove> {
  return client.get(`${MOVES}/${id}`, readProjectStorageMove, {}, signal);
}

/** Schedules the move of one project. Without a destination, the instance selects it by the weights. */
export function moveProject(
  client: Client,
  project: number | string,
  destination: string | undefined,
): Promise<ProjectStorageMove> {
  const path = apiPath`/projects/${project}/repository_storage_moves`;
  return client.change({ method: 'POST', path, body: destinationOf(destination) }, readProjectStorageMove);
}

/** Schedules moves of all projects of a storage. The moves are created in the background. */
export async function moveAllProjects(client: Client, source: string, destination: string | undefined): Promise<void> {
  const body = { source_storage_name: source, ...destinationOf(destination) };
  await client.change({ method: 'POST', path: MOVES, body }, (value) => (isJsonObject(value) ? value : undefined));
}

function destinationOf(name: string | undefined): Readonly<Record<string, string>> {
  return name === undefined ? {} : { destination_storage_name: name };
}
