import * as vscode from 'vscode';
import { accountKeyOf } from '../instances/currentAccount.ts';
import type { Client } from '../api/client.ts';
import { listen, type ServerEvent } from '../api/eventStream.ts';
import { settings as settingIds } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { isLocalServer } from '../instances/instances.ts';
import { createEmitter } from '../support/emitter.ts';
import type { Log } from '../support/log.ts';
import { settingOf } from '../support/settings.ts';
import { sleep } from '../support/sleep.ts';

/** Event stream of the local server, which updates views without waiting for the next poll. */
export interface Stream extends vscode.Disposable {
  readonly onDidHappen: vscode.Event<StreamEvent>;
}

const kinds = ['activity', 'error', 'mail'] as const;

export type StreamEvent = (typeof kinds)[number];

const PATH = '/_local/stream';
/** Milliseconds during which events of a kind are combined. */
const PAUSE = 250;

export function createStream(connection: Connection, log: Log): Stream {
  const events = createEmitter<StreamEvent>();
  const pending = new Set<StreamEvent>();
  let timer: NodeJS.Timeout | undefined;
  let listening: { readonly client: Client; readonly account: string; readonly abort: AbortController } | undefined;

  function notify(...happened: readonly StreamEvent[]): void {
    for (const kind of happened) pending.add(kind);
    timer ??= setTimeout(() => {
      timer = undefined;
      const due = [...pending];
      pending.clear();
      for (const kind of due) events.fire(kind);
    }, PAUSE);
  }

  function onEvent({ event }: ServerEvent): void {
    // Events were missed, so all views are updated.
    if (event === 'reset') notify(...kinds);
    else notify(...kinds.filter((kind) => kind === event));
  }

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
      onOpen: () => notify(...kinds),
      onEvent,
      report: (text: string) => log.debug(`Event stream of the local server: ${text}`),
    };
    void listen(settings, abort.signal);
  }

  update();
  const subscriptions = [
    connection.onDidChange(update),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settingIds.activityPollSeconds)) update();
    }),
  ];
  return {
    onDidHappen: events.event,
    dispose: () => {
      clearTimeout(timer);
      listening?.abort.abort();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}
