import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Send } from '../api/transport.ts';
import { settings } from '../ids.ts';
import { createLocalControl, type LoadLocalControl } from '../local/control.ts';
import { createEmulation, type Emulation } from '../local/emulation.ts';
import { changedEmulation, emulatedBySettings } from '../local/emulationSettings.ts';
import { createDataProfiles, type DataProfiles } from '../local/profiles.ts';
import { createSupervisor, type Supervisor } from '../local/supervisor.ts';
import type { Log, Mask } from '../support/log.ts';
import { settingOf } from '../support/settings.ts';
import { sleep } from '../support/sleep.ts';

/** Local server of this window and its data. */
export interface LocalServer {
  readonly profiles: DataProfiles;
  readonly supervisor: Supervisor;
  readonly emulation: Emulation;
  readonly control: LoadLocalControl;
  /** Returns the ID of the data that the server serves, or served last; undefined if it has never run. */
  readonly instanceId: () => string | undefined;
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
    emulated: emulatedBySettings,
    send,
    log,
    now: Date.now,
    sleep,
    report: (line) => channel.info(mask.apply(line)),
  });
  const adminToken = (): Promise<string> => profiles.current().adminToken();
  const emulation = createEmulation({ supervisor, adminToken, send, log });
  context.subscriptions.push(
    channel,
    { dispose: supervisor.release },
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settings.localProfile)) profiles.reread();
      void emulation.apply(changedEmulation(change));
    }),
    // Another program may have changed the platform meanwhile.
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) void emulation.refresh();
    }),
  );
  return {
    profiles,
    supervisor,
    emulation,
    control: async () => {
      const origin = supervisor.origin();
      return origin === undefined ? undefined : createLocalControl(origin, await adminToken(), send, Date.now);
    },
    instanceId: () => {
      const state = supervisor.state();
      return 'instanceId' in state ? state.instanceId : profiles.current().data.get();
    },
    channel,
  };
}
