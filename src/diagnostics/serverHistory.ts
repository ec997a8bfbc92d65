import type * as vscode from 'vscode';
import type { Supervisor } from '../local/supervisor.ts';
import type { ServerMetadata } from './report.ts';

/** Maximum number of states in the history. */
const MAX_STATES = 30;

/** Latest states of the local server in this window. */
export interface ServerHistory extends vscode.Disposable {
  readonly states: () => ServerMetadata['history'];
}

export function createServerHistory(supervisor: Supervisor): ServerHistory {
  let states: ServerMetadata['history'] = [];
  const subscription = supervisor.onDidChange((state) => {
    states = [...states, { at: Date.now(), state }].slice(-MAX_STATES);
  });
  return {
    states: () => states,
    dispose: () => {
      subscription.dispose();
    },
  };
}
