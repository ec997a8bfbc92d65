import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { sentences } from './failures.ts';
import type { ServerState } from './serverState.ts';

/** Shows why the server could not be started or has ended; does nothing in other states. `log`: output channel with the log of the server. */
export async function showFailure(state: ServerState, log: vscode.LogOutputChannel): Promise<void> {
  if (state.kind !== 'failed') return;
  const showLog = l10n.t('Show Log');
  const text = sentences(state.text, state.hint);
  if ((await vscode.window.showErrorMessage(text, showLog)) === showLog) log.show();
}
