import type * as vscode from 'vscode';
import { contextKeys } from '../ids.ts';
import { restoreLocalServer } from '../local/lifecycle.ts';
import { sleep } from '../support/sleep.ts';
import { setContext } from '../ui/setContext.ts';
import { followInStatusBar } from '../ui/statusBar.ts';
import type { Accounts } from './accounts.ts';
import type { LocalServer } from './localServer.ts';

/** Maximum wait in milliseconds for the secret storage. After it, the views show the user as signed out. */
const SECRETS_LIMIT = 5_000;

export interface WindowStateSettings {
  readonly context: vscode.ExtensionContext;
  readonly statusBarItem: vscode.StatusBarItem;
  readonly local: LocalServer;
  readonly accounts: Accounts;
}

/** Shows the state once the stored sessions have been read, then resumes the server and a pending sign-in. */
export async function resumeWindow({ context, statusBarItem, local, accounts }: WindowStateSettings): Promise<void> {
  const { supervisor, emulation, profiles } = local;
  const { connection, instances, sessions, signIn, terminalTokens } = accounts;

  function update(): void {
    const server = supervisor.state();
    setContext(contextKeys.state, connection.state().kind);
    setContext(contextKeys.instanceKind, instances.current().kind);
    setContext(contextKeys.serverState, server.kind);
    setContext(contextKeys.emulatedRelease, emulation.current()?.release);
    setContext(contextKeys.serverFailure, server.kind === 'failed' ? server.code : undefined);
  }

  await Promise.race([sessions.load(), sleep(SECRETS_LIMIT)]);
  update();
  context.subscriptions.push(
    connection.onDidChange(update),
    supervisor.onDidChange(update),
    emulation.onDidChange(update),
    // Tokens of the local server can be revoked only while it runs.
    connection.onDidChange(({ kind }) => {
      if (kind === 'signedIn') void terminalTokens.cleanUp();
    }),
    followInStatusBar({ item: statusBarItem, connection, profiles, emulation }),
  );
  await restoreLocalServer(supervisor, context.workspaceState);
  void terminalTokens.cleanUp();
  await signIn.resume(instances.all());
}
