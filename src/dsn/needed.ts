import * as vscode from 'vscode';
import { settings } from '../ids.ts';
import { settingOf } from '../support/settings.ts';
import { mayHoldDsn } from './find.ts';

/** Maximum length of a document that is searched, in characters. */
const MAX_LENGTH = 1_000_000;

/** Documents that people edit, as opposed to those of views and logs. */
export const editableDocuments: readonly vscode.DocumentFilter[] = ['file', 'untitled', 'vscode-vfs'].map((scheme) => ({
  scheme,
}));

export function showsDsnProblems(): boolean {
  return settingOf<boolean>(settings.dsnDiagnostics) ?? true;
}

/** Returns the text of a document that may contain DSNs. */
export function searchedText(document: vscode.TextDocument): string | undefined {
  if (!editableDocuments.some(({ scheme }) => scheme === document.uri.scheme)) return undefined;
  const text = document.getText();
  return text.length <= MAX_LENGTH && mayHoldDsn(text) ? text : undefined;
}

/** Calls `load` once, when a visible editor has a DSN for the first time. */
export function loadWhenDsnIsShown(load: () => void): vscode.Disposable {
  const following = vscode.Disposable.from(
    vscode.window.onDidChangeVisibleTextEditors(check),
    vscode.workspace.onDidChangeTextDocument(({ contentChanges }) => {
      // Only what was inserted is looked at, because this runs for each key.
      if (contentChanges.some(({ text }) => mayHoldDsn(text))) begin();
    }),
    vscode.workspace.onDidSaveTextDocument(check),
  );
  function begin(): void {
    following.dispose();
    load();
  }
  function check(): void {
    if (vscode.window.visibleTextEditors.some(({ document }) => searchedText(document) !== undefined)) begin();
  }
  check();
  return following;
}
