import * as l10n from '@vscode/l10n';
import type { ProjectStorageMove } from '../contract/storageMoves.ts';
import { formatBytes } from '../support/bytes.ts';
import { messageLook, type RowLook, visibleRow } from '../ui/row.ts';
import { movesOf, type StorageListState } from './model.ts';
import type { Storage } from './requests.ts';

export type StorageRow = RowLook &
  (
    | { readonly kind: 'storage'; readonly storage: Storage; readonly hasFailures: boolean; readonly rows: readonly StorageRow[] }
    | { readonly kind: 'move'; readonly move: ProjectStorageMove; readonly hasFailed: boolean }
    | { readonly kind: 'message' }
  );

/** Maximum number of finished moves below a storage. */
const SHOWN_DONE = 5;

export function storageRows(state: StorageListState, locale: string): readonly StorageRow[] {
  if (state.kind !== 'ready') return [];
  return state.storages.map((storage) => storageRow(storage, state.moves, locale));
}

function storageRow(storage: Storage, moves: readonly ProjectStorageMove[], locale: string): StorageRow {
  const { running, failed, done } = movesOf(storage.name, moves);
  const number = (value: number): string => value.toLocaleString(locale);
  const parts = [
    formatProjects(storage.projects, locale),
    storage.bytes === undefined ? '' : formatBytes(storage.bytes, locale),
    running.length === 0 ? '' : l10n.t('{0} moving', number(running.length)),
    failed.length === 0 ? '' : l10n.t('{0} failed', number(failed.length)),
  ].filter((text) => text !== '');
  const weight = l10n.t('Weight: {0}', number(storage.weight));
  const children: readonly StorageRow[] = [...running, ...failed, ...done.slice(0, SHOWN_DONE)].map(moveRow);
  const id = `storage/${storage.name}`;
  return visibleRow({
    kind: 'storage',
    id,
    storage,
    hasFailures: failed.length > 0,
    label: storage.name,
    description: parts.join(' · '),
    tooltip: [storage.name, ...parts, weight].join('\n\n'),
    spoken: [l10n.t('Storage {0}', storage.name), ...parts, weight].join(', '),
    icon: 'database',
    color: failed.length > 0 ? 'charts.red' : running.length > 0 ? 'charts.blue' : undefined,
    rows:
      children.length > 0
        ? children
        : [{ kind: 'message', ...messageLook(`${id}/none`, l10n.t('No moves away from this storage'), 'info') }],
  });
}

function moveRow(move: ProjectStorageMove): StorageRow {
  const { id, state, project, destination_storage_name: destination } = move;
  const text = l10n.t('{0} · to {1}', formatState(state), destination);
  return visibleRow({
    kind: 'move',
    id: `move/${id}`,
    move,
    hasFailed: state === 'failed',
    label: project.path_with_namespace,
    description: text,
    tooltip: [project.path_with_namespace, text, l10n.t('From {0}', move.source_storage_name)].join('\n\n'),
    spoken: `${project.path_with_namespace}, ${text}`,
    ...(icons[state] ?? { icon: 'question', color: undefined }),
  });
}

/** Returns the number of projects as text. The instance does not count lists of more than 10,000. */
export function formatProjects(count: number | undefined, locale: string): string {
  if (count === undefined) return l10n.t('more than {0} projects', (10_000).toLocaleString(locale));
  return count === 1 ? l10n.t('1 project') : l10n.t('{0} projects', count.toLocaleString(locale));
}

function formatState(state: string): string {
  switch (state) {
    case 'initial':
    case 'scheduled':
      return l10n.t('scheduled');
    case 'started':
      return l10n.t('copying');
    case 'replicated':
      return l10n.t('removing the old copy');
    case 'finished':
      return l10n.t('moved');
    case 'failed':
      return l10n.t('failed');
    case 'cleanup failed':
      return l10n.t('moved, but the old copy remains');
    default:
      return state;
  }
}

const icons: Readonly<Record<string, { readonly icon: string; readonly color: string | undefined }>> = {
  initial: { icon: 'clock', color: 'charts.blue' },
  scheduled: { icon: 'clock', color: 'charts.blue' },
  started: { icon: 'sync', color: 'charts.blue' },
  replicated: { icon: 'sync', color: 'charts.blue' },
  finished: { icon: 'pass', color: 'charts.green' },
  failed: { icon: 'error', color: 'charts.red' },
  'cleanup failed': { icon: 'warning', color: 'charts.yellow' },
};
