import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';

/**
 * Passes the translations of VS Code to @vscode/l10n, which modules that do not import vscode use, too. Each bundle has its own copy of it
 * and must call this before it makes a text.
 */
export function useTranslations(): void {
  if (vscode.l10n.bundle !== undefined) l10n.config({ contents: vscode.l10n.bundle });
}
