import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  formatAction,
  type ActivityFilter,
  formatDates,
  type FilterDates,
  filterActions,
  filterTargets,
  isFiltering,
  NO_FILTER,
  parseDates,
  formatTarget,
} from './filter.ts';

interface Choice<T> extends vscode.QuickPickItem {
  readonly value: T;
}

/** Lets the user change one part of the filter; resolves to undefined if canceled. */
export async function pickFilter(current: ActivityFilter): Promise<ActivityFilter | undefined> {
  const any = l10n.t('any');
  const { action, target, dates } = current;
  const parts: Choice<'action' | 'target' | 'dates' | 'none'>[] = [
    { label: l10n.t('Action'), description: action === undefined ? any : formatAction(action), value: 'action' },
    { label: l10n.t('Type'), description: target === undefined ? any : formatTarget(target), value: 'target' },
    { label: l10n.t('Dates'), description: dates === undefined ? any : formatDates(dates), value: 'dates' },
    ...(isFiltering(current) ? [{ label: l10n.t('Clear filter'), value: 'none' as const }] : []),
  ];
  const part = await choose(l10n.t('Filter Activity'), parts);
  switch (part) {
    case undefined:
      return undefined;
    case 'none':
      return NO_FILTER;
    case 'action': {
      const all = filterActions.map((value) => ({ label: formatAction(value), value }));
      const chosen = await choose(l10n.t('Action'), [{ label: l10n.t('Any action'), value: 'any' as const }, ...all]);
      return chosen === undefined ? undefined : { ...current, action: chosen === 'any' ? undefined : chosen };
    }
    case 'target': {
      const all = filterTargets.map((value) => ({ label: formatTarget(value), value }));
      const chosen = await choose(l10n.t('Type'), [{ label: l10n.t('Any type'), value: 'any' as const }, ...all]);
      return chosen === undefined ? undefined : { ...current, target: chosen === 'any' ? undefined : chosen };
    }
    case 'dates': {
      const chosen = await pickDates(dates);
      return chosen === undefined ? undefined : { ...current, dates: chosen === 'any' ? undefined : chosen };
    }
  }
}

async function pickDates(current: FilterDates | undefined): Promise<FilterDates | 'any' | undefined> {
  const last = [1, 7, 30].map((days) => {
    const value: FilterDates = { kind: 'last', days };
    return { label: formatDates(value), value };
  });
  const chosen = await choose<FilterDates | 'any' | 'typed'>(l10n.t('Dates'), [
    { label: l10n.t('Any time'), value: 'any' },
    ...last,
    { label: l10n.t('Date or date range…'), value: 'typed' },
  ]);
  if (chosen !== 'typed') return chosen;
  const typed = await vscode.window.showInputBox({
    title: l10n.t('Dates'),
    prompt: l10n.t('Enter a date, or the first and last date of a range'),
    placeHolder: '2026-11-01 2026-11-20',
    value: current?.kind === 'between' ? `${current.first} ${current.last}` : '',
    validateInput: (text) =>
      parseDates(text) === undefined ? l10n.t('Enter a date such as 2026-11-01, or two dates') : undefined,
  });
  return typed === undefined ? undefined : parseDates(typed);
}

async function choose<T>(title: string, choices: readonly Choice<T>[]): Promise<T | undefined> {
  return (await vscode.window.showQuickPick(choices, { title }))?.value;
}
