import * as l10n from '@vscode/l10n';
import type { Account } from '../auth/session.ts';
import type { ConnectionState } from '../instances/connection.ts';
import { shownAccount } from '../instances/currentAccount.ts';
import type { EmptyKind, Subject } from './appearance.ts';
import type { ActivityScope } from './choices.ts';
import type { ChosenProject } from './chosenProject.ts';
import { type ActivityFilter, formatFilter, isFiltering } from './filter.ts';

/** Returns the title of the view that shows this scope. */
export function titleOfScope({ kind }: ActivityScope): string {
  switch (kind) {
    case 'mine':
      return l10n.t('My Activity');
    case 'all':
      return l10n.t('Activity in All My Projects');
    case 'person':
      return l10n.t('User Activity');
  }
}

/**
 * Returns the subject of the list with this scope. `isWithoutMergeRequests` is true if the instance leaves events of merge requests out of
 * such lists.
 */
export function subjectOfScope(
  scope: ActivityScope,
  filter: ActivityFilter,
  state: ConnectionState,
  isWithoutMergeRequests: boolean,
): Subject {
  const account = shownAccount(state);
  if (account === undefined) return { text: '', ifEmpty: 'empty' };
  const subject = subjectOf(`${whoseOf(scope, account)} · ${state.instance.label}`, emptyOf(scope), filter);
  return isWithoutMergeRequests ? { ...subject, note: l10n.t('Without merge requests (documented dialect)') } : subject;
}

function whoseOf(scope: ActivityScope, account: Account): string {
  switch (scope.kind) {
    case 'mine':
      return `@${account.username}`;
    case 'all':
      return l10n.t('all my projects');
    case 'person':
      return `@${scope.username}`;
  }
}

function emptyOf({ kind }: ActivityScope): EmptyKind {
  return kind === 'mine' ? 'empty' : 'emptyOfOthers';
}

/** Returns the subject of the list of a project. */
export function subjectOfProject(project: ChosenProject | undefined, filter: ActivityFilter): Subject | 'missing' {
  return project === undefined ? 'missing' : subjectOf(project.path, 'empty', filter);
}

function subjectOf(text: string, ifEmpty: EmptyKind, filter: ActivityFilter): Subject {
  if (!isFiltering(filter)) return { text, ifEmpty };
  return { text: [text, formatFilter(filter)].join(' · '), ifEmpty: 'emptyFiltered' };
}
