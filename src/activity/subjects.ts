import * as l10n from '@vscode/l10n';
import type { ConnectionState } from '../instances/connection.ts';
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
  if (state.kind !== 'signedIn') return { text: '', ifEmpty: 'empty' };
  const label = isWithoutMergeRequests
    ? l10n.t('{0} (lists no merge requests here)', state.instance.label)
    : state.instance.label;
  switch (scope.kind) {
    case 'mine':
      return subjectOf(`@${state.account.username} · ${label}`, 'empty', filter);
    case 'all':
      return subjectOf(`${l10n.t('all my projects')} · ${label}`, 'emptyOfOthers', filter);
    case 'person':
      return subjectOf(`@${scope.username} · ${label}`, 'emptyOfOthers', filter);
  }
}

/** Returns the subject of the list of a project. */
export function subjectOfProject(project: ChosenProject | undefined, filter: ActivityFilter): Subject | 'missing' {
  return project === undefined ? 'missing' : subjectOf(project.path, 'empty', filter);
}

function subjectOf(text: string, ifEmpty: EmptyKind, filter: ActivityFilter): Subject {
  if (!isFiltering(filter)) return { text, ifEmpty };
  return { text: [text, formatFilter(filter)].join(' · '), ifEmpty: 'emptyFiltered' };
}
