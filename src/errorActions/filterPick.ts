import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { chooseNext, chooseOne, chooseOrType, chooseSeveral, enterText, type StepResult } from '../ui/steps.ts';
import {
  type AssigneeFilter,
  type ErrorFilter,
  formatAssignee,
  formatErrorFilter,
  formatLevelChoice,
  formatStatusChoice,
  formatStatusChoices,
  isUsualFilter,
  LEVELS,
  STATUS_CHOICES,
  USUAL_FILTER,
} from '../errorTracking/filter.ts';
import type { ErrorAbilities } from '../errorTracking/source.ts';
import type { SavedFilters } from './savedFilters.ts';

/** Maximum number of characters of the name of a saved filter. */
const MAX_NAME = 60;

type Part = keyof ErrorFilter | 'none' | 'browser' | 'saved' | 'save';

export interface ErrorFilterPickSettings {
  readonly current: ErrorFilter;
  readonly abilities: ErrorAbilities;
  /** Returns the known environments or releases of the listed errors. Never rejects. */
  readonly known: (kind: 'environment' | 'release') => Promise<readonly string[]>;
  readonly saved: SavedFilters;
  /** Lets the user select a member, or nobody. */
  readonly pickUser: () => Promise<{ readonly userId: number | null; readonly name: string } | undefined>;
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
    if (part.value === 'save') {
      await saveFilter(settings);
      return undefined;
    }
    if (part.value === 'saved') {
      const picked = await pickSavedFilter(settings.saved);
      if (picked !== undefined) return picked;
      continue;
    }
    const changed = await pickValue(settings, part.value);
    if (changed.kind === 'answered') return { ...settings.current, ...changed.value };
    if (changed.kind === 'canceled') return undefined;
  }
}

function pickPart({ current, abilities, saved }: ErrorFilterPickSettings, last: Part): Promise<StepResult<Part>> {
  const any = l10n.t('any');
  const { statuses, level, environment, release, assignee, text } = current;
  const parts: { readonly label: string; readonly description?: string; readonly value: Part }[] = [
    { label: l10n.t('Status'), description: formatStatusChoices(statuses), value: 'statuses' },
    { label: l10n.t('Level'), description: level === undefined ? any : formatLevelChoice(level), value: 'level' },
    { label: l10n.t('Environment'), description: environment ?? any, value: 'environment' },
    { label: l10n.t('Release'), description: release ?? any, value: 'release' },
    { label: l10n.t('Assignee'), description: assignee === undefined ? any : formatAssignee(assignee), value: 'assignee' },
  ];
  const search = { label: l10n.t('Text'), description: text ?? any, value: 'text' } as const;
  const isUsual = isUsualFilter(current);
  const clear = isUsual ? [] : [{ label: l10n.t('Clear filter'), value: 'none' as const }];
  const count = saved.list().length;
  const stored = [
    ...(count === 0 ? [] : [{ label: l10n.t('Saved filters…'), description: String(count), value: 'saved' as const }]),
    ...(isUsual ? [] : [{ label: l10n.t('Save this filter…'), value: 'save' as const }]),
  ];
  const title = l10n.t('Filter Errors');
  if (abilities.filters) {
    const placeholder = l10n.t('Select what to filter by');
    return chooseNext<Part>({
      title,
      placeholder,
      canGoBack: false,
      choices: [...parts, search, ...stored, ...clear],
      focused: last,
    });
  }
  const browser = { label: l10n.t('Open in Browser'), value: 'browser' } as const;
  const placeholder = l10n.t('This instance lists only unresolved errors. Open it in the browser to see the others.');
  return chooseNext<Part>({
    title,
    placeholder,
    canGoBack: false,
    choices: [search, ...stored, ...clear, browser],
    focused: last,
  });
}

async function pickValue(
  { current, known, pickUser }: ErrorFilterPickSettings,
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
    case 'assignee': {
      const choices = [
        { value: undefined, label: l10n.t('Any assignee') },
        ...(['me', 'nobody', 'anybody'] as const).map((value) => ({ value, label: formatAssignee(value) })),
        { value: 'user', label: l10n.t('Assigned to somebody else…') },
      ] as const;
      const placeholder = l10n.t('Select who the listed errors are assigned to');
      const isUser = typeof current.assignee === 'object';
      const result = await chooseOne<AssigneeFilter | 'user' | undefined>({
        ...{ title: l10n.t('Assignee'), placeholder, canGoBack, choices },
        current: isUser ? 'user' : current.assignee,
      });
      if (result.kind !== 'answered' || result.value !== 'user')
        return answered(result, (chosen) => ({ assignee: chosen === 'user' ? undefined : chosen }));
      const user = await pickUser();
      if (user === undefined) return { kind: 'back' };
      const { userId, name } = user;
      return { kind: 'answered', value: { assignee: userId === null ? 'nobody' : { id: userId, name } } };
    }
    case 'text': {
      const prompt = l10n.t('Search in titles, messages, functions and files. Leave empty to list all errors.');
      const texts = { title: l10n.t('Text'), placeholder: l10n.t('Text'), prompt };
      const result = await enterText({ ...texts, canGoBack, value: current.text ?? '' });
      return answered(result, (text) => ({ text: text.trim() === '' ? undefined : text.trim() }));
    }
  }
}

async function saveFilter({ current, saved }: ErrorFilterPickSettings): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: l10n.t('Save Filter'),
    prompt: l10n.t('Name of the filter. A filter with the same name is replaced.'),
    value: formatErrorFilter(current).join(' · ').slice(0, MAX_NAME),
    validateInput: (text) =>
      text.trim() === '' || text.trim().length > MAX_NAME
        ? l10n.t('Enter a name of at most {0} characters', MAX_NAME)
        : undefined,
  });
  if (name !== undefined) await saved.save(name.trim(), current);
}

interface SavedItem extends vscode.QuickPickItem {
  readonly filter: ErrorFilter;
}

/** Lets the user select a saved filter. A button deletes one. */
function pickSavedFilter(saved: SavedFilters): Promise<ErrorFilter | undefined> {
  const pick = vscode.window.createQuickPick<SavedItem>();
  pick.title = l10n.t('Saved Filters');
  pick.placeholder = l10n.t('Select a filter');
  pick.matchOnDescription = true;
  const remove: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: l10n.t('Delete Filter') };
  const paint = (): void => {
    pick.items = saved.list().map(({ name, filter }) => ({
      ...{ filter, label: name, description: formatErrorFilter(filter).join(' · '), buttons: [remove] },
    }));
  };
  paint();
  return new Promise((resolve) => {
    pick.onDidTriggerItemButton(async ({ item }) => {
      await saved.remove(item.label);
      paint();
      if (pick.items.length === 0) pick.hide();
    });
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]?.filter);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

function answered<From, To>(result: StepResult<From>, of: (value: From) => To): StepResult<To> {
  return result.kind === 'answered' ? { kind: 'answered', value: of(result.value) } : result;
}
