import type * as vscode from 'vscode';
import type { DataProfiles } from './profiles.ts';
import type { Supervisor } from './supervisor.ts';

/** Memento key: true if the server has been used in this workspace, so that it is started again after a reload. */
const WAS_RUNNING = 'local.wasRunning';

/** Remembers that the server has been used, for `restoreLocalServer`. */
export function rememberLocalServer(supervisor: Supervisor, workspaceState: vscode.Memento): vscode.Disposable {
  return supervisor.onDidChange((state) => {
    if (state.kind === 'running' || state.kind === 'attached') void workspaceState.update(WAS_RUNNING, true);
  });
}

/** Starts the server again if it has been used in this workspace. */
export async function restoreLocalServer(supervisor: Supervisor, workspaceState: vscode.Memento): Promise<void> {
  if (workspaceState.get(WAS_RUNNING) === true) await supervisor.restore();
}

/** Restarts the running server when another data profile is selected. Changes are processed one after the other. */
export function followProfile(supervisor: Supervisor, profiles: DataProfiles): vscode.Disposable {
  let switching = Promise.resolve();
  return profiles.onDidChangeCurrent(() => {
    switching = switching.then(supervisor.switchProfile);
  });
}
