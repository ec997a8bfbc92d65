import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/** Answer to one step of a dialog with several steps. */
export type StepResult<T> =
  | { readonly kind: 'answered'; readonly value: T }
  | { readonly kind: 'back' }
  | { readonly kind: 'canceled' };

export interface Choice<T> extends Pick<vscode.QuickPickItem, 'label' | 'description' | 'detail'> {
  readonly value: T;
}

interface StepSettings {
  readonly title: string;
  /** Text in the empty input field. */
  readonly placeholder: string;
  /** True if there is an earlier step, to which a button returns. */
  readonly canGoBack: boolean;
}

export interface ChoiceStepSettings<T> extends StepSettings {
  readonly choices: readonly Choice<T>[];
  /** Value that is marked as the current one and focused. */
  readonly current: T;
}

type ChoiceItem<T> = vscode.QuickPickItem & { readonly choice: Choice<T> };

/** Lets the user select one value. */
export function chooseOne<T>({ choices, current, ...settings }: ChoiceStepSettings<T>): Promise<StepResult<T>> {
  const marked = choices.map((choice): ChoiceItem<T> => {
    const isCurrent = choice.value === current;
    const description = [choice.description, isCurrent ? l10n.t('current') : undefined].filter((text) => text !== undefined);
    return {
      ...itemOf(choice),
      description: description.join(' · '),
      iconPath: new vscode.ThemeIcon(isCurrent ? 'check' : 'blank'),
    };
  });
  return chooseItem(marked, current, settings);
}

export interface MenuStepSettings<T> extends StepSettings {
  readonly choices: readonly Choice<T>[];
  /** Value that is focused at first. */
  readonly focused: T;
}

/** Lets the user select where to go on. */
export function chooseNext<T>({ choices, focused, ...settings }: MenuStepSettings<T>): Promise<StepResult<T>> {
  return chooseItem(choices.map(itemOf), focused, settings);
}

function itemOf<T>(choice: Choice<T>): ChoiceItem<T> {
  const { label, description = '', detail } = choice;
  return { choice, label, description, ...(detail === undefined ? {} : { detail }) };
}

function chooseItem<T>(items: readonly ChoiceItem<T>[], focused: T, settings: StepSettings): Promise<StepResult<T>> {
  const pick = vscode.window.createQuickPick<ChoiceItem<T>>();
  pick.items = items;
  pick.activeItems = items.filter(({ choice }) => choice.value === focused);
  pick.matchOnDescription = true;
  return resultOf(pick, settings, () => pick.selectedItems[0]?.choice);
}

export interface SeveralChoicesSettings<T> extends StepSettings {
  readonly choices: readonly Choice<T>[];
  /** Values that are checked at first. */
  readonly current: readonly T[];
}

/** Lets the user check any number of values, which are returned in the order of the choices. */
export function chooseSeveral<T>({
  choices,
  current,
  ...settings
}: SeveralChoicesSettings<T>): Promise<StepResult<readonly T[]>> {
  const items = choices.map(itemOf);
  const pick = vscode.window.createQuickPick<ChoiceItem<T>>();
  pick.canSelectMany = true;
  pick.items = items;
  pick.selectedItems = items.filter(({ choice }) => current.includes(choice.value));
  return resultOf(pick, settings, () => {
    const checked = new Set(pick.selectedItems.map(({ choice }) => choice.value));
    return { value: choices.map(({ value }) => value).filter((value) => checked.has(value)) };
  });
}

export interface TypedChoiceSettings extends StepSettings {
  readonly current: string | undefined;
  /** Texts to select from; they may be loaded while the dialog is open. Never rejects. */
  readonly known: () => Promise<readonly string[]>;
  /** Label of the entry for no text. */
  readonly none: string;
}

/** Lets the user select a known text or type another one. Answers undefined for no text. */
export function chooseOrType(settings: TypedChoiceSettings): Promise<StepResult<string | undefined>> {
  const { current, known, none } = settings;
  const pick = vscode.window.createQuickPick<ChoiceItem<string | undefined>>();
  let texts: readonly string[] = current === undefined ? [] : [current];
  const item = (value: string | undefined, label: string, isTyped = false): ChoiceItem<string | undefined> => ({
    ...{ choice: { value, label }, label, alwaysShow: isTyped },
    description: value === current && !isTyped ? l10n.t('current') : '',
    iconPath: new vscode.ThemeIcon(isTyped ? 'edit' : value === current ? 'check' : 'blank'),
  });
  const paint = (): void => {
    const typed = pick.value.trim();
    const isNew = typed !== '' && !texts.includes(typed);
    pick.items = [
      ...(isNew ? [item(typed, l10n.t('Use “{0}”', typed), true)] : []),
      item(undefined, none),
      ...texts.map((text) => item(text, text)),
    ];
    if (typed === '') pick.activeItems = pick.items.filter(({ choice }) => choice.value === current);
  };
  pick.onDidChangeValue(paint);
  let isOpen = true;
  pick.onDidHide(() => {
    isOpen = false;
  });
  pick.busy = true;
  void known().then((found) => {
    if (!isOpen) return;
    texts = [...new Set([...texts, ...found])];
    pick.busy = false;
    paint();
  });
  paint();
  return resultOf(pick, settings, () => pick.selectedItems[0]?.choice);
}

export interface TextStepSettings extends StepSettings {
  readonly prompt: string;
  readonly value: string;
  /** Returns what is wrong with a text. */
  readonly problemOf?: (text: string) => string | undefined;
}

/** Lets the user type a text. */
export function enterText({ prompt, value, problemOf, ...settings }: TextStepSettings): Promise<StepResult<string>> {
  const input = vscode.window.createInputBox();
  input.prompt = prompt;
  input.value = value;
  const check = (): void => {
    input.validationMessage = input.value === '' ? undefined : problemOf?.(input.value);
  };
  input.onDidChangeValue(check);
  return resultOf(input, settings, () => {
    const problem = problemOf?.(input.value);
    input.validationMessage = problem;
    return problem === undefined ? { value: input.value } : undefined;
  });
}

/** What quick picks and input boxes have in common. */
interface StepInput extends vscode.QuickInput {
  placeholder: string | undefined;
  buttons: readonly vscode.QuickInputButton[];
  readonly onDidTriggerButton: vscode.Event<vscode.QuickInputButton>;
  readonly onDidAccept: vscode.Event<void>;
}

/** Shows a step until it is answered, left or canceled. `readValue` returns undefined if Enter does not answer it yet. */
function resultOf<T>(
  input: StepInput,
  { title, placeholder, canGoBack }: StepSettings,
  readValue: () => { readonly value: T } | undefined,
): Promise<StepResult<T>> {
  input.title = title;
  input.placeholder = placeholder;
  input.buttons = canGoBack ? [vscode.QuickInputButtons.Back] : [];
  return new Promise((resolve) => {
    input.onDidTriggerButton(() => {
      resolve({ kind: 'back' });
      input.hide();
    });
    input.onDidAccept(() => {
      const answered = readValue();
      if (answered === undefined) return;
      resolve({ kind: 'answered', value: answered.value });
      input.hide();
    });
    input.onDidHide(() => {
      resolve({ kind: 'canceled' });
      input.dispose();
    });
    input.show();
  });
}
