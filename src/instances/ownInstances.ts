import * as vscode from 'vscode';
import { settings } from '../ids.ts';
import { type InstanceSetting, readInstanceSettings } from './instances.ts';

/** Returns the instances in the user settings. */
export function ownInstances(): readonly InstanceSetting[] {
  return readInstanceSettings(vscode.workspace.getConfiguration().inspect(settings.instances)?.globalValue);
}

/** Replaces the instances in the user settings. */
export async function saveInstances(instances: readonly InstanceSetting[]): Promise<void> {
  const value = instances.length === 0 ? undefined : instances;
  await vscode.workspace.getConfiguration().update(settings.instances, value, vscode.ConfigurationTarget.Global);
}
