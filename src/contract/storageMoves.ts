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

/** Kinds of owners of repositories that can be moved. */
export const ownerKinds = ['project', 'snippet', 'group'] as const;
export type OwnerKind = (typeof ownerKinds)[number];

/** Owner of a repository that can be moved. */
export interface RepositoryOwner {
  readonly kind: OwnerKind;
  readonly id: number;
  /** Path of a project, title of a snippet or name of a group. */
  readonly name: string;
}

/** Move of a repository, from `/project_repository_storage_moves` and the endpoints of the other kinds. */
export interface StorageMove {
  /** Unique among the moves of a kind. */
  readonly id: number;
  /** ISO 8601. */
  readonly created_at: string;
  /** A `StorageMoveState`, or one that a later release adds. */
  readonly state: string;
  readonly source_storage_name: string;
  readonly destination_storage_name: string;
  /** Reason of a failure; null if there is none or the instance does not report it. */
  readonly error_message: string | null;
  /** Sent as the member `project`, `snippet` or `group`. */
  readonly owner: RepositoryOwner;
}

const nameMembers: Readonly<Record<OwnerKind, string>> = {
  project: 'path_with_namespace',
  snippet: 'title',
  group: 'name',
};

/** Returns a reader of moves of a kind. */
export function storageMoveReader(kind: OwnerKind): (value: unknown) => StorageMove | undefined {
  return (value) => {
    const owner = isJsonObject(value) ? value[kind] : undefined;
    if (!isJsonObject(value) || !isJsonObject(owner)) return undefined;
    const id = integerMember(value, 'id');
    const state = stringMember(value, 'state');
    const ownerId = integerMember(owner, 'id');
    if (id === undefined || state === undefined || ownerId === undefined) return undefined;
    return {
      id,
      state,
      created_at: stringMember(value, 'created_at') ?? '',
      source_storage_name: stringMember(value, 'source_storage_name') ?? '',
      destination_storage_name: stringMember(value, 'destination_storage_name') ?? '',
      error_message: stringMember(value, 'error_message') ?? null,
      owner: { kind, id: ownerId, name: stringMember(owner, nameMembers[kind]) ?? String(ownerId) },
    };
  };
}

const FINAL: ReadonlySet<string> = new Set<StorageMoveState>(['finished', 'failed', 'cleanup failed']);

/** Returns true while the repository is read-only or the move still has work to do. */
export function isRunning({ state }: Pick<StorageMove, 'state'>): boolean {
  return !FINAL.has(state);
}

/** Returns true if the move should be scheduled again. After `cleanup failed` the repository has moved. */
export function hasFailed({ state }: Pick<StorageMove, 'state'>): boolean {
  return state === 'failed';
}

/** Returns storage name → weight from `/application/settings`; undefined if the instance has no storages. */
export function readStorageWeights(value: unknown): ReadonlyMap<string, number> | undefined {
  if (!isJsonObject(value) || !isJsonObject(value.repository_storages_weighted)) return undefined;
  const weights = Object.entries(value.repository_storages_weighted);
  return new Map(weights.map(([name, weight]) => [name, typeof weight === 'number' ? weight : 0]));
}
