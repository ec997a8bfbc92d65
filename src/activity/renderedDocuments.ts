import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { isJsonObject, stringMember } from '../contract/json.ts';
import { customEditors } from '../ids.ts';
import { browserUrl } from '../support/markdown.ts';

/** Tabs that show documents rendered. VS Code's own command shows the source instead. */
export interface RenderedDocuments extends vscode.Disposable {
  /** Opens a document, or shows its tab. Scrolls to a zero-based line of its text if that is given. */
  readonly show: (uri: vscode.Uri, line: number | undefined) => Promise<void>;
  /** Scrolls to a line if the document has a tab, which is then shown with its current text. */
  readonly scrollTo: (uri: vscode.Uri, line: number) => void;
}

/** Line to which a document scrolls, and the number of the request. */
interface Visit {
  readonly line: number | undefined;
  readonly number: number;
}

/** `openPage` opens a web page that a document links to. */
export function createRenderedDocuments(openPage: (address: string, document: vscode.Uri) => Promise<void>): RenderedDocuments {
  const visits = new Map<string, Visit>();
  const repaints = new Map<string, () => void>();
  let latest = 0;

  function setVisit(uri: vscode.Uri, line: number | undefined): void {
    latest += 1;
    visits.set(uri.toString(), { line, number: latest });
    repaints.get(uri.toString())?.();
  }

  async function paint(document: vscode.TextDocument, panel: vscode.WebviewPanel): Promise<void> {
    const { renderedPage } = await import('./renderedPage.ts');
    const { line, number } = visits.get(document.uri.toString()) ?? { line: undefined, number: 0 };
    const page = { text: document.getText(), language: vscode.env.language, line, visit: number };
    panel.webview.html = renderedPage(page, randomBytes(16).toString('hex'));
  }

  const provider: vscode.CustomTextEditorProvider = {
    resolveCustomTextEditor: async (document, panel) => {
      const key = document.uri.toString();
      panel.webview.options = { enableScripts: true, localResourceRoots: [] };
      let isDisposed = false;
      const repaint = (): void => {
        if (!isDisposed) void paint(document, panel);
      };
      const changing = vscode.workspace.onDidChangeTextDocument((change) => {
        if (change.document.uri.toString() === key) repaint();
      });
      repaints.set(key, repaint);
      const receiving = panel.webview.onDidReceiveMessage((message: unknown) => {
        const address = isJsonObject(message) ? browserUrl(stringMember(message, 'open')) : undefined;
        if (address !== undefined) void openPage(address, document.uri);
      });
      panel.onDidDispose(() => {
        isDisposed = true;
        receiving.dispose();
        changing.dispose();
        if (repaints.get(key) === repaint) repaints.delete(key);
      });
      await paint(document, panel);
    },
  };
  const registration = vscode.window.registerCustomEditorProvider(customEditors.document, provider, {
    webviewOptions: { enableFindWidget: true },
  });

  return {
    show: async (uri, line) => {
      if (line !== undefined || !repaints.has(uri.toString())) setVisit(uri, line);
      const options: vscode.TextDocumentShowOptions = { preview: true, preserveFocus: true };
      await vscode.commands.executeCommand('vscode.openWith', uri, customEditors.document, options);
    },
    scrollTo: setVisit,
    dispose: () => {
      registration.dispose();
    },
  };
}
