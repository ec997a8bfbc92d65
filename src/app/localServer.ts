import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Send } from '../api/transport.ts';
import { settings } from '../ids.ts';
import { createInstances, type Instances } from '../instances/instances.ts';
import { type ConnectedServers, createConnectedServers } from '../local/connectedServers.ts';
import type { LoadLocalControl } from '../local/control.ts';
import { createControls } from '../local/controls.ts';
import { createEmulation, type Emulation } from '../local/emulation.ts';
import { changedEmulation, emulatedBySettings } from '../local/emulationSettings.ts';
import { createDataProfiles, type DataProfiles } from '../local/profiles.ts';
import { storagesOf } from '../local/storages.ts';
import { createSupervisor, type Supervisor } from '../local/supervisor.ts';
import { createEmitter } from '../support/emitter.ts';
import type { Log, Mask } from '../support/log.ts';
import { settingOf } from '../support/settings.ts';
import { sleep } from '../support/sleep.ts';
import { createWindowMemory } from '../support/windowMemory.ts';

/** Local server of this window and its data, and the instances beside it. */
export interface LocalServer {
  readonly profiles: DataProfiles;
  readonly supervisor: Supervisor;
  readonly emulation: Emulation;
  readonly control: LoadLocalControl;
  /** Servers of other programs on this machine. */
  readonly connected: ConnectedServers;
  /** The local server and the configured instances. */
  readonly instances: Instances;
  /** Output channel with the log of the server. */
  readonly channel: vscode.LogOutputChannel;
}

export interface LocalServerSettings {
  readonly context: vscode.ExtensionContext;
  readonly send: Send;
  readonly mask: Mask;
  readonly log: Log;
}

/** Creates the local server without starting it. It ends with the window. */
export function createLocalServer({ context, send, mask, log }: LocalServerSettings): LocalServer {
  const channel = vscode.window.createOutputChannel(l10n.t('Signalbox Local Server'), { log: true });
  const profiles = createDataProfiles({
    root: path.join(context.globalStorageUri.fsPath, 'local'),
    chosen: () => settingOf(settings.localProfile),
    memory: context.globalState,
    secrets: context.secrets,
    mask,
    log,
  });
  const supervisor = createSupervisor({
    executable: process.execPath,
    serverFile: path.join(import.meta.dirname, 'server.js'),
    profile: profiles.current,
    environment: process.env,
    seed: () => (settingOf(settings.localSeed) === 'none' ? 'none' : 'demo'),
    storages: () => storagesOf(settingOf(settings.localStorages)),
    emulated: emulatedBySettings,
    send,
    log,
    now: Date.now,
    sleep,
    report: (line) => channel.info(mask.apply(line)),
  });
  const connected = createConnectedServers(context.secrets, mask, log);
  const instances = createInstances(
    () => settingOf(settings.instances),
    createWindowMemory(context.workspaceState, context.globalState),
    () => instanceIdOf(supervisor, profiles),
    connected.has,
  );
  // Before other parts follow the server, because their state depends on the instances.
  for (const onDidChange of [supervisor.onDidChange, profiles.onDidChangeCurrent, connected.onDidChange])
    onDidChange(instances.reread);
  const control = createControls({
    supervisor,
    adminToken: () => profiles.current().adminToken(),
    connected,
    instances,
    send,
    log,
  });
  const serverChanges = createEmitter<void>();
  for (const onDidChange of [supervisor.onDidChange, instances.onDidChangeCurrent]) onDidChange(() => serverChanges.fire());
  const emulation = createEmulation({ control, onDidChangeServer: serverChanges.event, log });
  context.subscriptions.push(
    channel,
    { dispose: supervisor.release },
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settings.localProfile)) profiles.reread();
      if (change.affectsConfiguration(settings.instances)) instances.reread();
      // The settings are those of the extension's own server.
      if (instances.current().isConnected !== true) void emulation.apply(changedEmulation(change));
    }),
    // Another program may have changed the platform meanwhile.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) void emulation.refresh();
    }),
  );
  return { profiles, supervisor, emulation, control, connected, instances, channel };
}

/** Returns the ID of the data that the server serves, or served last; undefined if it has never run. */
function instanceIdOf(supervisor: Supervisor, profiles: DataProfiles): string | undefined {
  const state = supervisor.state();
  return 'instanceId' in state ? state.instanceId : profiles.current().data.get();
}
