import * as vscode from 'vscode';
import type { contextKeys } from '../ids.ts';

/** Sets a context key for the `when` clauses of package.json. */
export function setContext(key: (typeof contextKeys)[keyof typeof contextKeys], value: unknown): void {
  void vscode.commands.executeCommand('setContext', key, value);
}
