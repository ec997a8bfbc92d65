import * as vscode from 'vscode';
import type { GitCredentials, RemoteHost } from './credentials.ts';

/** The members of the API of VS Code's Git extension (version 1) that are used here. */
interface GitApi {
  registerCredentialsProvider(provider: {
    getCredentials(host: vscode.Uri): vscode.ProviderResult<GitCredentials>;
  }): vscode.Disposable;
}

interface GitExports {
  /** False if the setting `git.enabled` is off or no git was found. */
  readonly enabled: boolean;
  readonly onDidChangeEnablement: vscode.Event<boolean>;
  /** Throws while `enabled` is false. */
  getAPI(version: 1): GitApi;
}

/** `missing`: the extension is disabled or not installed. `disabled`: it is switched off or found no git. */
export type GitState = 'ready' | 'missing' | 'disabled';

export interface GitExtension extends vscode.Disposable {
  /** Activates the Git extension if needed and returns its state. */
  readonly activate: () => Promise<GitState>;
}

const ID = 'vscode.git';

/**
 * Gives the Git extension of VS Code the credentials of signed-in accounts as soon as it is active. It is activated only by `activate`, so
 * that a window without repositories does no work for it.
 */
export function createGitExtension(credentials: (host: RemoteHost) => Promise<GitCredentials | undefined>): GitExtension {
  let attached: { readonly exports: GitExports; readonly following: vscode.Disposable } | undefined;
  let registered: vscode.Disposable | undefined;

  /** Registers the credentials if the Git extension is active. There is no event for the activation of another extension. */
  function attach(): void {
    const extension = vscode.extensions.getExtension<GitExports>(ID);
    if (extension === undefined || !extension.isActive) return;
    if (attached?.exports !== extension.exports) {
      attached?.following.dispose();
      registered?.dispose();
      registered = undefined;
      attached = { exports: extension.exports, following: extension.exports.onDidChangeEnablement(attach) };
    }
    if (!extension.exports.enabled) {
      registered?.dispose();
      registered = undefined;
      return;
    }
    registered ??= extension.exports.getAPI(1).registerCredentialsProvider({
      getCredentials: async ({ scheme, authority }) => credentials({ scheme, authority }),
    });
  }

  attach();
  const subscriptions = [
    vscode.extensions.onDidChange(attach),
    vscode.workspace.onDidGrantWorkspaceTrust(attach),
    vscode.workspace.onDidOpenTextDocument(attach),
    vscode.window.onDidChangeWindowState(attach),
  ];
  return {
    activate: async () => {
      const extension = vscode.extensions.getExtension<GitExports>(ID);
      if (extension === undefined) return 'missing';
      await extension.activate();
      attach();
      return extension.exports.enabled ? 'ready' : 'disabled';
    },
    dispose: () => {
      attached?.following.dispose();
      registered?.dispose();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}
