import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ClientKey } from '../contract/clientKeys.ts';

/** Opens a terminal in which SDKs find the DSN of a client key in the variable that all of them read. */
export function openKeyTerminal(path: string, { id, tracker_dsn: dsn }: ClientKey): void {
  const terminal = vscode.window.createTerminal({
    name: l10n.t('DSN of client key {0}', id),
    iconPath: new vscode.ThemeIcon('key'),
    env: { SENTRY_DSN: dsn },
    message: l10n.t('In this terminal, SENTRY_DSN is the DSN of client key {0} of {1}.', id, path),
    // A restored terminal would keep the DSN after the key is deleted.
    isTransient: true,
  });
  terminal.show();
}
