// Webview panels in place of those of VS Code: the user of a suite reads the messages to the page, and sends those of the page.
import * as vscode from 'vscode';
import { until } from '../../until.ts';

const panels: FakePanel[] = [];

class FakePanel {
  readonly viewType: string;
  title: string;
  iconPath: unknown;
  active = true;
  visible = true;
  viewColumn = vscode.ViewColumn.One;
  readonly options: object;
  readonly #disposal = new vscode.EventEmitter<void>();
  readonly #change = new vscode.EventEmitter<{ webviewPanel: FakePanel }>();
  readonly received = new vscode.EventEmitter<unknown>();
  readonly onDidDispose = this.#disposal.event;
  readonly onDidChangeViewState = this.#change.event;
  /** Messages to the page, oldest first. */
  readonly posted: unknown[] = [];
  readonly webview = {
    html: '',
    options: {},
    cspSource: 'https://webview.example',
    asWebviewUri: (uri: vscode.Uri): vscode.Uri => uri,
    onDidReceiveMessage: this.received.event,
    postMessage: async (message: unknown): Promise<boolean> => {
      // A page receives a copy.
      this.posted.push(structuredClone(message));
      return true;
    },
  };

  constructor(viewType: string, title: string, options: object = {}) {
    this.viewType = viewType;
    this.title = title;
    this.options = options;
    panels.push(this);
  }

  reveal(): void {
    this.show(true);
  }

  show(isVisible: boolean): void {
    this.visible = isVisible;
    this.active = isVisible;
    this.#change.fire({ webviewPanel: this });
  }

  dispose(): void {
    const at = panels.indexOf(this);
    if (at === -1) return;
    panels.splice(at, 1);
    this.#disposal.fire();
  }
}

/** Replaces the webview panels of VS Code's API. */
export function replacePanels(window: object): void {
  Object.assign(window, {
    createWebviewPanel: (viewType: string, title: string, _column: unknown, options: object) =>
      new FakePanel(viewType, title, options),
  });
}

export function closePanels(): void {
  for (const panel of [...panels]) panel.dispose();
}

/** Returns the titles of the open panels. */
export function panelTitles(): readonly string[] {
  return panels.map(({ title }) => title);
}

/** A panel as its page and its user know it. `Message` is what the page receives. */
export interface Panel<Message> {
  readonly title: () => string;
  readonly html: () => string;
  /** Returns all messages to the page, oldest first. */
  readonly messages: () => readonly Message[];
  /** Sends a message of the page to the extension. */
  readonly send: (message: unknown) => void;
  readonly show: (isVisible: boolean) => void;
  readonly close: () => void;
}

/** Waits for an open panel whose title satisfies `accept`. The type of the messages to its page is the caller's. */
export async function panelOf<Message>(accept: (title: string) => boolean, what: string): Promise<Panel<Message>> {
  await until(panelTitles, (titles) => titles.some(accept), `panel: ${what}`);
  const panel = panels.find(({ title }) => accept(title));
  if (panel === undefined) throw new Error(`no panel: ${what}`);
  const all = (): readonly Message[] => panel.posted as Message[];
  return {
    title: () => panel.title,
    html: () => panel.webview.html,
    messages: all,
    send: (message) => panel.received.fire(message),
    show: (isVisible) => panel.show(isVisible),
    close: () => panel.dispose(),
  };
}
