// The contributions of package.json as the workbench uses them: commands in the palette, menus of rows and views, and welcome contents.
import * as vscode from 'vscode';
import { type Context, parseWhen } from '../../whenClause.ts';

interface Command {
  readonly command: string;
  readonly title: string;
  readonly category?: string;
  readonly enablement?: string;
}

interface MenuItem {
  readonly command: string;
  readonly when?: string;
  readonly group?: string;
}

interface Manifest {
  readonly contributes: {
    readonly keybindings: readonly { readonly command: string; readonly key: string; readonly when?: string }[];
    readonly commands: readonly Command[];
    readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly name: string; readonly when?: string }[]>>;
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string; readonly when?: string }[];
    readonly configuration: { readonly properties: Readonly<Record<string, unknown>> } | readonly unknown[];
  };
}

const context = new Map<string, string | boolean>();

/** Records a context key that the extension sets. */
export function recordContext(key: string, value: unknown): void {
  if (value === undefined || value === null) context.delete(key);
  else context.set(key, typeof value === 'boolean' ? value : String(value));
}

export function clearContext(): void {
  context.clear();
}

function holds(clause: string | undefined, more: Context = {}): boolean {
  if (clause === undefined) return true;
  const resourceScheme = activeResource()?.scheme;
  const always = {
    isWorkspaceTrusted: vscode.workspace.isTrusted,
    workspaceFolderCount: '1',
    ...(resourceScheme === undefined ? {} : { resourceScheme }),
  };
  return parseWhen(clause).holds({ ...always, ...Object.fromEntries(context), ...more });
}

/** Returns the address of what the active editor shows. */
export function activeResource(): vscode.Uri | undefined {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  return input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputText ? input.uri : undefined;
}

/** Returns the manifest that VS Code has read, with its texts in the language of VS Code. */
export function manifest(): Manifest['contributes'] {
  const found = vscode.extensions.getExtension<unknown>('signalbox.signalbox');
  if (found === undefined) throw new Error('signalbox.signalbox is not installed');
  return (found.packageJSON as Manifest).contributes;
}

function commandOf(id: string): Command | undefined {
  return manifest().commands.find(({ command }) => command === id);
}

/** Returns the id of the command with this title in the palette, with its category; undefined if the palette does not show it now. */
export function paletteCommand(title: string): string | undefined {
  const hidden = manifest().menus['commandPalette'] ?? [];
  return manifest().commands.find(
    ({ command, category, title: own, enablement }) =>
      (category === undefined ? own : `${category}: ${own}`) === title &&
      holds(enablement) &&
      hidden.every((item) => item.command !== command || holds(item.when)),
  )?.command;
}

/** Returns the commands of a menu that are shown now: titles and ids, in order of their groups. */
export function menuOf(
  menu: 'view/item/context' | 'view/title' | 'editor/title',
  more: Context,
  isInline: boolean | undefined,
): readonly { readonly title: string; readonly id: string }[] {
  return (manifest().menus[menu] ?? [])
    .filter(({ when, group = '' }) => holds(when, more) && (isInline === undefined || group.startsWith('inline') === isInline))
    .toSorted((one, other) => ((one.group ?? '') < (other.group ?? '') ? -1 : 1))
    .flatMap(({ command: id }) => {
      const command = commandOf(id);
      return command === undefined || !holds(command.enablement, more) ? [] : [{ title: command.title, id }];
    });
}

/** Returns the command of a key while a view has the focus; undefined if the extension has none for it. */
export function commandOfKey(key: string, focusedView: string): string | undefined {
  return manifest().keybindings.find((one) => one.key === key && holds(one.when, { focusedView }))?.command;
}

/** Returns the id of the view with this name. */
export function viewId(name: string): string {
  const view = Object.values(manifest().views)
    .flat()
    .find((one) => one.name === name);
  if (view === undefined) throw new Error(`no view “${name}”`);
  return view.id;
}

/** Returns true if the side bar has the view now. */
export function isViewThere(id: string): boolean {
  return Object.values(manifest().views)
    .flat()
    .some((view) => view.id === id && holds(view.when));
}

/** Returns the welcome content of a view that is shown now while it has no rows, as Markdown. */
export function welcomeOf(view: string): string {
  return manifest()
    .viewsWelcome.filter((one) => one.view === view && holds(one.when))
    .map(({ contents }) => contents)
    .join('\n');
}
