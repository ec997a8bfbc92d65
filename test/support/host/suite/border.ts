// The border between the extension and the window of VS Code. VS Code gives each extension one `vscode` object, and the modules below its
// folder get the same one; so what is replaced here is replaced for the extension, too.
import * as vscode from 'vscode';
import { recordContext } from './contributions.ts';
import { replaceDecorations } from './decorations.ts';
import { replaceInputs } from './inputs.ts';
import { replaceMessages } from './messages.ts';
import { replacePanels } from './panels.ts';
import { replaceTrees } from './trees.ts';

/** A status bar item of the extension. */
class FakeStatus {
  readonly id: string;
  name: string | undefined;
  text = '';
  tooltip: unknown;
  color: unknown;
  backgroundColor: unknown;
  command: string | vscode.Command | undefined;
  accessibilityInformation: vscode.AccessibilityInformation | undefined;
  isVisible = false;

  constructor(id: string) {
    this.id = id;
    statuses.set(id, this);
  }

  show(): void {
    this.isVisible = true;
  }

  hide(): void {
    this.isVisible = false;
  }

  dispose(): void {
    if (statuses.get(this.id) === this) statuses.delete(this.id);
  }
}

interface Progress {
  readonly title: string;
  /** The text beside the title. */
  message: string;
  readonly cancel: () => void;
}

const statuses = new Map<string, FakeStatus>();
const running = new Set<Progress>();
const passing: string[] = [];
const pages: string[] = [];
let clipboard = '';
let chosenFiles: PromiseWithResolvers<readonly string[] | undefined> | undefined;

/** The parts of the window that a user sees besides inputs, messages, views and panels. */
export const seen = {
  status: (part: string): FakeStatus | undefined =>
    [...statuses.values()].find(({ id, isVisible }) => isVisible && id.includes(part)),
  /** Number of entries in the status bar, shown or not. */
  countStatuses: (): number => statuses.size,
  /** Titles of what is in progress. */
  progress: (): readonly string[] => [...running].map(({ title }) => title),
  /** Texts beside these titles. */
  progressMessages: (): readonly string[] => [...running].map(({ message }) => message),
  cancelProgress: (title: string): void => {
    const found = [...running].find((one) => one.title.includes(title));
    if (found === undefined) throw new Error(`“${title}” is not in progress`);
    found.cancel();
  },
  /** Texts that were shown for a moment in the status bar. */
  passingTexts: (): readonly string[] => passing,
  /** Addresses that were opened in the browser. */
  openedPages: (): readonly string[] => pages,
  clipboard: (): string => clipboard,
  setClipboard: (text: string): void => {
    clipboard = text;
  },
  openFileDialog: (): PromiseWithResolvers<readonly string[] | undefined> | undefined => chosenFiles,
};

/** Forgets what was shown. Returns what was still in progress. */
export function clearBorder(): readonly string[] {
  setFocus(true);
  passing.length = 0;
  pages.length = 0;
  clipboard = '';
  const left = [...running].map(({ title }) => `progress “${title}”`);
  running.clear();
  if (chosenFiles !== undefined) left.push('dialog for files');
  chosenFiles?.resolve(undefined);
  return left;
}

const focusing = new vscode.EventEmitter<vscode.WindowState>();
let hasFocus = true;

/** Takes the focus from the window, or returns it. */
export function setFocus(has: boolean): void {
  if (hasFocus === has) return;
  hasFocus = has;
  focusing.fire({ focused: has, active: has });
}

/** Functions of `vscode.window` as VS Code made them. */
const original = { ...vscode.window };

/** Replaces the window for the extension. `views`: true to leave the tree views to VS Code. */
export function replaceWindow({ hasRealViews = false } = {}): void {
  const { window, env, commands } = vscode;
  replaceInputs(window);
  replaceMessages(window);
  replacePanels(window);
  replaceDecorations();
  if (hasRealViews) Object.assign(window, { createTreeView: original.createTreeView });
  else replaceTrees(window);
  Object.assign(window, {
    createStatusBarItem: (id: string) => new FakeStatus(id),
    setStatusBarMessage: (text: string) => {
      passing.push(text);
      return new vscode.Disposable(() => {});
    },
    withProgress,
    createOutputChannel,
    showOpenDialog: async () => {
      chosenFiles = Promise.withResolvers();
      const files = await chosenFiles.promise;
      chosenFiles = undefined;
      return files?.map((file) => vscode.Uri.file(file));
    },
  });
  Object.defineProperty(window, 'state', { configurable: true, get: () => ({ focused: hasFocus, active: hasFocus }) });
  Object.defineProperty(window, 'onDidChangeWindowState', { configurable: true, value: focusing.event });
  Object.defineProperty(env, 'clipboard', {
    configurable: true,
    value: { readText: async () => clipboard, writeText: async (text: string) => void (clipboard = text) },
  });
  Object.assign(env, {
    openExternal: async (uri: vscode.Uri | string) => {
      pages.push(typeof uri === 'string' ? uri : uri.toString(true));
      return true;
    },
  });
  Object.assign(commands, { executeCommand: observed });
}

const { executeCommand } = vscode.commands;

function observed(id: string, ...values: readonly unknown[]): Thenable<unknown> {
  if (id === 'setContext') recordContext(String(values[0]), values[1]);
  return Reflect.apply(executeCommand, vscode.commands, [id, ...values]);
}

const channels = new Map<string, vscode.LogOutputChannel>();

/**
 * An output channel that can be used after the extension has ended, as what it has started may still report something. VS Code would close
 * the channel of the next start with it.
 */
function createOutputChannel(name: string, options: { log: true }): vscode.LogOutputChannel {
  const channel = channels.get(name) ?? original.createOutputChannel(name, options);
  channels.set(name, channel);
  let isOpen = true;
  return new Proxy(channel, {
    get(target, member) {
      if (member === 'dispose')
        return () => {
          isOpen = false;
        };
      const value: unknown = Reflect.get(target, member);
      if (typeof value !== 'function') return value;
      return isOpen ? value.bind(target) : () => {};
    },
  });
}

async function withProgress<T>(
  options: vscode.ProgressOptions,
  task: (progress: vscode.Progress<{ readonly message?: string }>, token: vscode.CancellationToken) => Thenable<T>,
): Promise<T> {
  const source = new vscode.CancellationTokenSource();
  const where = typeof options.location === 'object' ? options.location.viewId : '';
  const shown: Progress = { title: options.title ?? where, message: '', cancel: () => source.cancel() };
  running.add(shown);
  try {
    return await task({ report: ({ message = shown.message }) => (shown.message = message) }, source.token);
  } finally {
    running.delete(shown);
  }
}
