import * as l10n from '@vscode/l10n';
import { chooseNext, chooseOne, chooseSeveral, enterText, type StepResult } from '../ui/steps.ts';
import {
  type ActivityFilter,
  countLists,
  filterActions,
  type FilterDates,
  filterTargets,
  formatAction,
  formatDates,
  formatTarget,
  isFiltering,
  MAX_LISTS,
  NO_FILTER,
  parseDates,
} from './filter.ts';

type Part = keyof ActivityFilter;

/** Lets the user change one part of the filter; resolves to undefined if canceled. */
export async function pickFilter(current: ActivityFilter): Promise<ActivityFilter | undefined> {
  let last: Part | 'none' = 'actions';
  for (;;) {
    const part = await pickPart(current, last);
    if (part.kind !== 'answered') return undefined;
    if (part.value === 'none') return NO_FILTER;
    last = part.value;
    const changed = await pickValues(current, part.value);
    if (changed.kind === 'answered') return { ...current, ...changed.value };
    if (changed.kind === 'canceled') return undefined;
  }
}

function pickPart(current: ActivityFilter, last: Part | 'none'): Promise<StepResult<Part | 'none'>> {
  const any = l10n.t('any');
  const { actions, targets, dates, text } = current;
  const shown = (texts: readonly string[]): string => (texts.length === 0 ? any : texts.join(', '));
  const choices: { readonly label: string; readonly description?: string; readonly value: Part | 'none' }[] = [
    { label: l10n.t('Action'), description: shown(actions.map(formatAction)), value: 'actions' },
    { label: l10n.t('Type'), description: shown(targets.map(formatTarget)), value: 'targets' },
    { label: l10n.t('Dates'), description: dates === undefined ? any : formatDates(dates), value: 'dates' },
    { label: l10n.t('Text'), description: text ?? any, value: 'text' },
    ...(isFiltering(current) ? [{ label: l10n.t('Clear filter'), value: 'none' as const }] : []),
  ];
  const placeholder = l10n.t('Select what to filter by');
  return chooseNext({ title: l10n.t('Filter Activity'), placeholder, canGoBack: false, choices, focused: last });
}

async function pickValues(current: ActivityFilter, part: Part): Promise<StepResult<Partial<ActivityFilter>>> {
  switch (part) {
    case 'actions': {
      const title = l10n.t('Action');
      const placeholder = l10n.t('Select the actions to show. Select none to show all.');
      const choices = filterActions.map((value) => ({ value, label: formatAction(value) }));
      const isTooMany = (actions: ActivityFilter['actions']) => countLists({ ...current, actions }) > MAX_LISTS;
      return answered(await pickSeveral({ title, placeholder, choices, current: current.actions }, isTooMany), (actions) => ({
        actions,
      }));
    }
    case 'targets': {
      const title = l10n.t('Type');
      const placeholder = l10n.t('Select the types to show. Select none to show all.');
      const choices = filterTargets.map((value) => ({ value, label: formatTarget(value) }));
      const isTooMany = (targets: ActivityFilter['targets']) => countLists({ ...current, targets }) > MAX_LISTS;
      return answered(await pickSeveral({ title, placeholder, choices, current: current.targets }, isTooMany), (targets) => ({
        targets,
      }));
    }
    case 'dates':
      return answered(await pickDates(current.dates), (dates) => ({ dates }));
    case 'text': {
      const prompt = l10n.t('Search in the loaded events. Leave empty to show all.');
      const texts = { title: l10n.t('Text'), placeholder: l10n.t('Text'), prompt };
      const result = await enterText({ ...texts, canGoBack: true, value: current.text ?? '' });
      return answered(result, (text) => ({ text: text.trim() === '' ? undefined : text.trim() }));
    }
  }
}

/** Lets the user check values, again if they are too many: each combination of action and type is a request. */
async function pickSeveral<T>(
  settings: Omit<Parameters<typeof chooseSeveral<T>>[0], 'canGoBack'>,
  isTooMany: (values: readonly T[]) => boolean,
): Promise<StepResult<readonly T[]>> {
  let { current, placeholder } = settings;
  for (;;) {
    const result = await chooseSeveral({ ...settings, current, placeholder, canGoBack: true });
    if (result.kind !== 'answered' || !isTooMany(result.value)) return result;
    current = result.value;
    placeholder = l10n.t('Select fewer: at most {0} combinations of action and type can be shown.', MAX_LISTS);
  }
}

async function pickDates(current: FilterDates | undefined): Promise<StepResult<FilterDates | undefined>> {
  for (;;) {
    const chosen = await pickPeriod(current);
    if (chosen.kind !== 'answered') return chosen;
    if (chosen.value !== 'typed')
      return { kind: 'answered', value: chosen.value === 'any' ? undefined : { kind: 'last', days: chosen.value } };
    const typed = await enterText({
      title: l10n.t('Dates'),
      placeholder: '2026-11-01 2026-11-20',
      prompt: l10n.t('Enter a date, or the first and last date of a range'),
      value: current?.kind === 'between' ? `${current.first} ${current.last}` : '',
      problemOf: (text) => (parseDates(text) === undefined ? l10n.t('Enter a date such as 2026-11-01, or two dates') : undefined),
      canGoBack: true,
    });
    if (typed.kind !== 'back') return answered(typed, parseDates);
  }
}

function pickPeriod(current: FilterDates | undefined): Promise<StepResult<number | 'any' | 'typed'>> {
  return chooseOne<number | 'any' | 'typed'>({
    title: l10n.t('Dates'),
    placeholder: l10n.t('Select the days to show'),
    canGoBack: true,
    choices: [
      { label: l10n.t('Any time'), value: 'any' },
      ...[1, 7, 30].map((days) => ({ label: formatDates({ kind: 'last', days }), value: days })),
      {
        label: l10n.t('Date or date range…'),
        ...(current?.kind === 'between' ? { description: formatDates(current) } : {}),
        value: 'typed',
      },
    ],
    current: current === undefined ? 'any' : current.kind === 'last' ? current.days : 'typed',
  });
}

function answered<From, To>(result: StepResult<From>, of: (value: From) => To): StepResult<To> {
  return result.kind === 'answered' ? { kind: 'answered', value: of(result.value) } : result;
}
