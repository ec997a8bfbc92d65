import * as l10n from '@vscode/l10n';
import type { ClientKey } from '../contract/clientKeys.ts';
import { formatFailure } from '../errorTracking/failures.ts';
import { type RowLook, messageLook } from '../ui/row.ts';
import type { ClientKeysState } from './list.ts';

/** Project of the client keys. Its ID is undefined if only the path is known. */
export interface KeyProject {
  readonly id: number | undefined;
  readonly path: string;
}

/** Rows for client keys: a parent row, with one row for each key below it. */
export type ClientKeyRow = RowLook & { readonly rows: readonly ClientKeyRow[] } & (
    | { readonly kind: 'clientKeys'; readonly project: KeyProject }
    | { readonly kind: 'clientKey'; readonly project: KeyProject; readonly clientKey: ClientKey }
    /** Shown if the project has no client keys. */
    | { readonly kind: 'noClientKey'; readonly project: KeyProject }
    /** Plain text. */
    | { readonly kind: 'text' }
  );

/** Number of characters shown of a public key, including the prefix `glet_`. */
const SHOWN_LENGTH = 13;

/** Returns the parent row. `prefix` is the start of all row IDs. `state` is undefined before the row is first expanded. */
export function clientKeysRow(prefix: string, project: KeyProject, state: ClientKeysState | undefined): ClientKeyRow {
  const id = `${prefix}/clientKeys`;
  const look = messageLook(id, l10n.t('Client Keys'), 'key');
  return {
    ...look,
    kind: 'clientKeys',
    project,
    tooltip: l10n.t('Client keys of {0}. Applications report errors with the DSN of a client key.', project.path),
    rows: rowsBelow(id, project, state),
  };
}

function rowsBelow(id: string, project: KeyProject, state: ClientKeysState | undefined): readonly ClientKeyRow[] {
  switch (state?.kind) {
    case undefined:
    case 'loading':
      return [{ ...messageLook(`${id}/loading`, l10n.t('Loading…'), 'loading~spin'), kind: 'text', rows: [] }];
    case 'failed': {
      const isForbidden = state.failure.kind === 'forbidden';
      const text = formatFailure(state.failure, project.path);
      // A row has little space, so the full text is in the tooltip.
      const label = isForbidden ? l10n.t('Only maintainers can see client keys') : text;
      const look = messageLook(`${id}/failed`, label, isForbidden ? 'lock' : 'warning');
      return [{ ...look, kind: 'text', tooltip: text, spoken: text, rows: [] }];
    }
    case 'ready': {
      if (state.keys.length > 0) return state.keys.map((key) => keyRow(id, project, key));
      return [{ ...messageLook(`${id}/none`, l10n.t('No client keys yet'), 'info'), kind: 'noClientKey', project, rows: [] }];
    }
  }
}

function keyRow(prefix: string, project: KeyProject, clientKey: ClientKey): ClientKeyRow {
  const { id, active, public_key: publicKey, tracker_dsn: dsn } = clientKey;
  const label = l10n.t('Client key {0}', id);
  const state = active ? l10n.t('active') : l10n.t('inactive');
  return {
    kind: 'clientKey',
    id: `${prefix}/${id}`,
    project,
    clientKey,
    label,
    description: [shortened(publicKey), state].filter(Boolean).join(' · '),
    tooltip: [label, active ? state : l10n.t('inactive, error reports are rejected'), publicKey, dsn].filter(Boolean).join('\n'),
    spoken: `${label}, ${state}`,
    icon: active ? 'key' : 'circle-slash',
    color: active ? undefined : 'disabledForeground',
    rows: [],
  };
}

function shortened(publicKey: string): string {
  return publicKey.length > SHOWN_LENGTH + 1 ? `${publicKey.slice(0, SHOWN_LENGTH)}…` : publicKey;
}
