// Quick picks and input boxes in place of those of VS Code: the user of a suite sees and answers them without a window. As in VS Code, one
// of them is open at a time.
import * as vscode from 'vscode';
import { until } from '../../until.ts';
import { plainText } from './texts.ts';

type Item = vscode.QuickPickItem;

/** The open input box as the user sees it. */
export interface SeenInput {
  readonly title: string;
  readonly prompt: string;
  readonly placeholder: string;
  readonly value: string;
  readonly isPassword: boolean;
  /** Message about the text; empty if it is accepted. */
  readonly problem: string;
}

let current: FakeList | FakeBox | undefined;

class FakeInput {
  title: string | undefined;
  step: number | undefined;
  totalSteps: number | undefined;
  placeholder: string | undefined;
  prompt: string | undefined;
  enabled = true;
  busy = false;
  ignoreFocusOut = false;
  buttons: readonly vscode.QuickInputButton[] = [];
  value = '';
  readonly changes = new vscode.EventEmitter<string>();
  readonly acceptance = new vscode.EventEmitter<void>();
  readonly hiding = new vscode.EventEmitter<{ reason: number }>();
  readonly pressing = new vscode.EventEmitter<vscode.QuickInputButton>();
  readonly onDidChangeValue = this.changes.event;
  readonly onDidAccept = this.acceptance.event;
  readonly onDidHide = this.hiding.event;
  readonly onDidTriggerButton = this.pressing.event;

  hide(): void {
    if (current !== (this as unknown)) return;
    current = undefined;
    this.hiding.fire({ reason: 2 });
  }

  dispose(): void {
    this.hide();
    for (const emitter of [this.changes, this.acceptance, this.hiding, this.pressing]) emitter.dispose();
  }

  type(text: string): void {
    this.value = text;
    this.changes.fire(text);
  }

  press(tooltip: string): void {
    const button = this.buttons.find((one) => one.tooltip === tooltip);
    if (button === undefined) throw new Error(`no button “${tooltip}”: ${this.buttons.map((one) => one.tooltip).join(', ')}`);
    this.pressing.fire(button);
  }

  back(): void {
    if (!this.buttons.includes(vscode.QuickInputButtons.Back)) throw new Error(`“${this.title}” has no button Back`);
    this.pressing.fire(vscode.QuickInputButtons.Back);
  }
}

class FakeList extends FakeInput {
  readonly kind = 'list';
  canSelectMany = false;
  matchOnDescription = false;
  matchOnDetail = false;
  keepScrollPosition = false;
  readonly activation = new vscode.EventEmitter<readonly Item[]>();
  readonly selection = new vscode.EventEmitter<readonly Item[]>();
  readonly itemPressing = new vscode.EventEmitter<vscode.QuickPickItemButtonEvent<Item>>();
  readonly onDidChangeActive = this.activation.event;
  readonly onDidChangeSelection = this.selection.event;
  readonly onDidTriggerItemButton = this.itemPressing.event;
  #items: readonly Item[] = [];
  #active: readonly Item[] = [];
  #selected: readonly Item[] = [];

  get items(): readonly Item[] {
    return this.#items;
  }

  set items(items: readonly Item[]) {
    this.#items = [...items];
    this.#selected = this.canSelectMany ? items.filter(({ picked }) => picked === true) : [];
    this.#active = this.shown().slice(0, 1);
  }

  get activeItems(): readonly Item[] {
    return this.#active;
  }

  set activeItems(items: readonly Item[]) {
    this.#active = items;
  }

  get selectedItems(): readonly Item[] {
    return this.#selected;
  }

  set selectedItems(items: readonly Item[]) {
    this.#selected = items;
  }

  show(): void {
    open(this);
  }

  override type(text: string): void {
    super.type(text);
    this.#active = this.shown().slice(0, 1);
  }

  /** Returns the items that match the text in the input field. */
  shown(): readonly Item[] {
    const wanted = this.value.toLowerCase();
    const isMatch = ({ label, description, detail, alwaysShow }: Item): boolean =>
      alwaysShow === true ||
      [label, ...(this.matchOnDescription ? [description] : []), ...(this.matchOnDetail ? [detail] : [])].some(
        (text) => text?.toLowerCase().includes(wanted) === true,
      );
    return this.#items.filter((item) => item.kind !== vscode.QuickPickItemKind.Separator && isMatch(item));
  }

  find(label: string): Item | undefined {
    return this.shown().find((item) => plainText(item.label) === label);
  }

  /** Like Enter: accepts the active item, or all checked ones. */
  accept(): void {
    if (!this.canSelectMany) this.#select(this.#active);
    this.acceptance.fire();
  }

  choose(item: Item): void {
    this.#active = [item];
    this.activation.fire(this.#active);
    this.accept();
  }

  tick(item: Item, isChecked: boolean): void {
    const others = this.#selected.filter((one) => one !== item);
    this.#select(isChecked ? [...others, item] : others);
  }

  #select(items: readonly Item[]): void {
    this.#selected = items;
    this.selection.fire(items);
  }
}

