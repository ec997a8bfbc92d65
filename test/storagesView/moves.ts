import type { ProjectStorageMove } from '../../src/contract/storageMoves.ts';

/** Returns a move of a project from `old` to `new`. */
export function move(id: number, project: number, state: string, source = 'old'): ProjectStorageMove {
  return {
    id,
    created_at: '2026-01-01T00:00:00.000Z',
    state,
    source_storage_name: source,
    destination_storage_name: 'new',
    project: { id: project, path_with_namespace: `group/p${project}` },
  };
}
