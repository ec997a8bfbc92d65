// The window as its user sees it, for suites inside the extension host: the same names as the page object of the real workbench
// (../workbench.ts), without clicks.
import assert from 'node:assert/strict';
import path from 'node:path';
import { mkdirSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { until } from '../../until.ts';
import { seen } from './border.ts';
import { activeResource, menuOf, paletteCommand } from './contributions.ts';
import { reload, setSetting, workspaceFolder } from './extension.ts';
import { cancelInput, inputs } from './inputs.ts';
import { closeMessages, messages } from './messages.ts';
import { badges, start, viewOf, type View } from './trees.ts';
import { plainText, textOfMarkdown } from './texts.ts';

export const workbench = {
  ...inputs,
  ...messages,
  /** Runs a command by its exact title in the palette (category included: `Signalbox: Sign In`), once the palette shows it. */
  async run(title: string): Promise<void> {
    const id = await until(
      async () => {
        const shown = paletteCommand(title);
        return shown !== undefined && (await vscode.commands.getCommands(true)).includes(shown) ? shown : undefined;
      },
      (found) => found !== undefined,
      `command “${title}” in the palette`,
    );
    assert.ok(id !== undefined);
    start(vscode.commands.executeCommand(id));
  },
  /** Clicks a button of the active editor, or chooses an entry of its menu. */
  async clickEditorAction(title: string): Promise<void> {
    const actions = menuOf('editor/title', {}, undefined);
    const found = actions.find((one) => one.title === title);
    assert.ok(found, `“${title}” in the active editor: ${actions.map((one) => one.title).join(', ')}`);
    start(vscode.commands.executeCommand(found.id, activeResource()));
  },
  /** Returns true if the palette shows this command. */
  isInPalette: (title: string): boolean => paletteCommand(title) !== undefined,
  /** Shows a view of the container and returns it. */
  async openView(title: string): Promise<View> {
    const view = viewOf(title);
    await view.open();
    return view;
  },
  view: viewOf,
  /** Closes every open list, box, dialog and notification. */
  async clear(): Promise<void> {
    while (cancelInput()) await Promise.resolve();
    closeMessages();
  },
  /** Closes the open list or box, like Escape. */
  async cancel(): Promise<void> {
    cancelInput();
  },
  clipboard: async (): Promise<string> => seen.clipboard(),
  setClipboard: async (text: string): Promise<void> => seen.setClipboard(text),
  /** Waits until `accept` accepts the text and the screen reader label of the status bar entry whose id contains `id`. */
  async untilStatus(id: string, accept: (text: string, spoken: string) => boolean, what: string): Promise<void> {
    await until(
      () => {
        const status = seen.status(id);
        return status && { text: plainText(status.text), spoken: status.accessibilityInformation?.label ?? '' };
      },
      (status) => status !== undefined && accept(status.text, status.spoken),
      `status bar: ${what}`,
    );
  },
  /** Waits until the hover of the status bar entry whose id contains `id` satisfies `accept`. Returns its text. */
  untilStatusHover: (id: string, accept: (text: string) => boolean, what: string): Promise<string> =>
    until(
      () => {
        const tooltip = seen.status(id)?.tooltip;
        return tooltip instanceof vscode.MarkdownString ? textOfMarkdown(tooltip) : '';
      },
      accept,
      `hover of the status bar: ${what}`,
    ),
  hasStatus: async (id: string): Promise<boolean> => seen.status(id) !== undefined,
  async clickStatus(id: string): Promise<void> {
    const { command } = seen.status(id) ?? {};
    assert.ok(command !== undefined, `the status bar entry ${id} has no command`);
    start(
      typeof command === 'string'
        ? vscode.commands.executeCommand(command)
        : vscode.commands.executeCommand(command.command, ...(command.arguments ?? [])),
    );
  },
  /** Returns the badge on the icon of all views, as screen readers announce it. */
  badge: async (): Promise<string> => badges(),
  /** Waits until a page whose address satisfies `accept` was opened in the browser. */
  async untilPage(accept: (address: string) => boolean, what: string): Promise<string> {
    const pages = await until(seen.openedPages, (all) => all.some(accept), `page in the browser: ${what}`);
    return pages.findLast(accept) ?? '';
  },
  openedPages: seen.openedPages,
  /** Waits until something whose title satisfies `accept` is in progress. */
  async untilProgress(accept: (title: string) => boolean, what: string): Promise<void> {
    await until(seen.progress, (titles) => titles.some(accept), `progress: ${what}`);
  },
  progressMessages: seen.progressMessages,
  async untilNoProgress(): Promise<void> {
    await until(seen.progress, (titles) => titles.length === 0, 'nothing in progress');
  },
  cancelProgress: seen.cancelProgress,
  passingTexts: seen.passingTexts,
  /** Answers the open dialog for files. */
  async chooseFiles(...files: readonly string[]): Promise<void> {
    const dialog = await until(seen.openFileDialog, (open) => open !== undefined, 'dialog for files');
    dialog?.resolve(files);
  },
  reload,
  setSetting,
  /** Writes a file of the open folder and returns its path. */
  writeFile(name: string, text: string): string {
    const file = path.join(workspaceFolder(), name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  },
  /** Closes the editor of a document that was not saved, without saving it. */
  async discard(document: vscode.TextDocument): Promise<void> {
    const isOpen = ({ input }: vscode.Tab): boolean =>
      input instanceof vscode.TabInputText && input.uri.toString() === document.uri.toString();
    const hasTab = (): boolean => vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(isOpen));
    await until(
      async () => {
        // The command concerns the active editor, and another one may become active at any time. A closed document would be opened again.
        if (!hasTab()) return true;
        await vscode.window.showTextDocument(document.uri);
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
        return until(hasTab, (has) => !has, 'closed', 5_000).then(
          () => true,
          () => false,
        );
      },
      (isClosed) => isClosed,
      `${document.fileName} closed`,
    );
  },
  /** Opens a file in an editor. */
  async openFile(name: string): Promise<vscode.TextEditor> {
    return vscode.window.showTextDocument(vscode.Uri.file(path.resolve(workspaceFolder(), name)));
  },
};
