import * as l10n from '@vscode/l10n';
import { formatAge } from '../activity/appearance.ts';
import type { FailureKind } from '../api/failures.ts';
import type { ErrorStatus } from '../contract/trackedErrors.ts';
import type { ConnectionState } from '../instances/connection.ts';
import type { ErrorListState } from './model.ts';
import type { ErrorOrder } from './source.ts';

/** State of the view, which selects the welcome text in package.json. */
export type ErrorListViewState = 'idle' | 'noProject' | 'loading' | 'off' | 'empty' | 'emptyFiltered' | 'ready' | FailureKind;

export const STATUS_CHOICES = ['unresolved', 'resolved', 'ignored', 'all'] as const;
export type StatusChoice = (typeof STATUS_CHOICES)[number];

/** Everything that the view shows apart from its rows. */
export interface ErrorAppearance {
  readonly state: ErrorListViewState;
  /** Text next to the title. */
  readonly description: string;
  /** Text above the rows. Must be empty for a welcome text to be shown. */
  readonly message: string;
}

export interface ErrorSubject {
  /** Path of the project; undefined if none is selected. */
  readonly project: string | undefined;
  readonly status: StatusChoice;
  readonly order: ErrorOrder;
}

export function statusesOf(choice: StatusChoice): readonly ErrorStatus[] {
  switch (choice) {
    case 'unresolved':
    case 'ignored':
      return [choice];
    case 'resolved':
      return ['resolved', 'resolved_in_next_release'];
    case 'all':
      return ['unresolved', 'resolved', 'resolved_in_next_release', 'ignored'];
  }
}

export function formatStatusChoice(choice: StatusChoice): string {
  switch (choice) {
    case 'unresolved':
      return l10n.t('Unresolved');
    case 'resolved':
      return l10n.t('Resolved');
    case 'ignored':
      return l10n.t('Ignored');
    case 'all':
      return l10n.t('All statuses');
  }
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
  { project, status, order }: ErrorSubject,
  { now, locale }: { readonly now: number; readonly locale: string },
): ErrorAppearance {
  if (state.kind !== 'signedIn') return { state: 'idle', description: '', message: '' };
  if (project === undefined) return { state: 'noProject', description: '', message: '' };
  switch (list.kind) {
    case 'idle':
    case 'loading':
      return { state: list.kind, description: project, message: '' };
    case 'failed':
      return { state: list.failure.kind, description: list.failure.message, message: '' };
    case 'ready': {
      const shown = list.abilities.listsByStatus ? status : 'unresolved';
      const isUsual = shown === 'unresolved' && order === 'last_seen';
      const description = isUsual ? project : [project, formatStatusChoice(shown), formatOrder(order)].join(' · ');
      if (list.problem !== undefined) {
        if (list.errors.length === 0) return { state: list.problem.kind, description: list.problem.message, message: '' };
        const message = l10n.t('Last updated {0}. {1}', formatAge(now - list.at, locale), list.problem.message);
        return { state: 'ready', description, message };
      }
      if (list.isDisabled) return { state: 'off', description: project, message: '' };
      if (list.errors.length > 0) return { state: 'ready', description, message: '' };
      // The row for the client keys is shown, and VS Code shows no welcome text if there are rows.
      return shown === 'unresolved'
        ? {
            state: 'empty',
            description,
            message: l10n.t('No unresolved errors. Applications report errors with the DSN of a client key.'),
          }
        : { state: 'emptyFiltered', description, message: l10n.t('No errors with this status.') };
    }
  }
}
