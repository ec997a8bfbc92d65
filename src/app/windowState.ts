import type * as vscode from 'vscode';
import type { Send } from '../api/transport.ts';
import { contextKeys } from '../ids.ts';
import type { Instance } from '../instances/instances.ts';
import { takeHandover } from '../local/handover.ts';
import { restoreLocalServer } from '../local/lifecycle.ts';
import type { ServerState } from '../local/serverState.ts';
import type { Log, Mask } from '../support/log.ts';
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
  readonly send: Send;
  readonly mask: Mask;
  readonly log: Log;
}

/** Returns true if the instance is a running local server of the extension, or a connected one. */
function hasLocalServer({ kind, isConnected }: Instance, server: ServerState): boolean {
  return isConnected === true || (kind === 'local' && (server.kind === 'running' || server.kind === 'attached'));
}

/** Shows the state once the stored sessions have been read, then resumes the server and a pending sign-in. */
export async function resumeWindow(settings: WindowStateSettings): Promise<void> {
  const { context, statusBarItem, local, accounts, send, mask, log } = settings;
  const { supervisor, emulation, profiles, connected } = local;
  const { addresses, connection, instances, serverDetails, sessions, signIn, terminalTokens } = accounts;

  function update(): void {
    const server = supervisor.state();
    const state = connection.state();
    setContext(contextKeys.state, state.kind === 'signedOut' && state.ended !== undefined ? 'ended' : state.kind);
    setContext(contextKeys.instanceKind, instances.current().kind);
    setContext(contextKeys.hasLocalServer, hasLocalServer(instances.current(), server));
    setContext(contextKeys.isConnected, instances.current().isConnected === true);
    setContext(
      contextKeys.hasConnectedServer,
      instances.all().some(({ isConnected }) => isConnected === true),
    );
    setContext(contextKeys.serverState, server.kind);
    setContext(contextKeys.emulatedRelease, emulation.current()?.release);
    setContext(contextKeys.hasDataFolder, emulation.hasDataFolder());
    setContext(contextKeys.serverFailure, server.kind === 'failed' ? server.code : undefined);
  }

  await Promise.race([Promise.all([sessions.load(), connected.load()]), sleep(SECRETS_LIMIT)]);
  update();
  context.subscriptions.push(
    connection.onDidChange(update),
    instances.onDidChange(update),
    supervisor.onDidChange(update),
    emulation.onDidChange(update),
    // Tokens of the local server can be revoked only while it runs.
    connection.onDidChange(({ kind }) => {
      if (kind === 'signedIn') void terminalTokens.cleanUp();
    }),
    followInStatusBar({ item: statusBarItem, connection, profiles, emulation, addresses, details: serverDetails.get, log }),
  );
  await takeHandover({ folder: context.globalStorageUri.fsPath, connected, send, mask, log });
  await restoreLocalServer(supervisor, context.workspaceState);
  void terminalTokens.cleanUp();
  await signIn.resume(instances.all());
}
