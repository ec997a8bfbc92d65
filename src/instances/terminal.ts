import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Refresh } from '../auth/refresh.ts';
import { keyOf } from '../auth/session.ts';
import type { Sessions } from '../auth/sessions.ts';
import { failureOfError } from '../api/failures.ts';
import type { Addresses } from './connection.ts';
import type { Instances } from './instances.ts';
import { terminalEnvironment } from './terminalEnvironment.ts';

export interface TerminalSettings {
  readonly instances: Instances;
  readonly sessions: Sessions;
  readonly refresh: Refresh;
  readonly addresses: Addresses;
}

/** Opens a terminal in which git and API clients are signed in to the current instance. */
export async function openTerminal(settings: TerminalSettings): Promise<void> {
  try {
    await open(settings);
  } catch (error) {
    const failure = failureOfError(error);
    if (failure === undefined) throw error;
    void vscode.window.showErrorMessage(failure.message);
  }
}

async function open({ instances, sessions, refresh, addresses }: TerminalSettings): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    void askForTrust();
    return;
  }
  const instance = instances.current();
  const address = addresses(instance.key);
  const stored = sessions.current(instance.key);
  const session = stored === undefined || address === undefined ? undefined : await refresh.fresh(keyOf(stored));
  if (session === undefined || address === undefined) {
    void vscode.window.showInformationMessage(l10n.t('Sign in to {0} first.', instance.label));
    return;
  }
  const { account, expiry } = session;
  const until = expiry === undefined ? '' : l10n.t('The token is valid until {0}.', timeOf(expiry.at));
  const text = l10n.t('In this terminal, git and API clients are signed in to {0} as @{1}.', address, account.username);
  vscode.window
    .createTerminal({
      name: `@${account.username} @ ${instance.label}`,
      iconPath: new vscode.ThemeIcon('signalbox-mark'),
      env: terminalEnvironment(address, session, process.env),
      message: `${text} ${until}`.trim(),
      // VS Code writes the environment of other terminals to disk in order to restore them.
      isTransient: true,
    })
    .show();
}

/** Offers to trust the workspace. Git and shells can run code from a folder, which could read the token in the environment. */
async function askForTrust(): Promise<void> {
  const manage = l10n.t('Manage Workspace Trust');
  const text = l10n.t('Programs of an untrusted workspace could read your token in the terminal. Trust the workspace first.');
  if ((await vscode.window.showInformationMessage(text, manage)) === manage)
    await vscode.commands.executeCommand('workbench.trust.manage');
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
}
