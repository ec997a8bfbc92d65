// Tree views in place of those of VS Code: they ask the extension for rows as VS Code does (when they are visible, when a row is expanded,
// and after an event of the provider), and give the user of a suite the rows and their actions.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { until } from '../../until.ts';
import { commandOfKey, isViewThere, menuOf, viewId, welcomeOf } from './contributions.ts';

/** A row that would be painted, from top to bottom. `name` is the label for screen readers. */
export interface Row {
  readonly label: string;
  readonly description: string;
  readonly name: string;
  readonly level: number;
  readonly expanded: boolean | undefined;
  readonly icon: string;
  readonly color: string;
  readonly checked: boolean | undefined;
  readonly context: string;
}

type Element = NonNullable<unknown>;

interface Node {
  readonly element: Element;
  readonly parent: Node | undefined;
  readonly level: number;
  item: vscode.TreeItem;
  /** Undefined while the row is collapsed. */
  children: readonly Node[] | undefined;
}

const { None, Expanded } = vscode.TreeItemCollapsibleState;

const trees = new Map<string, FakeTree>();
/** Ids of the views that are open in the side bar. */
const opened = new Set<string>();

class FakeTree {
  readonly id: string;
  title: string | undefined;
  description: string | undefined;
  message: string | undefined;
  badge: vscode.ViewBadge | undefined;
  readonly #provider: vscode.TreeDataProvider<Element>;
  readonly #isManual: boolean;
  readonly #visibility = new vscode.EventEmitter<vscode.TreeViewVisibilityChangeEvent>();
  readonly #expansion = new vscode.EventEmitter<vscode.TreeViewExpansionEvent<Element>>();
  readonly #collapse = new vscode.EventEmitter<vscode.TreeViewExpansionEvent<Element>>();
  readonly #selecting = new vscode.EventEmitter<vscode.TreeViewSelectionChangeEvent<Element>>();
  readonly #checking = new vscode.EventEmitter<vscode.TreeCheckboxChangeEvent<Element>>();
  readonly onDidChangeVisibility = this.#visibility.event;
  readonly onDidExpandElement = this.#expansion.event;
  readonly onDidCollapseElement = this.#collapse.event;
  readonly onDidChangeSelection = this.#selecting.event;
  readonly onDidChangeCheckboxState = this.#checking.event;
  readonly #listening: vscode.Disposable | undefined;
  /** Rows that the user has expanded or collapsed, by key. */
  readonly #toggled = new Map<string, boolean>();
  /** Keys of the selected rows. */
  #selected: ReadonlySet<string> = new Set();
  #roots: readonly Node[] | undefined;
  #isStale = true;
  #work: Promise<void> = Promise.resolve();

