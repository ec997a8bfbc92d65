import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { keyOf } from '../auth/session.ts';
import type { Sessions } from '../auth/sessions.ts';
import type { Refresh } from '../auth/refresh.ts';
import { failureOfError } from '../api/failures.ts';
import { commands } from '../ids.ts';
import type { Addresses, Connection } from '../instances/connection.ts';
import type { Instances } from '../instances/instances.ts';
import { chooseProject } from '../projects/choose.ts';
import { cloneUrl, createGitCredentials, gitAccess } from './credentials.ts';
import { createGitExtension, type GitState } from './gitExtension.ts';
import { showFailure } from '../ui/showFailure.ts';
import { EXTENSION_SCOPE } from '../contract/scopes.ts';

export interface CloneSettings {
  readonly connection: Connection;
  readonly instances: Instances;
  readonly sessions: Sessions;
  readonly refresh: Refresh;
  readonly addresses: Addresses;
}

/** Creates the command that clones a project with VS Code's own git, which gets the token of the account whenever it needs one. */
export function createCloneProject({ connection, instances, sessions, refresh, addresses }: CloneSettings) {
  const git = createGitExtension(
    createGitCredentials({
      instances: () => instances.all().map(({ key }) => key),
      addresses,
      session: async (instance) => {
        const session = sessions.current(instance);
        return session === undefined ? undefined : refresh.fresh(keyOf(session));
      },
    }),
  );

  async function clone(): Promise<void> {
    const { key, label } = connection.state().instance;
    const account = connection.current();
    if (account === undefined) {
      await vscode.commands.executeCommand(commands.signIn);
      return;
    }
    const state = await git.activate();
    if (state !== 'ready') {
      await explain(state);
      return;
    }
    if (!(await isAllowed(label, account.key, sessions.current(key)?.scopes ?? []))) return;
    const picked = await chooseProject(connection, l10n.t('Clone Project'));
    const address = picked?.account.address();
    // The Git extension asks for the folder, shows the progress and failures, and offers to open the clone.
    if (picked !== undefined && address !== undefined)
      await vscode.commands.executeCommand('git.clone', cloneUrl(address, picked.path));
  }

  return {
    dispose: (): void => void git.dispose(),
    commands: {
      [commands.cloneProject]: async () => {
        try {
          await clone();
        } catch (error) {
          const failure = failureOfError(error);
          if (failure === undefined) throw error;
          void showFailure(failure);
        }
      },
    },
  };
}

/** Tells why projects cannot be cloned, and offers what helps. */
async function explain(state: Exclude<GitState, 'ready'>): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    const manage = l10n.t('Manage Workspace Trust');
    const text = l10n.t('VS Code uses no Git in an untrusted workspace. Trust the workspace first.');
    if ((await vscode.window.showInformationMessage(text, manage)) === manage)
      await vscode.commands.executeCommand('workbench.trust.manage');
    return;
  }
  if (state === 'missing') {
    const show = l10n.t('Show Extension');
    const text = l10n.t("VS Code's Git extension is disabled or not installed. Enable it, then clone again.");
    if ((await vscode.window.showWarningMessage(text, show)) === show)
      await vscode.commands.executeCommand('workbench.extensions.search', '@builtin vscode.git');
    return;
  }
  const open = l10n.t('Open Settings');
  const text = l10n.t(
    'VS Code found no Git, or the setting git.enabled is off. Install Git or change the setting, then clone again.',
  );
  if ((await vscode.window.showWarningMessage(text, open)) === open)
    await vscode.commands.executeCommand('workbench.action.openSettings', 'git.enabled');
}

/** Returns true if the token can clone. If it cannot clone or push, says so and offers to sign in again. */
async function isAllowed(label: string, account: string, scopes: readonly string[]): Promise<boolean> {
  const access = gitAccess(scopes);
  if (access === 'push') return true;
  const signIn = l10n.t('Sign In Again');
  const signInAgain = (): Thenable<unknown> => vscode.commands.executeCommand(commands.signInAgain, account, EXTENSION_SCOPE);
  if (access === 'none') {
    const text = l10n.t(
      'The sign-in to {0} does not allow Git. Its token needs the scope api, write_repository or read_repository.',
      label,
    );
    if ((await vscode.window.showWarningMessage(text, signIn)) === signIn) await signInAgain();
    return false;
  }
  const text = l10n.t(
    'The sign-in to {0} lets you clone and fetch, but not push. Pushing needs the scope api or write_repository.',
    label,
  );
  const clone = l10n.t('Clone');
  const choice = await vscode.window.showInformationMessage(text, clone, signIn);
  if (choice === signIn) await signInAgain();
  return choice === clone;
}
