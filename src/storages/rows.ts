import * as l10n from '@vscode/l10n';
import { hasFailed, type OwnerKind, type StorageMove } from '../contract/storageMoves.ts';
import type { LocalStorage } from '../contract/control.ts';
import { formatBytes } from '../support/bytes.ts';
import { messageLook, type RowLook, visibleRow } from '../ui/row.ts';
import type { StorageCheck } from './watch.ts';
import { movesOf, type StorageListState } from './model.ts';
import type { OwnerCounts, Storage } from './requests.ts';

export type StorageRow = RowLook &
  (
    | { readonly kind: 'storage'; readonly storage: Storage; readonly hasFailures: boolean; readonly rows: readonly StorageRow[] }
    | { readonly kind: 'move'; readonly move: StorageMove; readonly hasFailed: boolean }
    | { readonly kind: 'message' }
  );

/** Maximum number of finished moves below a storage. */
const SHOWN_DONE = 5;

/** Returns the rows. `prefix` is the key of the account, with which all IDs begin. */
export function storageRows(state: StorageListState, prefix: string, locale: string): readonly StorageRow[] {
  if (state.kind !== 'ready') return [];
  return state.storages.map((storage) => storageRow(storage, state.moves, prefix, locale));
}

function storageRow(storage: Storage, moves: readonly StorageMove[], prefix: string, locale: string): StorageRow {
  const { running, failed, done } = movesOf(storage.name, moves);
  const number = (value: number): string => value.toLocaleString(locale);
  const parts = [
    formatCount('project', storage.projects, locale),
    ...(storage.local === undefined ? [] : formatLocal(storage.local, locale)),
    running.length === 0 ? '' : l10n.t('{0} moving', number(running.length)),
    failed.length === 0 ? '' : l10n.t('{0} failed', number(failed.length)),
  ].filter((text) => text !== '');
  const weight = l10n.t('Weight: {0}', number(storage.weight));
  const children: readonly StorageRow[] = [...running, ...failed, ...done.slice(0, SHOWN_DONE)].map((move) =>
    moveRow(move, prefix),
  );
  const id = `${prefix}/storage/${storage.name}`;
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

/** Returns the snippets and groups, if there are any, and the size. */
function formatLocal({ snippets, groups, bytes }: LocalStorage, locale: string): readonly string[] {
  return [
    snippets === 0 ? '' : formatCount('snippet', snippets, locale),
    groups === 0 ? '' : formatCount('group', groups, locale),
    formatBytes(bytes, locale),
  ];
}

function moveRow(move: StorageMove, prefix: string): StorageRow {
  const { id, owner, destination_storage_name: destination, error_message: reason } = move;
  const state = formatState(move.state);
  const parts = [
    owner.kind === 'project' ? '' : owner.kind === 'snippet' ? l10n.t('snippet') : l10n.t('group'),
    l10n.t('{0} · to {1}', state, destination),
    reason ?? '',
  ].filter((text) => text !== '');
  const text = parts.join(' · ');
  return visibleRow({
    kind: 'move',
    id: `${prefix}/move/${owner.kind}/${id}`,
    move,
    hasFailed: hasFailed(move),
    label: owner.name,
    description: text,
    tooltip: [owner.name, ...parts, l10n.t('From {0}', move.source_storage_name)].join('\n\n'),
    spoken: [owner.name, ...parts].join(', '),
    ...(icons[move.state] ?? { icon: 'question', color: undefined }),
  });
}

/** Returns a number of owners as text. Without one, the projects are more than an instance counts, and the others are not counted. */
export function formatCount(kind: OwnerKind, count: number | undefined, locale: string): string {
  const number = (count ?? 10_000).toLocaleString(locale);
  switch (kind) {
    case 'project':
      if (count === undefined) return l10n.t('more than {0} projects', number);
      return count === 1 ? l10n.t('1 project') : l10n.t('{0} projects', number);
    case 'snippet':
      if (count === undefined) return l10n.t('all snippets');
      return count === 1 ? l10n.t('1 snippet') : l10n.t('{0} snippets', number);
    case 'group':
      if (count === undefined) return l10n.t('all groups');
      return count === 1 ? l10n.t('1 group') : l10n.t('{0} groups', number);
  }
}

/** Returns numbers of owners as a list such as “12 projects and 3 snippets”, without kinds of which there are none. */
export function formatCounts(counts: OwnerCounts, locale: string): string {
  const texts = [...counts].filter(([, count]) => count !== 0).map(([kind, count]) => formatCount(kind, count, locale));
  return texts.length === 0
    ? formatCount('project', 0, locale)
    : new Intl.ListFormat(locale, { type: 'conjunction' }).format(texts);
}

/** Returns what has not left a storage, of what the instance counts, and which kinds it does not count. */
export function formatRemaining(storage: string, { remaining, projects, running, failed }: StorageCheck, locale: string): string {
  const uncounted = [...remaining].filter(([kind, count]) => kind !== 'project' && count === undefined).map(([kind]) => kind);
  const left = new Map([...remaining].filter(([kind, count]) => !uncounted.includes(kind) && count !== 0));
  const total = remaining.get('project');
  const isMore = total === undefined || total > projects.length;
  const isEmpty = left.size === 0 && uncounted.length === 0;
  if (isEmpty && running === 0 && failed === 0)
    return l10n.t('Nothing is left on {0}, and all recent moves have finished.', storage);
  return [
    left.size > 0
      ? l10n.t('Still on {0}: {1}.', storage, formatCounts(left, locale))
      : isEmpty
        ? l10n.t('Nothing is left on {0}.', storage)
        : l10n.t('Nothing that the instance counts is left on {0}.', storage),
    projects.length === 0 ? '' : l10n.t('Projects: {0}.', `${projects.join(', ')}${isMore ? ', …' : ''}`),
    uncounted.includes('snippet') ? l10n.t('The instance does not count the snippets on a storage.') : '',
    uncounted.includes('group') ? l10n.t('The instance does not count the groups on a storage.') : '',
    running === 0 ? '' : l10n.t('Running moves: {0}.', running.toLocaleString(locale)),
    failed === 0 ? '' : l10n.t('Failed moves: {0}.', failed.toLocaleString(locale)),
  ]
    .filter((text) => text !== '')
    .join(' ');
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
