import * as l10n from '@vscode/l10n';
import { chooseNext, chooseOne, chooseOrType, chooseSeveral, enterText, type StepResult } from '../ui/steps.ts';
import {
  type ErrorFilter,
  formatLevelChoice,
  formatStatusChoice,
  formatStatusChoices,
  isUsualFilter,
  LEVELS,
  STATUS_CHOICES,
  USUAL_FILTER,
} from './filter.ts';
import type { ErrorAbilities } from './source.ts';

type Part = keyof ErrorFilter | 'none' | 'browser';

export interface ErrorFilterPickSettings {
  readonly current: ErrorFilter;
  readonly abilities: ErrorAbilities;
  /** Returns the known environments or releases of the listed errors. Never rejects. */
  readonly known: (kind: 'environment' | 'release') => Promise<readonly string[]>;
}

/** Lets the user change one part of the filter. `browser` means that the user wants to see all errors in the browser. */
export async function pickErrorFilter(settings: ErrorFilterPickSettings): Promise<ErrorFilter | 'browser' | undefined> {
  let last: Part = 'statuses';
  for (;;) {
    const part = await pickPart(settings, last);
    if (part.kind !== 'answered') return undefined;
    if (part.value === 'none') return USUAL_FILTER;
    if (part.value === 'browser') return 'browser';
    last = part.value;
    const changed = await pickValue(settings, part.value);
    if (changed.kind === 'answered') return { ...settings.current, ...changed.value };
    if (changed.kind === 'canceled') return undefined;
  }
}

function pickPart({ current, abilities }: ErrorFilterPickSettings, last: Part): Promise<StepResult<Part>> {
  const any = l10n.t('any');
  const { statuses, level, environment, release, text } = current;
  const parts: { readonly label: string; readonly description?: string; readonly value: Part }[] = [
    { label: l10n.t('Status'), description: formatStatusChoices(statuses), value: 'statuses' },
    { label: l10n.t('Level'), description: level === undefined ? any : formatLevelChoice(level), value: 'level' },
    { label: l10n.t('Environment'), description: environment ?? any, value: 'environment' },
    { label: l10n.t('Release'), description: release ?? any, value: 'release' },
  ];
  const search = { label: l10n.t('Text'), description: text ?? any, value: 'text' } as const;
  const clear = isUsualFilter(current) ? [] : [{ label: l10n.t('Clear filter'), value: 'none' as const }];
  const title = l10n.t('Filter Errors');
  if (abilities.filters) {
    const placeholder = l10n.t('Select what to filter by');
    return chooseNext<Part>({ title, placeholder, canGoBack: false, choices: [...parts, search, ...clear], focused: last });
  }
  const browser = { label: l10n.t('Open in Browser'), value: 'browser' } as const;
  const placeholder = l10n.t('This instance lists only unresolved errors. Open it in the browser to see the others.');
  return chooseNext<Part>({ title, placeholder, canGoBack: false, choices: [search, ...clear, browser], focused: last });
}

async function pickValue(
  { current, known }: ErrorFilterPickSettings,
  part: keyof ErrorFilter,
): Promise<StepResult<Partial<ErrorFilter>>> {
  const canGoBack = true;
  switch (part) {
    case 'statuses': {
      const choices = STATUS_CHOICES.map((value) => ({ value, label: formatStatusChoice(value) }));
      const placeholder = l10n.t('Select the statuses of the errors to list. Select none to list all.');
      const result = await chooseSeveral({ title: l10n.t('Status'), placeholder, canGoBack, choices, current: current.statuses });
      // Nothing checked does not restrict the status.
      return answered(result, (statuses) => ({ statuses: statuses.length === 0 ? STATUS_CHOICES : statuses }));
    }
    case 'level': {
      const choices = [
        { value: undefined, label: l10n.t('Any level') },
        ...LEVELS.map((value) => ({ value, label: formatLevelChoice(value) })),
      ];
      const placeholder = l10n.t('Select the level of the errors to list');
      const result = await chooseOne({ title: l10n.t('Level'), placeholder, canGoBack, choices, current: current.level });
      return answered(result, (level) => ({ level }));
    }
    case 'environment': {
      const placeholder = l10n.t('Select or type an environment');
      const texts = { title: l10n.t('Environment'), placeholder, none: l10n.t('Any environment') };
      const result = await chooseOrType({ ...texts, canGoBack, current: current.environment, known: () => known('environment') });
      return answered(result, (environment) => ({ environment }));
    }
    case 'release': {
      const placeholder = l10n.t('Select or type a release');
      const texts = { title: l10n.t('Release'), placeholder, none: l10n.t('Any release') };
      const result = await chooseOrType({ ...texts, canGoBack, current: current.release, known: () => known('release') });
      return answered(result, (release) => ({ release }));
    }
    case 'text': {
      const prompt = l10n.t('Search in titles, messages, functions and files. Leave empty to list all errors.');
      const texts = { title: l10n.t('Text'), placeholder: l10n.t('Text'), prompt };
      const result = await enterText({ ...texts, canGoBack, value: current.text ?? '' });
      return answered(result, (text) => ({ text: text.trim() === '' ? undefined : text.trim() }));
    }
  }
}

function answered<From, To>(result: StepResult<From>, of: (value: From) => To): StepResult<To> {
  return result.kind === 'answered' ? { kind: 'answered', value: of(result.value) } : result;
}
