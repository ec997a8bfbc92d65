import * as vscode from 'vscode';

type Change = vscode.AuthenticationProviderAuthenticationSessionsChangeEvent;

/** The provider of accounts that stands in a window from the start, in front of the one that is made when it is first needed. */
export interface LateProvider extends vscode.AuthenticationProvider, vscode.Disposable {
  /** To be called once, when there is the other one. */
  readonly provide: (provider: vscode.AuthenticationProvider) => void;
}

/**
 * VS Code asks for the accounts whenever a window opens. Where nobody can be signed in because the extension is not used, the answer is
 * known without `load`, which resolves after `provide` was called, or rejects.
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