  constructor(id: string, options: vscode.TreeViewOptions<Element>) {
    this.id = id;
    this.#provider = options.treeDataProvider;
    this.#isManual = options.manageCheckboxStateManually === true;
    this.#listening = this.#provider.onDidChangeTreeData?.((changed) => {
      if (changed === undefined || changed === null) this.#reloadAll();
      else for (const element of Array.isArray(changed) ? changed : [changed]) this.#reload(element);
    });
    trees.set(id, this);
    if (this.visible) this.#reloadAll();
  }

  get visible(): boolean {
    return opened.has(this.id);
  }

  /** The selected rows, as the extension has returned them last. */
  get selection(): readonly Element[] {
    return this.nodes()
      .filter((node) => this.#selected.has(keyOf(node)))
      .map(({ element }) => element);
  }

  show(isVisible: boolean): void {
    if (this.visible === isVisible) return;
    if (isVisible) opened.add(this.id);
    else opened.delete(this.id);
    this.#visibility.fire({ visible: isVisible });
    if (isVisible && this.#isStale) this.#reloadAll();
  }

  dispose(): void {
    this.#listening?.dispose();
    if (trees.get(this.id) === this) trees.delete(this.id);
  }

  async reveal(
    element: Element,
    { select = true, expand = false }: { select?: boolean; expand?: boolean | number } = {},
  ): Promise<void> {
    await this.#work;
    const find = (): Node | undefined =>
      this.nodes().find((one) => one.element === element || keyOf(one) === Reflect.get(element, 'id'));
    if (find() === undefined) {
      // VS Code asks for the rows above a row that it does not show.
      this.#reloadAll();
      await this.#work;
    }
    const node = find();
    if (node === undefined) throw new Error(`${this.id} does not show the revealed row`);
    if (select) this.select([node]);
    if (expand !== false) await this.setExpanded(node, true);
  }

  /** Rows that are shown. */
  nodes(): readonly Node[] {
    const all = (nodes: readonly Node[]): readonly Node[] => nodes.flatMap((node) => [node, ...all(node.children ?? [])]);
    return all(this.#roots ?? []);
  }

  select(nodes: readonly Node[]): void {
    this.#selected = new Set(nodes.map(keyOf));
    this.#selecting.fire({ selection: this.selection });
  }

  async setExpanded(node: Node, isExpanded: boolean): Promise<void> {
    if ((node.children !== undefined) === isExpanded) return;
    this.#toggled.set(keyOf(node), isExpanded);
    if (isExpanded) this.#expansion.fire({ element: node.element });
    else this.#collapse.fire({ element: node.element });
    await this.#enqueue(async () => {
      node.children = isExpanded ? await this.#fetch(node) : undefined;
    });
  }

  check({ element, item }: Node): void {
    const state = isChecked(item) ? vscode.TreeItemCheckboxState.Unchecked : vscode.TreeItemCheckboxState.Checked;
    assert.ok(isChecked(item) !== undefined, `${labelOf(item)} has no checkbox`);
    assert.ok(this.#isManual, 'the view must manage its checkboxes');
    item.checkboxState = state;
    this.#checking.fire({ items: [[element, state]] });
  }

  async tooltip({ element, item }: Node): Promise<string> {
    const { token } = new vscode.CancellationTokenSource();
    const { tooltip } =
      item.tooltip === undefined ? ((await this.#provider.resolveTreeItem?.(item, element, token)) ?? item) : item;
    return typeof tooltip === 'object' ? tooltip.value : (tooltip ?? '');
  }

  #reloadAll(): void {
    this.#isStale = true;
    if (!this.visible) return;
    void this.#enqueue(async () => {
      // A later event has already led to the same request.
      if (!this.#isStale || !this.visible) return;
      this.#isStale = false;
      this.#roots = await this.#fetch(undefined);
      // A row that has disappeared is not selected when it appears again.
      const shown = new Set(this.nodes().map(keyOf));
      this.#selected = new Set([...this.#selected].filter((key) => shown.has(key)));
    });
  }

  /** Asks again for a row. VS Code knows the row only by the object that it has received. */
  #reload(element: Element): void {
    void this.#enqueue(async () => {
      const node = this.nodes().find((one) => one.element === element);
      if (node === undefined) return;
      node.item = await this.#provider.getTreeItem(element);
      node.children = this.#isExpanded(node) ? await this.#fetch(node) : undefined;
    });
  }

  async #fetch(parent: Node | undefined): Promise<readonly Node[]> {
    const elements = (await this.#provider.getChildren(parent?.element)) ?? [];
    const nodes: Node[] = [];
    for (const element of elements) {
      const item = await this.#provider.getTreeItem(element);
      const node: Node = { element, item, parent, level: (parent?.level ?? 0) + 1, children: undefined };
      if (this.#isExpanded(node)) node.children = await this.#fetch(node);
      nodes.push(node);
    }
    const keys = nodes.map(keyOf);
    assert.equal(new Set(keys).size, keys.length, `${this.id} has two rows with the same id: ${keys.join(', ')}`);
    return nodes;
  }

  #isExpanded(node: Node): boolean {
    const state = node.item.collapsibleState ?? None;
    return state !== None && (this.#toggled.get(keyOf(node)) ?? state === Expanded);
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    const ofSuite = failures;
    this.#work = done.catch((error: unknown) => void ofSuite.push(error));
    return done;
  }
}

/** Errors of providers and commands of the suite, which VS Code would only log or show. */
let failures: unknown[] = [];

function keyOf(node: Node): string {
  return node.item.id ?? `${node.parent === undefined ? '' : keyOf(node.parent)}/${labelOf(node.item)}`;
}

function labelOf({ label }: vscode.TreeItem): string {
  return typeof label === 'object' ? label.label : (label ?? '');
}

function isChecked({ checkboxState }: vscode.TreeItem): boolean | undefined {
  if (checkboxState === undefined) return undefined;
  const state = typeof checkboxState === 'object' ? checkboxState.state : checkboxState;
  return state === vscode.TreeItemCheckboxState.Checked;
}

function rowOf({ item, level, children }: Node): Row {
  const label = labelOf(item);
  const description = typeof item.description === 'string' ? item.description : '';
  const icon = item.iconPath instanceof vscode.ThemeIcon ? item.iconPath : undefined;
  return {
    label,
    description,
    name: item.accessibilityInformation?.label ?? `${label} ${description}`.trim(),
    level,
    expanded: (item.collapsibleState ?? None) === None ? undefined : children !== undefined,
    icon: icon?.id ?? '',
    color: icon?.color?.id ?? '',
    checked: isChecked(item),
    context: item.contextValue ?? '',
  };
}