class FakeBox extends FakeInput {
  readonly kind = 'box';
  password = false;
  valueSelection: readonly [number, number] | undefined;
  validationMessage: string | vscode.InputBoxValidationMessage | undefined;

  show(): void {
    open(this);
  }

  accept(): void {
    this.acceptance.fire();
  }
}

function open(input: FakeList | FakeBox): void {
  if (current !== input) current?.hide();
  current = input;
}

/** Replaces the lists and boxes of VS Code's API. */
export function replaceInputs(window: object): void {
  Object.assign(window, {
    createQuickPick: () => new FakeList(),
    createInputBox: () => new FakeBox(),
    showQuickPick,
    showInputBox,
  });
}

type QuickPickSource = readonly (string | Item)[];

function showQuickPick(
  source: QuickPickSource | Thenable<QuickPickSource>,
  options: vscode.QuickPickOptions = {},
  token?: vscode.CancellationToken,
): Promise<unknown> {
  const list = new FakeList();
  const { title, placeHolder, canPickMany = false, matchOnDescription = false, matchOnDetail = false } = options;
  Object.assign(list, {
    title,
    placeholder: placeHolder,
    matchOnDescription,
    matchOnDetail,
    canSelectMany: canPickMany,
    busy: true,
  });
  list.prompt = options.prompt;
  const texts = new Map<Item, string>();
  return new Promise((resolve, reject) => {
    list.onDidAccept(() => {
      const values = list.selectedItems.map((item) => texts.get(item) ?? item);
      if (!canPickMany && values.length === 0) return;
      resolve(canPickMany ? values : values[0]);
      list.hide();
    });
    list.onDidHide(() => resolve(undefined));
    token?.onCancellationRequested(() => list.hide());
    list.show();
    Promise.resolve(source).then((items) => {
      list.items = items.map((item) => {
        if (typeof item !== 'string') return item;
        const shown: Item = { label: item };
        texts.set(shown, item);
        return shown;
      });
      list.busy = false;
    }, reject);
  });
}

function showInputBox(options: vscode.InputBoxOptions = {}, token?: vscode.CancellationToken): Promise<string | undefined> {
  const box = new FakeBox();
  const { title, prompt, placeHolder, value = '', password = false, validateInput } = options;
  Object.assign(box, { title, prompt, placeholder: placeHolder, value, password });
  const check = async (): Promise<boolean> => {
    const problem = (await validateInput?.(box.value)) ?? undefined;
    box.validationMessage = problem;
    return (
      problem === undefined ||
      problem === '' ||
      (typeof problem !== 'string' && problem.severity !== vscode.InputBoxValidationSeverity.Error)
    );
  };
  return new Promise((resolve) => {
    box.onDidChangeValue(() => void check());
    box.onDidAccept(
      () =>
        void check().then((isFine) => {
          if (!isFine) return;
          resolve(box.value);
          box.hide();
        }),
    );
    box.onDidHide(() => resolve(undefined));
    token?.onCancellationRequested(() => box.hide());
    box.show();
  });
}

/**
 * Answers the open list or box like somebody who accepts whatever is offered first. Returns false if nothing is open, or if the list is
 * still loading.
 */
export function acceptInput(): boolean {
  const input = current;
  if (input === undefined || input.busy) return false;
  if (input.kind === 'box') {
    if (input.value === '') input.type('1');
    input.accept();
    return true;
  }
  const [first] = input.shown();
  if (first === undefined) input.hide();
  else if (input.canSelectMany) {
    input.tick(first, !input.selectedItems.includes(first));
    input.accept();
  } else input.choose(first);
  return true;
}

/** Returns what is open, in words; undefined if nothing is. */
export function openInput(): string | undefined {
  if (current === undefined) return undefined;
  const entries = current.kind === 'list' ? current.shown().map(({ label }) => label) : [];
  const texts = [current.title, current.placeholder, current.prompt].filter((text) => text !== undefined);
  return `${current.kind} “${texts.join('” “')}” [${entries.join(', ')}]`;
}

/** Closes the open list or box, like Escape. Returns true if one was open. */
export function cancelInput(): boolean {
  const wasOpen = current !== undefined;
  current?.hide();
  return wasOpen;
}

/** Removes the open list or box, like the end of the window: the extension does not notice. */
export function abandonInput(): void {
  current = undefined;
}

function listIn(input: FakeList | FakeBox | undefined): FakeList | undefined {
  return input?.kind === 'list' ? input : undefined;
}

function untilInput<T>(find: () => T | undefined, what: string): Promise<T> {
  let found: T | undefined;
  return until(
    () => {
      found = find();
      return found === undefined ? (openInput() ?? 'nothing open') : '';
    },
    () => found !== undefined,
    what,
  ).then(() => {
    if (found === undefined) throw new Error(what);
    return found;
  });
}

