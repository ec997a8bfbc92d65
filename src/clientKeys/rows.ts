import * as l10n from '@vscode/l10n';
import type { ClientKey } from '../contract/clientKeys.ts';
import { type ClientKeyUse, nameOfProgram } from '../contract/clientKeyUse.ts';
import { formatFailure } from '../errorTracking/failures.ts';
import { failureLook, type RowLook, messageLook } from '../ui/row.ts';
import type { ClientKeysState } from './list.ts';
import type { ListedKey } from './model.ts';
import { formatRoundAge } from '../support/ages.ts';

/** Project of the client keys. Its ID is undefined if only the path is known. */
export interface KeyProject {
  /** Key of the account that sees the keys. */
  readonly account: string;
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
/** Number of programs in a tooltip. */
const SHOWN_PROGRAMS = 5;

/** Time and language of the user, in which ages are shown. */
interface Moment {
  readonly now: number;
  readonly locale: string;
}

/** Returns the parent row. `prefix` is the start of all row IDs. `state` is undefined before the row is first expanded. */
export function clientKeysRow(
  prefix: string,
  project: KeyProject,
  state: ClientKeysState | undefined,
  moment: Moment,
): ClientKeyRow {
  const id = `${prefix}/clientKeys`;
  const look = messageLook(id, l10n.t('Client Keys'), 'key');
  return {
    ...look,
    kind: 'clientKeys',
    project,
    tooltip: l10n.t('Client keys of {0}. Applications report errors with the DSN of a client key.', project.path),
    rows: rowsBelow(id, project, state, moment),
  };
}

function rowsBelow(id: string, project: KeyProject, state: ClientKeysState | undefined, moment: Moment): readonly ClientKeyRow[] {
  switch (state?.kind) {
    case undefined:
    case 'loading':
      return [{ ...messageLook(`${id}/loading`, l10n.t('Loading…'), 'loading~spin'), kind: 'text', rows: [] }];
    case 'failed': {
      const isForbidden = state.failure.kind === 'forbidden';
      const isMissing = state.failure.kind === 'notFound';
      const text = formatFailure(state.failure, project.path);
      // A row has little space, so the full text is in the tooltip.
      const label = isForbidden ? l10n.t('Only maintainers can see client keys') : text;
      const look = failureLook(`${id}/failed`, state.failure, label);
      return [
        {
          ...look,
          icon: isForbidden ? 'lock' : isMissing ? 'info' : look.icon,
          kind: 'text',
          tooltip: text,
          spoken: text,
          rows: [],
        },
      ];
    }
    case 'ready': {
      if (state.keys.length > 0) return state.keys.map((key) => keyRow(id, project, key, moment));
      return [{ ...messageLook(`${id}/none`, l10n.t('No client keys yet'), 'info'), kind: 'noClientKey', project, rows: [] }];
    }
  }
}

function keyRow(prefix: string, project: KeyProject, listed: ListedKey, moment: Moment): ClientKeyRow {
  const { use, ...clientKey } = listed;
  const { id, active, public_key: publicKey, tracker_dsn: dsn } = clientKey;
  const start = shortened(publicKey);
  const used = use === undefined ? undefined : lastUse(use, moment);
  const label = l10n.t('Client key {0}', id);
  const state = active ? l10n.t('active') : l10n.t('inactive');
  return {
    kind: 'clientKey',
    id: `${prefix}/${id}`,
    project,
    clientKey,
    label,
    // The last use comes first, because a narrow view shows only the beginning.
    description: (used === undefined ? [start, state] : [used, ...(active ? [] : [state]), start]).filter(Boolean).join(' · '),
    tooltip: [
      label,
      active ? state : l10n.t('inactive, error reports are rejected'),
      ...(use === undefined ? [] : useLines(use, moment)),
      publicKey,
      dsn,
    ]
      .filter(Boolean)
      .join('\n'),
    spoken: [label, state, used].filter(Boolean).join(', '),
    icon: active ? 'key' : 'circle-slash',
    color: active ? undefined : 'disabledForeground',
    rows: [],
  };
}

function lastUse({ lastUsedAt }: ClientKeyUse, { now, locale }: Moment): string {
  return lastUsedAt === null ? l10n.t('never used') : l10n.t('used {0}', formatRoundAge(now - lastUsedAt, locale));
}

function useLines(use: ClientKeyUse, moment: Moment): readonly string[] {
  const { days, programs, lastRefused } = use;
  const { now, locale } = moment;
  const count = days.reduce((sum, day) => sum + day.count, 0);
  const lines = [lastUse(use, moment)];
  if (count > 0) lines.push(l10n.t('{0} events in 90 days', count.toLocaleString(locale)));
  if (programs.length > 0) lines.push(...programs.slice(0, SHOWN_PROGRAMS).map((program) => nameOfProgram(program).join(' · ')));
  if (lastRefused !== null)
    lines.push(l10n.t('last rejected {0}: {1}', formatRoundAge(now - lastRefused.at, locale), lastRefused.words));
  return lines;
}

function shortened(publicKey: string): string {
  return publicKey.length > SHOWN_LENGTH + 1 ? `${publicKey.slice(0, SHOWN_LENGTH)}…` : publicKey;
}
