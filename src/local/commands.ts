import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../ids.ts';
import type { Instances } from '../instances/instances.ts';
import { sentences } from './failures.ts';
import type { ServerState, Supervisor } from './supervisor.ts';

/** Whether this workspace has had the server running, so that a window that reloads brings it back. */
const WAS_RUNNING = 'local.wasRunning';

export interface LocalCommandSettings {
  readonly supervisor: Supervisor;
  readonly instances: Instances;
  /** The channel with the server's own lines. */
  readonly serverLog: vscode.LogOutputChannel;
}

/** Starting and stopping by hand. Only here does a failure become a message, because only here somebody asked. */
export function localCommands({ supervisor, instances, serverLog }: LocalCommandSettings) {
  async function start(): Promise<void> {
    await instances.select(instances.local().key);
    void say(await supervisor.start());
  }

  async function stop(): Promise<void> {
    if ((await supervisor.stop()) === 'refused') sayThatItIsNotOurs();
  }

  async function restart(): Promise<void> {
    const state = await supervisor.restart();
    if (state === 'refused') sayThatItIsNotOurs();
    else void say(state);
  }

  function sayThatItIsNotOurs(): void {
    void vscode.window.showInformationMessage(
      l10n.t('Another program runs this local server with its own token. Stop it in that program.'),
    );
  }

  async function say(state: ServerState): Promise<void> {
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

/** Remembers that this window has had the server, for `restoreLocalServer`. */
export function rememberLocalServer(supervisor: Supervisor, workspaceState: vscode.Memento): vscode.Disposable {
  return supervisor.onDidChange((state) => {
    if (state.kind === 'running' || state.kind === 'attached') void workspaceState.update(WAS_RUNNING, true);
  });
}

/** Shows in the status bar that the server starts, and how far it is. */
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
    void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, (shown) => {
      // Made here, because the first formatter of a process takes tens of milliseconds, for which activation need not wait.
      const percent = new Intl.NumberFormat(vscode.env.language, { style: 'percent' });
      const lines = supervisor.onDidProgress(({ message, done, total }) => {
        const isCounted = done !== undefined && total !== undefined && total > 0;
        shown.report({ message: isCounted ? `${message}, ${percent.format(done / total)}` : message });
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

/** Brings a server back that this window had before it was reloaded. */
export async function restoreLocalServer(supervisor: Supervisor, workspaceState: vscode.Memento): Promise<void> {
  if (workspaceState.get(WAS_RUNNING) === true) await supervisor.restore();
}