/** The user's answers to lists and boxes. Each waits for what it answers. */
export const inputs = {
  /** Chooses the entry with this label. */
  async choose(label: string): Promise<void> {
    let list: FakeList | undefined;
    const item = await untilInput(() => {
      list = listIn(current);
      return list?.canSelectMany === false ? list.find(label) : undefined;
    }, `“${label}” in the open list`);
    list?.choose(item);
  },
  /** Types into the search list, and chooses the entry with this label when it is the only one. */
  async search(text: string, label: string): Promise<void> {
    const list = await untilInput(() => listIn(current), 'a list');
    list.type(text);
    const [item] = await untilInput(() => {
      const shown = list.shown();
      return shown.length === 1 && plainText(shown[0]?.label ?? '') === label && !list.busy ? shown : undefined;
    }, `“${label}” found by “${text}”`);
    if (item !== undefined) list.choose(item);
  },
  /** Types into the open list or box. */
  async type(text: string): Promise<void> {
    (await untilInput(() => current, 'a list or box')).type(text);
  },
  /** Returns the labels of the open list. */
  async choices(): Promise<readonly string[]> {
    const list = await untilInput(() => {
      const open = listIn(current);
      return open !== undefined && open.shown().length > 0 ? open : undefined;
    }, 'a list with entries');
    return list.shown().map(({ label }) => plainText(label));
  },
  /** Returns the entries of the open list. */
  async entries(): Promise<readonly { readonly label: string; readonly description: string; readonly detail: string }[]> {
    const list = await untilInput(() => listIn(current), 'a list');
    return list.shown().map(({ label, description = '', detail = '' }) => ({ label: plainText(label), description, detail }));
  },
  /** Checks an entry of the open list, in which several can be selected, or unchecks it. */
  async tickChoice(label: string, expected: 'true' | 'false' = 'true'): Promise<void> {
    let list: FakeList | undefined;
    const item = await untilInput(() => {
      list = listIn(current);
      return list?.canSelectMany === true ? list.find(label) : undefined;
    }, `“${label}” in the open list`);
    list?.tick(item, expected === 'true');
  },
  /** Accepts the open list or box as it is, like Enter. */
  async accept(): Promise<void> {
    (await untilInput(() => current, 'a list or box')).accept();
  },
  /** Fills in the open box and confirms it, and waits until the text was accepted. */
  async fillInput(text: string): Promise<void> {
    await inputs.enterInput(text);
    await until(
      () => (current?.kind === 'box' ? `${current.value}: ${problemOf(current)}` : ''),
      (seen) => !seen.startsWith(`${text}: `),
      `input of “${text}” accepted`,
    );
  },
  /** Fills in the open box and confirms it, although the box may reject the text and stay open. */
  async enterInput(text: string): Promise<void> {
    const box = await untilInput(() => (current?.kind === 'box' ? current : undefined), 'an input box');
    box.type(text);
    box.accept();
  },
  /** Waits for an input box that satisfies `accept`. */
  async untilInput(accept: (input: SeenInput) => boolean, what: string): Promise<SeenInput> {
    return untilInput(() => {
      if (current?.kind !== 'box') return undefined;
      const { title = '', prompt = '', placeholder = '', value, password } = current;
      const seen = { title, prompt, placeholder, value, isPassword: password, problem: problemOf(current) };
      return accept(seen) ? seen : undefined;
    }, what);
  },
  /** Waits until the title, placeholder or prompt of the open list or box satisfies `accept`. */
  async untilText(accept: (text: string) => boolean, what: string): Promise<void> {
    await untilInput(() => {
      const { title = '', placeholder = '', prompt = '' } = current ?? {};
      return [title, placeholder, prompt].some(accept) ? current : undefined;
    }, what);
  },
  /** Returns to the earlier step. */
  async goBack(): Promise<void> {
    (await untilInput(() => current, 'a list or box')).back();
  },
  /** Clicks a button of an entry of the open list. */
  async clickItemButton(label: string, tooltip: string): Promise<void> {
    let list: FakeList | undefined;
    const item = await untilInput(() => {
      list = listIn(current);
      return list?.find(label);
    }, `“${label}” in the open list`);
    const button = item.buttons?.find((one) => one.tooltip === tooltip);
    if (button === undefined) throw new Error(`“${label}” has no button “${tooltip}”`);
    list?.itemPressing.fire({ item, button });
  },
  /** Clicks a button of the open list or box. */
  async clickInputButton(tooltip: string): Promise<void> {
    (await untilInput(() => current, 'a list or box')).press(tooltip);
  },
};

function problemOf({ validationMessage }: FakeBox): string {
  return typeof validationMessage === 'object' ? validationMessage.message : (validationMessage ?? '');
}
