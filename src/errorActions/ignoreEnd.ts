import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { IgnoreEnd } from '../contract/trackedErrors.ts';

const DAY = 86_400_000;

/** Asks until when an error is ignored. Undefined if the user dismissed the question. */
export async function askIgnoreEnd(): Promise<IgnoreEnd | 'forever' | undefined> {
  const title = l10n.t('Ignore Error');
  const items = [
    { end: 'forever', label: l10n.t('Until I reopen it') },
    { end: 'next_occurrence', label: l10n.t('Until it occurs again') },
    { end: 'occurrences', label: l10n.t('Until it occurs a number of times…') },
    { end: 'occurrences_per_hour', label: l10n.t('Until it occurs a number of times in an hour…') },
    { end: 'date', label: l10n.t('Until a date…') },
  ] as const;
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: l10n.t('Select until when to ignore the error'),
  });
  switch (picked?.end) {
    case undefined:
      return undefined;
    case 'forever':
      return 'forever';
    case 'next_occurrence':
      return endOf(picked.end, {});
    case 'date': {
      const until = await askDate(title);
      return until === undefined ? undefined : endOf(picked.end, { date: new Date(until).toISOString() });
    }
    case 'occurrences':
    case 'occurrences_per_hour': {
      const count = await askCount(title);
      return count === undefined ? undefined : endOf(picked.end, { count });
    }
  }
}

function endOf(until: string, { count, date }: { readonly count?: number; readonly date?: string }): IgnoreEnd {
  return { ignored_until: until, ignored_count: count, ignored_until_date: date };
}

async function askCount(title: string): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt: l10n.t('Number of occurrences'),
    value: '10',
    validateInput: (value) => (/^[1-9]\d{0,5}$/.test(value.trim()) ? undefined : l10n.t('Enter a number from 1 to 999999')),
  });
  return text === undefined ? undefined : Number(text.trim());
}

/** Returns the start of the day in UTC, in milliseconds since the epoch. */
async function askDate(title: string): Promise<number | undefined> {
  const text = await vscode.window.showInputBox({
    title,
    prompt: l10n.t('First day on which the error is shown again (YYYY-MM-DD)'),
    value: new Date(Date.now() + 7 * DAY).toISOString().slice(0, 10),
    validateInput: (value) =>
      dayOf(value) !== undefined && (dayOf(value) ?? 0) > Date.now()
        ? undefined
        : l10n.t('Enter a day in the future as YYYY-MM-DD'),
  });
  return text === undefined ? undefined : dayOf(text);
}

function dayOf(text: string): number | undefined {
  const trimmed = text.trim();
  const at = /^\d{4}-\d\d-\d\d$/.test(trimmed) ? Date.parse(`${trimmed}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
