// The event stream of the local server. A separate bundle, loaded when somebody is signed in to the local server.
import * as vscode from 'vscode';
import { accountKeyOf } from '../instances/currentAccount.ts';
import type { Client } from '../api/client.ts';
import { listen } from '../api/eventStream.ts';
import { settings as settingIds } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { isLocalServer } from '../instances/instances.ts';
import type { Log } from '../support/log.ts';
import { settingOf } from '../support/settings.ts';
import { sleep } from '../support/sleep.ts';
import { createReport, type StreamListeners } from './report.ts';

const PATH = '/_local/stream';

/** Listens to the event stream of the local server, which updates views without waiting for the next poll. */
export function createStream(connection: Connection, log: Log, listeners: StreamListeners): vscode.Disposable {
  const { report, dispose: endReport } = createReport(listeners);
  let listening: { readonly client: Client; readonly account: string; readonly abort: AbortController } | undefined;

  function target(): { readonly client: Client; readonly account: string } | undefined {
    const state = connection.state();
    const [client, account] = [connection.client(), accountKeyOf(state)];
    if (!isLocalServer(state.instance) || client === undefined || account === undefined) return undefined;
    // Manual refresh (interval 0) also disables the stream.
    return settingOf(settingIds.activityPollSeconds) === 0 ? undefined : { client, account };
  }

  function update(): void {
    const next = target();
    if (next?.client === listening?.client && next?.account === listening?.account) return;
    listening?.abort.abort();
    listening = undefined;
    if (next === undefined) return;
    const abort = new AbortController();
    listening = { ...next, abort };
    const settings = {
      open: (lastEventId: string | undefined, signal: AbortSignal) => next.client.events(PATH, lastEventId, signal),
      sleep,
      // Events may have been missed.
      onOpen: () => report({ event: 'reset', data: '' }),
      onEvent: report,
      report: (text: string) => log.debug(`Event stream of the local server: ${text}`),
    };
    void listen(settings, abort.signal);
  }

  update();
  return vscode.Disposable.from(
    connection.onDidChange(update),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settingIds.activityPollSeconds)) update();
    }),
    {
      dispose: () => {
        endReport();
        listening?.abort.abort();
      },
    },
  );
}
