import * as l10n from '@vscode/l10n';
import { formatOldRows } from '../activity/appearance.ts';
import { formatRoundAge } from '../support/ages.ts';
import type { FailureKind } from '../api/failures.ts';
import type { ConnectionState } from '../instances/connection.ts';
import { endOf, shownAccount } from '../instances/currentAccount.ts';
import { noErrorTracking } from './failures.ts';
import { appliedFilter, type ErrorFilter, formatErrorFilter, isUsualFilter } from './filter.ts';
import type { ErrorListState } from './model.ts';
import type { ErrorOrder } from './source.ts';

/** State of the view, which selects the welcome text in package.json. */
export type ErrorListViewState =
  | 'idle'
  | 'noProject'
  | 'loading'
  | 'missing'
  | 'off'
  | 'empty'
  | 'emptyFiltered'
  | 'ready'
  | FailureKind;

/** Everything that the view shows apart from its rows. */
export interface ErrorAppearance {
  readonly state: ErrorListViewState;
  /** Text next to the title. */
  readonly description: string;
  /** Text above the rows. Must be empty for a welcome text to be shown. */
  readonly message: string;
}

export interface ErrorSubject {
  /** Path of the project, or the number of projects; undefined if none is selected. */
  readonly project: string | undefined;
  /** True if one project is shown. Further projects have rows that show their state. */
  readonly isAlone: boolean;
  readonly filter: ErrorFilter;
  readonly order: ErrorOrder;
}

export function formatOrder(order: ErrorOrder): string {
  switch (order) {
    case 'last_seen':
      return l10n.t('Last seen');
    case 'first_seen':
      return l10n.t('First seen');
    case 'frequency':
      return l10n.t('Events');
  }
}

export function errorAppearance(
  state: ConnectionState,
  list: ErrorListState,
  { project, isAlone, filter, order }: ErrorSubject,
  { now, locale }: { readonly now: number; readonly locale: string },
): ErrorAppearance {
  if (shownAccount(state) === undefined) return { state: 'idle', description: '', message: '' };
  if (project === undefined) return { state: 'noProject', description: '', message: '' };
  // No project of the instance has errors.
  if (list.kind === 'ready' && list.isMissing === true && endOf(state) === undefined)
    return { state: 'missing', description: project, message: noErrorTracking() };
  if (!isAlone) {
    const parts = isUsualFilter(filter) && order === 'last_seen' ? [] : [...formatErrorFilter(filter), formatOrder(order)];
    // The other projects have the same account and were loaded at the same time.
    const problem = list.kind === 'ready' ? (endOf(state) ?? list.problem?.message) : endOf(state);
    const isOld = list.kind === 'ready' && problem !== undefined;
    const message = isOld ? formatOldRows(formatRoundAge(now - list.at, locale), problem) : (problem ?? '');
    return { state: 'ready', description: [project, ...parts].join(' · '), message };
  }
  switch (list.kind) {
    case 'idle':
    case 'loading':
      return { state: list.kind, description: project, message: '' };
    case 'failed':
      return { state: list.failure.kind, description: endOf(state) ?? list.failure.message, message: '' };
    case 'ready': {
      const applied = appliedFilter(filter, list.abilities);
      const isUsual = isUsualFilter(applied) && order === 'last_seen';
      const description = isUsual ? project : [project, ...formatErrorFilter(applied), formatOrder(order)].join(' · ');
      const problem = endOf(state) ?? list.problem?.message;
      if (problem !== undefined) {
        if (list.errors.length === 0) return { state: list.problem?.kind ?? 'signedOut', description: problem, message: '' };
        const message = formatOldRows(formatRoundAge(now - list.at, locale), problem);
        return { state: 'ready', description, message };
      }
      if (list.isDisabled) return { state: 'off', description: project, message: '' };
      if (list.errors.length > 0) return { state: 'ready', description, message: '' };
      // The row for the client keys is shown, and VS Code shows no welcome text if there are rows.
      return isUsualFilter(applied)
        ? {
            state: 'empty',
            description,
            message: l10n.t('No unresolved errors. Applications report errors with the DSN of a client key.'),
          }
        : { state: 'emptyFiltered', description, message: l10n.t('No errors match the filter.') };
    }
  }
}

/** Returns the badge of the view, which counts new errors; undefined if there are none. Nothing else tells of new errors. */
export function errorBadge(count: number): { readonly value: number; readonly tooltip: string } | undefined {
  if (count === 0) return undefined;
  return { value: count, tooltip: count === 1 ? l10n.t('1 new error') : l10n.t('{0} new errors', count) };
}
