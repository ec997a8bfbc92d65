import * as vscode from 'vscode';
import { DOCUMENT_SCHEME } from './documentAddress.ts';

/** Returns the document of the active tab, rendered or as text. A rendered one is not an active text editor. */
export function activeDocument(): vscode.Uri | undefined {
  const input: unknown = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
  const uri = input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputText ? input.uri : undefined;
  return uri?.scheme === DOCUMENT_SCHEME ? uri : undefined;
}
