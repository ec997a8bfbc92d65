import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../ids.ts';
import type { IdentifiedRow } from './changedRows.ts';
import type { RowLook } from './row.ts';

/** Returns the tree item of a row. An empty icon ID means no icon. `context` is the context value for the `when` clauses of menus. */
export function treeItemOf(
  row: RowLook,
  context: string,
  state: vscode.TreeItemCollapsibleState = vscode.TreeItemCollapsibleState.None,
): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label, state);
  item.id = row.id;
  item.description = row.description;
  item.tooltip = row.tooltip;
  if (row.icon !== '')
    item.iconPath = new vscode.ThemeIcon(row.icon, row.color === undefined ? undefined : new vscode.ThemeColor(row.color));
  item.contextValue = context;
  item.accessibilityInformation = { label: row.spoken };
  if (row.missing !== undefined) {
    const { account, scope } = row.missing;
    item.command = { command: commands.signInAgain, title: l10n.t('Sign In Again'), arguments: [account, scope] };
  }
  return item;
}

/** Returns the tree item of the row that loads more rows with a command. */
export function moreItem(row: IdentifiedRow, command: (typeof commands)[keyof typeof commands]): vscode.TreeItem {
  const item = new vscode.TreeItem(l10n.t('Load more'), vscode.TreeItemCollapsibleState.None);
  item.id = row.id;
  item.iconPath = new vscode.ThemeIcon('ellipsis');
  item.contextValue = 'more';
  item.command = { command, title: l10n.t('Load more'), arguments: [row] };
  return item;
}