/** Replaces the tree views of VS Code's API. */
export function replaceTrees(window: object): void {
  Object.assign(window, { createTreeView: (id: string, options: vscode.TreeViewOptions<Element>) => new FakeTree(id, options) });
}

/** Closes all views. Returns what went wrong in the providers since the last call. */
export function closeViews(): readonly string[] {
  for (const tree of trees.values()) tree.show(false);
  opened.clear();
  const found = failures;
  // A request that fails because the suite ends is not a failure of the suite.
  failures = [];
  return found.map((error) => (error instanceof Error ? (error.stack ?? error.message) : String(error)));
}

/** A command that the menus of a row offer, with the row as the extension has returned it. */
export interface RowCommand {
  readonly view: string;
  readonly viewItem: string;
  readonly label: string;
  readonly command: string;
  readonly values: readonly unknown[];
}

/** Returns the commands that the rows of all open views offer: by a click and in their menus. */
export function rowCommands(): readonly RowCommand[] {
  return [...trees.values()].flatMap((tree) =>
    tree.nodes().flatMap(({ element, item }) => {
      const viewItem = item.contextValue ?? '';
      const row = { view: tree.id, viewItem, label: labelOf(item) };
      const menu = menuOf('view/item/context', { view: tree.id, viewItem, listMultiSelection: false }, undefined);
      const clicked = item.command;
      return [
        ...(clicked === undefined ? [] : [{ ...row, command: clicked.command, values: clicked.arguments ?? [] }]),
        ...menu.map(({ id: command }) => ({ ...row, command, values: [element] })),
      ];
    }),
  );
}

/** Returns the badges on the icon of all views, as screen readers announce them. */
export function badges(): string {
  return [...trees.values()].flatMap(({ badge }) => (badge === undefined ? [] : [badge.tooltip])).join(', ');
}

export type View = ReturnType<typeof viewOf>;

