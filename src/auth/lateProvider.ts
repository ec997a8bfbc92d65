import * as vscode from 'vscode';

type Change = vscode.AuthenticationProviderAuthenticationSessionsChangeEvent;

/** Authentication provider that is registered at activation and delegates to one that is created on first use. */
export interface LateProvider extends vscode.AuthenticationProvider, vscode.Disposable {
  /** Sets the provider to delegate to. Must be called once. */
  readonly provide: (provider: vscode.AuthenticationProvider) => void;
}

/**
 * VS Code requests the accounts whenever a window opens. If the extension is not used, nobody can be signed in, so the list is empty
 * without calling `load`. `load` resolves after `provide` was called, or rejects.
 */
export function createLateProvider(isUsed: () => Promise<boolean>, load: () => Promise<unknown>): LateProvider {
  const changes = new vscode.EventEmitter<Change>();
  let provider: vscode.AuthenticationProvider | undefined;

  async function provided(): Promise<vscode.AuthenticationProvider> {
    if (provider === undefined) await load();
    if (provider === undefined) throw new Error('there is no provider');
    return provider;
  }

  return {
    provide: (made) => {
      provider = made;
      made.onDidChangeSessions((change) => changes.fire(change));
    },
    onDidChangeSessions: changes.event,
    getSessions: async (scopes, options) => {
      if (provider === undefined && !(await isUsed())) return [];
      return (await provided()).getSessions(scopes, options);
    },
    createSession: async (scopes, options) => (await provided()).createSession(scopes, options),
    removeSession: async (sessionId) => (await provided()).removeSession(sessionId),
    dispose: () => changes.dispose(),
  };
}
