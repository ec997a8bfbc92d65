import { integerMember, isJsonObject, stringMember } from './json.ts';

/** States of a move in the order in which it goes through them. `finished`, `failed` and `cleanup failed` are final. */
export type StorageMoveState =
  | 'initial'
  | 'scheduled'
  | 'started'
  | 'replicated'
  | 'finished'
  | 'failed'
  /** The repository is on the new storage, but the old copy could not be removed. */
  | 'cleanup failed';

/** Move of the repository of a project, from `/project_repository_storage_moves`. */
export interface ProjectStorageMove {
  readonly id: number;
  /** ISO 8601. */
  readonly created_at: string;
  /** A `StorageMoveState`, or one that a later release adds. */
  readonly state: string;
  readonly source_storage_name: string;
  readonly destination_storage_name: string;
  readonly project: { readonly id: number; readonly path_with_namespace: string };
  readonly [member: string]: unknown;
}

export function readProjectStorageMove(value: unknown): ProjectStorageMove | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.project)) return undefined;
  const id = integerMember(value, 'id');
  const state = stringMember(value, 'state');
  const projectId = integerMember(value.project, 'id');
  if (id === undefined || state === undefined || projectId === undefined) return undefined;
  const path = stringMember(value.project, 'path_with_namespace') ?? String(projectId);
  return {
    ...value,
    id,
    state,
    created_at: stringMember(value, 'created_at') ?? '',
    source_storage_name: stringMember(value, 'source_storage_name') ?? '',
    destination_storage_name: stringMember(value, 'destination_storage_name') ?? '',
    project: { id: projectId, path_with_namespace: path },
  };
}

const FINAL: ReadonlySet<string> = new Set<StorageMoveState>(['finished', 'failed', 'cleanup failed']);

/** Returns true while the repository is read-only or the move still has work to do. */
export function isRunning({ state }: Pick<ProjectStorageMove, 'state'>): boolean {
  return !FINAL.has(state);
}

/** Returns true if the move should be scheduled again. After `cleanup failed` the repository has moved. */
export function hasFailed({ state }: Pick<ProjectStorageMove, 'state'>): boolean {
  return state === 'failed';
}

/** Returns storage name → weight from `/application/settings`; undefined if the instance has no storages. */
export function readStorageWeights(value: unknown): ReadonlyMap<string, number> | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.repository_storages_weighted)) return undefined;
  const weights = Object.entries(value.repository_storages_weighted);
  return new Map(weights.map(([name, weight]) => [name, typeof weight === 'number' ? weight : 0]));
}