/** Returns the user's view of a tree, by the name of the view. */
export function viewOf(title: string) {
  const id = viewId(title);

  function tree(): FakeTree {
    const found = trees.get(id);
    if (found === undefined) throw new Error(`the extension has not created the view “${title}”`);
    return found;
  }

  const rows = async (): Promise<readonly Row[]> => (trees.get(id)?.nodes() ?? []).map(rowOf);

  function untilRows(accept: (rows: readonly Row[]) => boolean, what: string): Promise<readonly Row[]> {
    return until(rows, accept, `rows in “${title}”: ${what}`);
  }

  async function untilRow(accept: (row: Row) => boolean, what: string): Promise<Row> {
    const found = (await untilRows((all) => all.some(accept), what)).find(accept);
    if (found === undefined) throw new Error(`no row: ${what}`);
    return found;
  }

  async function nodeOf(label: string): Promise<Node> {
    await untilRow((row) => row.label === label, `“${label}”`);
    const found = tree()
      .nodes()
      .find(({ item }) => labelOf(item) === label);
    if (found === undefined) throw new Error(`no row “${label}” in “${title}”`);
    return found;
  }

  async function runOnRow(label: string, action: string, isInline: boolean): Promise<void> {
    // The actions of a row change when it is asked for again.
    await until(
      async () => rowMenu(await nodeOf(label), isInline).map(({ title: entry }) => entry),
      (titles) => titles.includes(action),
      `“${action}” of “${label}”`,
    );
    const node = await nodeOf(label);
    const selected = tree().selection;
    const isOfSeveral = selected.length > 1 && selected.includes(node.element);
    const found = rowMenu(node, isInline).find((one) => one.title === action);
    assert.ok(found);
    start(vscode.commands.executeCommand(found.id, node.element, isOfSeveral ? [...selected] : undefined));
  }

  function rowMenu({ item }: Node, isInline: boolean) {
    const listMultiSelection = tree().selection.length > 1;
    return menuOf('view/item/context', { view: id, viewItem: item.contextValue ?? '', listMultiSelection }, isInline);
  }

  const welcome = async (): Promise<string> => {
    const shown = trees.get(id);
    return shown === undefined || shown.nodes().length > 0 || (shown.message ?? '') !== '' ? '' : welcomeOf(id);
  };

  async function runLink(name: string): Promise<void> {
    const text = await until(
      welcome,
      (contents) => contents.includes(`[${name}](`),
      `“${name}” in the welcome text of “${title}”`,
    );
    const target = text.split(`[${name}](`)[1]?.split(')')[0] ?? '';
    const [, command = '', values = ''] = /^command:([^?]*)\??(.*)$/.exec(target) ?? [];
    assert.notEqual(command, '', `“${name}” runs no command: ${target}`);
    const given: unknown = values === '' ? [] : JSON.parse(decodeURIComponent(values));
    start(vscode.commands.executeCommand(command, ...(Array.isArray(given) ? given : [given])));
  }

  return {
    title,
    rows,
    untilRows,
    untilRow,
    /** Returns true if the side bar has the view now. */
    isThere: (): boolean => isViewThere(id),
    /** Opens the view, once the extension has created it and the side bar has it. */
    async open(): Promise<void> {
      await until(
        () => trees.has(id) && isViewThere(id),
        (exists) => exists,
        `view “${title}”`,
      );
      tree().show(true);
    },
    close: (): void => tree().show(false),
    /** Expands or collapses a row with children. */
    async toggleRow(label: string): Promise<void> {
      const node = await nodeOf(label);
      assert.notEqual(rowOf(node).expanded, undefined, `“${label}” of “${title}” has no children`);
      await tree().setExpanded(node, node.children === undefined);
    },
    /** Clicks a row: selects it, and runs its command. Without a command, the row is expanded or collapsed. */
    async clickRow(label: string): Promise<void> {
      const node = await nodeOf(label);
      tree().select([node]);
      const { command } = node.item;
      if (command === undefined) await tree().setExpanded(node, node.children === undefined);
      else start(vscode.commands.executeCommand(command.command, ...(command.arguments ?? [])));
    },
    /** Selects these rows and no others. */
    async selectRows(...labels: readonly string[]): Promise<void> {
      tree().select(await Promise.all(labels.map(nodeOf)));
    },
    selectedLabels: async (): Promise<readonly string[]> =>
      tree()
        .nodes()
        .filter(({ element }) => tree().selection.includes(element))
        .map(({ item }) => labelOf(item)),
    /** Clicks an inline action of a row. */
    clickRowAction: (label: string, action: string): Promise<void> => runOnRow(label, action, true),
    /** Chooses an entry of a row's context menu. */
    chooseFromRowMenu: (label: string, entry: string): Promise<void> => runOnRow(label, entry, false),
    /** Returns the names of a row's inline actions. */
    rowActions: async (label: string): Promise<readonly string[]> =>
      rowMenu(await nodeOf(label), true).map((action) => action.title),
    /** Returns the entries of a row's context menu. */
    rowMenu: async (label: string): Promise<readonly string[]> => rowMenu(await nodeOf(label), false).map((entry) => entry.title),
    async clickCheckbox(label: string): Promise<void> {
      tree().check(await nodeOf(label));
    },
    async untilChecked(label: string, expected: boolean): Promise<void> {
      await untilRow((row) => row.label === label && row.checked === expected, `“${label}” ${expected ? '' : 'not '}checked`);
    },
    /** Returns the tooltip of a row; Markdown stays as it is. */
    hoverText: async (label: string): Promise<string> => tree().tooltip(await nodeOf(label)),
    /** Waits until the tooltip of a row satisfies `accept`. */
    untilHover: (label: string, accept: (text: string) => boolean, what: string): Promise<string> =>
      until(async () => tree().tooltip(await nodeOf(label)), accept, `hover of “${label}”: ${what}`),
    /** Runs an action of the view's title bar or its overflow menu. */
    async clickTitleAction(name: string): Promise<void> {
      const titles = menuOf('view/title', { view: id }, undefined);
      const found = titles.find((one) => one.title === name);
      assert.ok(found, `“${name}” in the title of “${title}”: ${titles.map((one) => one.title).join(', ')}`);
      start(vscode.commands.executeCommand(found.id));
    },
    /** Presses a key while the view has the focus. */
    async pressKey(key: string): Promise<void> {
      const command = commandOfKey(key, id);
      assert.ok(command !== undefined, `the key ${key} does nothing in “${title}”`);
      start(vscode.commands.executeCommand(command));
    },
    titleMenu: async (): Promise<readonly string[]> => menuOf('view/title', { view: id }, undefined).map((one) => one.title),
    /** Returns the text of the welcome content; empty if rows are shown. */
    welcomeText: async (): Promise<string> => (await welcome()).replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').trim(),
    untilWelcome(accept: (text: string) => boolean, what: string): Promise<string> {
      return until(() => this.welcomeText(), accept, `welcome text of “${title}”: ${what}`);
    },
    /** Clicks a button or a link of the welcome content. */
    clickWelcomeButton: runLink,
    /** Returns the description next to the title of the view. */
    description: async (): Promise<string> => tree().description ?? '',
    message: async (): Promise<string> => tree().message ?? '',
  };
}

/** Lets a command run, as VS Code does: nobody waits for it, and its failure is reported at the end of the suite. */
export function start(running: Thenable<unknown>): void {
  const ofSuite = failures;
  void Promise.resolve(running).catch((error: unknown) => ofSuite.push(error));
}
