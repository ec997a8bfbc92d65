import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { readLogLines, readSnapshots } from '../contract/control.ts';
import type { Instance } from '../instances/instances.ts';
import { messageOf } from '../support/log.ts';
import type { LoadLocalControl, LocalControl } from './control.ts';

/** Number of lines of the log that are shown. */
const LOG_LINES = 1000;

/** Actions on the data and the log of a connected server. They show their failures. */
export interface ConnectedData {
  readonly reset: (server: Instance) => Promise<void>;
  readonly restore: (server: Instance, name: string) => Promise<void>;
  /** Returns the snapshots, or undefined if they cannot be read. */
  readonly snapshots: (server: Instance) => Promise<ReturnType<typeof readSnapshots> | undefined>;
  /** Returns the data folder, or undefined if there is none or it cannot be read. */
  readonly folder: (server: Instance) => Promise<string | undefined>;
  readonly showLog: (server: Instance) => Promise<void>;
  readonly dispose: () => void;
}

/** `onDidReplace` is called when a server has other data. */
export function createConnectedData(load: LoadLocalControl, onDidReplace: () => void): ConnectedData {
  const channels = new Map<string, vscode.OutputChannel>();

  async function attempt<T>(
    { key, label }: Instance,
    failed: (reason: string) => string,
    act: (control: LocalControl) => Promise<T>,
  ): Promise<T | undefined> {
    try {
      const control = await load(key);
      if (control === undefined) throw new Error(l10n.t('“{0}” is no longer connected', label));
      return await act(control);
    } catch (error) {
      void vscode.window.showErrorMessage(failed(messageOf(error)));
      return undefined;
    }
  }

  function replace(server: Instance, path: string, body: Readonly<Record<string, string>>, done: string): Promise<void> {
    return attempt(
      server,
      (reason) => l10n.t('The data of “{0}” was not changed: {1}', server.label, reason),
      async (control) => {
        const title = l10n.t('Replacing the data of “{0}”', server.label);
        const location = vscode.ProgressLocation.Notification;
        await vscode.window.withProgress({ location, title }, () => control.request('POST', path, body));
        onDidReplace();
        void vscode.window.showInformationMessage(done);
      },
    );
  }

  return {
    reset: (server) =>
      replace(server, '/reset', {}, l10n.t('“{0}” was reset. The old data was saved as a snapshot.', server.label)),
    restore: (server, name) =>
      replace(server, '/restore', { name }, l10n.t('“{0}” was restored from snapshot {1}.', server.label, name)),
    snapshots: (server) =>
      attempt(
        server,
        (reason) => l10n.t('The snapshots of “{0}” could not be read: {1}', server.label, reason),
        async (control) => readSnapshots(await control.request('GET', '/snapshots')),
      ),
    folder: (server) =>
      attempt(
        server,
        (reason) => l10n.t('The data folder was not opened: {0}', reason),
        async (control) => {
          const folder = await control.dataFolder();
          if (folder === undefined) throw new Error(l10n.t('“{0}” has its data in memory', server.label));
          return folder;
        },
      ),
    showLog: (server) =>
      attempt(
        server,
        (reason) => l10n.t('The log of “{0}” could not be read: {1}', server.label, reason),
        async (control) => {
          const lines = readLogLines(await control.request('GET', `/log?limit=${LOG_LINES}`));
          const name = l10n.t('Signalbox: {0}', server.label);
          const channel = channels.get(name) ?? vscode.window.createOutputChannel(name, 'log');
          channels.set(name, channel);
          channel.replace(`${lines.join('\n')}\n`);
          channel.show();
        },
      ),
    dispose: () => {
      for (const channel of channels.values()) channel.dispose();
    },
  };
}
