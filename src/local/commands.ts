import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../ids.ts';
import type { Instances } from '../instances/instances.ts';
import { sentences } from './failures.ts';
import type { ServerState } from './serverState.ts';
import type { Supervisor } from './supervisor.ts';

/** Memento key: true if the server has been used in this workspace, so that it is started again after a reload. */
const WAS_RUNNING = 'local.wasRunning';

export interface LocalCommandSettings {
  readonly supervisor: Supervisor;
  readonly instances: Instances;
  /** Output channel with the log of the server. */
  readonly serverLog: vscode.LogOutputChannel;
}

/** Commands that start and stop the server. Only they show failures as messages, because only they are run by the user. */
export function localCommands({ supervisor, instances, serverLog }: LocalCommandSettings) {
  async function start(): Promise<void> {
    await instances.select(instances.local().key);
    void showFailure(await supervisor.start());
  }

  async function stop(): Promise<void> {
    if ((await supervisor.stop()) === 'refused') showNotOurs();
  }

  async function restart(): Promise<void> {
    const state = await supervisor.restart();
    if (state === 'refused') showNotOurs();
    else void showFailure(state);
  }

  function showNotOurs(): void {
    void vscode.window.showInformationMessage(
      l10n.t('Another program runs this local server with its own token. Stop it in that program.'),
    );
  }

  async function showFailure(state: ServerState): Promise<void> {
    if (state.kind !== 'failed') return;
    const log = l10n.t('Show Log');
    const text = sentences(state.text, state.hint);
    if ((await vscode.window.showErrorMessage(text, log)) === log) serverLog.show();
  }

  return {
    [commands.localStart]: start,
    [commands.localStop]: stop,
    [commands.localRestart]: restart,
    [commands.localShowLog]: () => serverLog.show(),
  };
}

/** Remembers that the server has been used, for `restoreLocalServer`. */
export function rememberLocalServer(supervisor: Supervisor, workspaceState: vscode.Memento): vscode.Disposable {
  return supervisor.onDidChange((state) => {
    if (state.kind === 'running' || state.kind === 'attached') void workspaceState.update(WAS_RUNNING, true);
  });
}

/** Shows the progress of a starting server in the status bar. */
export function showProgress(supervisor: Supervisor): vscode.Disposable {
  let end: (() => void) | undefined;
  return supervisor.onDidChange(({ kind }) => {
    if (kind !== 'starting') {
      end?.();
      end = undefined;
      return;
    }
    if (end !== undefined) return;
    const title = l10n.t('Starting local server');
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, (progress) => {
      // Created here, because creating the first formatter of a process takes tens of milliseconds and would delay activation.
      const percent = new Intl.NumberFormat(vscode.env.language, { style: 'percent' });
      const lines = supervisor.onDidProgress(({ message, done, total }) => {
        const isCounted = done !== undefined && total !== undefined && total > 0;
        progress.report({ message: isCounted ? `${message}, ${percent.format(done / total)}` : message });
      });
      return new Promise<void>((resolve) => {
        end = () => {
          lines.dispose();
          resolve();
        };
      });
    });
  });
}

/** Starts the server again if it has been used in this workspace. */
export async function restoreLocalServer(supervisor: Supervisor, workspaceState: vscode.Memento): Promise<void> {
  if (workspaceState.get(WAS_RUNNING) === true) await supervisor.restore();
}
