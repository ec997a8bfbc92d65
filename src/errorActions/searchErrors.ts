import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { visible } from '../contract/visibleText.ts';
import { formatEvents, formatStatus, titleOf } from '../errorTracking/rows.ts';
import type { ErrorOfProject } from '../errorTracking/target.ts';
import { pickFromSearch } from '../ui/searchPick.ts';
import { createErrorSearch, keyOf, type SearchedProject } from './errorSearch.ts';

/** Lets the user search titles and stacks of all errors while typing. Resolves to undefined if canceled. */
export function searchErrors(projects: readonly SearchedProject[]): Promise<ErrorOfProject | undefined> {
  const number = new Intl.NumberFormat(vscode.env.language);
  return pickFromSearch<ErrorOfProject>({
    title: l10n.t('Search Errors'),
    placeholder: l10n.t('Search titles, messages, functions and files'),
    list: createErrorSearch(projects, (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    }),
    keyOf,
    toItem: ({ error }) => ({
      label: visible(titleOf(error)),
      description: [formatEvents(error.count, number), error.status === 'unresolved' ? '' : formatStatus(error.status)]
        .filter(Boolean)
        .join(' · '),
      detail: visible(error.culprit),
      iconPath: new vscode.ThemeIcon('bug'),
    }),
  });
}
