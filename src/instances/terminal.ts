import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Refresh } from '../auth/refresh.ts';
import { keyOf, type Session } from '../auth/session.ts';
import type { Sessions } from '../auth/sessions.ts';
import { failureOfError } from '../api/failures.ts';
import type { Addresses } from './connection.ts';
import type { Instance, Instances } from './instances.ts';
import { terminalEnvironment, type TerminalToken } from './terminalEnvironment.ts';
import type { CreatedToken, TerminalTokens } from './terminalTokens.ts';
import { showFailure } from '../ui/showFailure.ts';

export interface TerminalSettings {
  readonly instances: Instances;
  readonly sessions: Sessions;
  readonly refresh: Refresh;
  readonly addresses: Addresses;
  readonly tokens: TerminalTokens;
}

/** Opens a terminal in which git and API clients are signed in to the current instance. */
export async function openTerminal(settings: TerminalSettings): Promise<void> {
  try {
    await open(settings);
  } catch (error) {
    const failure = failureOfError(error);
    if (failure === undefined) throw error;
    void showFailure(failure);
  }
}

async function open({ instances, sessions, refresh, addresses, tokens }: TerminalSettings): Promise<void> {
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
  // Other programs may use a token that the user entered, so a terminal cannot revoke it, and needs no other one.
  const created = session.credential === 'token' ? undefined : await tokens.create(session, address);
  const token: TerminalToken = created ?? { accessToken: session.accessToken, isPersonal: session.credential !== 'oauth' };
  const { username } = session.account;
  const text = l10n.t('In this terminal, git and API clients are signed in to {0} as @{1}.', address, username);
  const terminal = vscode.window.createTerminal({
    name: `@${username} @ ${instance.label}`,
    iconPath: new vscode.ThemeIcon('signalbox-mark'),
    env: terminalEnvironment(address, token, process.env),
    message: `${text}\r\n${textOfToken(instance, session, created)}`,
    // VS Code writes the environment of other terminals to disk in order to restore them.
    isTransient: true,
  });
  if (created !== undefined) revokeAtEnd(terminal, created);
  terminal.show();
}

/** Says which token the programs of a terminal use, and when it ends. */
function textOfToken(instance: Instance, { credential, expiry }: Session, created: CreatedToken | undefined): string {
  if (created !== undefined) {
    const date = new Date(created.expiresAt).toLocaleDateString(vscode.env.language, { dateStyle: 'medium' });
    return l10n.t('Their personal access token is revoked when the terminal closes, and expires on {0} at the latest.', date);
  }
  if (credential !== 'oauth') return l10n.t('They use the personal access token of your sign-in.');
  const text = l10n.t(
    '{0} does not let your account create a personal access token for them, so they use the OAuth token of your sign-in. Versions of glab from before 2026 cannot use it.',
    instance.label,
  );
  return expiry === undefined ? text : `${text} ${l10n.t('The token is valid until {0}.', timeOf(expiry.at))}`;
}

function revokeAtEnd(terminal: vscode.Terminal, token: CreatedToken): void {
  const subscription = vscode.window.onDidCloseTerminal((closed) => {
    if (closed !== terminal) return;
    subscription.dispose();
    void token.revoke();
  });
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
