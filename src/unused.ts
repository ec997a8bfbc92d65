import * as vscode from 'vscode';
import { settings } from './ids.ts';
import { localInstance } from './instances/instances.ts';
import { DEFAULT_PROFILE } from './local/profiles.ts';
import { settingOf } from './support/settings.ts';
import { showInStatusBar } from './ui/statusBar.ts';
import { contextOfUnusedWindow } from './unusedContext.ts';

/** Returns true if there is stored state or configuration that a window must show or continue with at startup. */
export async function isUsed({ globalState, workspaceState, secrets }: vscode.ExtensionContext): Promise<boolean> {
  if (globalState.keys().length + workspaceState.keys().length > 0) return true;
  const instances: unknown = settingOf(settings.instances);
  if (Array.isArray(instances) && instances.length > 0) return true;
  if (settingOf(settings.localProfile) !== DEFAULT_PROFILE) return true;
  // Secrets are shared by all VS Code profiles, the mementos belong to one.
  return secrets.keys().then(
    (stored) => stored.length > 0,
    // The extension itself reports a failure of the secret storage.
    () => true,
  );
}

/** Shows what the complete extension would show in a window where it was never used. */
export function showUnused(item: vscode.StatusBarItem): void {
  showInStatusBar(item, { kind: 'serverStopped', instance: localInstance(undefined) }, DEFAULT_PROFILE);
  for (const [key, value] of Object.entries(contextOfUnusedWindow)) void vscode.commands.executeCommand('setContext', key, value);
}
