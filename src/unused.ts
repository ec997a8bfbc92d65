import * as vscode from 'vscode';
import { contextKeys, settings } from './ids.ts';
import { localInstance } from './instances/instances.ts';
import { DEFAULT_PROFILE } from './local/profiles.ts';
import { settingOf } from './support/settings.ts';
import { showInStatusBar } from './ui/statusBar.ts';

/** Whether anything is remembered or set up here that a window has to show, or go on with, before somebody asks for it. */
export async function isUsed({ globalState, workspaceState, secrets }: vscode.ExtensionContext): Promise<boolean> {
  if (globalState.keys().length + workspaceState.keys().length > 0) return true;
  const instances: unknown = settingOf(settings.instances);
  if (Array.isArray(instances) && instances.length > 0) return true;
  if (settingOf(settings.localProfile) !== DEFAULT_PROFILE) return true;
  // Sign-ins are for all profiles of VS Code, the other states for one.
  return secrets.keys().then(
    (stored) => stored.length > 0,
    // The extension itself says what is wrong with the storage.
    () => true,
  );
}

/** What menus and welcome texts ask for, as it is while the local server has never run and nobody has ever signed in. */
const keys: Readonly<Record<string, string | boolean>> = {
  [contextKeys.state]: 'serverStopped',
  [contextKeys.instanceKind]: 'local',
  [contextKeys.serverState]: 'stopped',
  [contextKeys.activityMine]: 'idle',
  [contextKeys.activityProject]: 'idle',
  [contextKeys.activityWhose]: 'mine',
  [contextKeys.activityIsFiltered]: false,
  [contextKeys.activityProjectPin]: 'none',
  [contextKeys.errorTrackingState]: 'idle',
};

/** Shows what the whole extension would show in a window where it was never used. */
export function showUnused(item: vscode.StatusBarItem): void {
  showInStatusBar(item, { kind: 'serverStopped', instance: localInstance(undefined) }, DEFAULT_PROFILE);
  for (const [key, value] of Object.entries(keys)) void vscode.commands.executeCommand('setContext', key, value);
}
