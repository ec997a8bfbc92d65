import type { OwnerKind, StorageMove } from '../../../src/contract/storageMoves.ts';

/** Returns a move from `old` to `new`. */
export function move(id: number, owner: number, state: string, changes: Partial<StorageMove> = {}): StorageMove {
  return {
    id,
    created_at: '2026-01-01T00:00:00.000Z',
    state,
    source_storage_name: 'old',
    destination_storage_name: 'new',
    error_message: null,
    owner: ownerOf('project', owner),
    ...changes,
  };
}

export function ownerOf(kind: OwnerKind, id: number): StorageMove['owner'] {
  return { kind, id, name: kind === 'project' ? `group/p${id}` : `${kind} ${id}` };
}
