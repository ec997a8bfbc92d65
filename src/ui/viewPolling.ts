import * as vscode from 'vscode';
import type { RateLimits } from '../api/rateLimits.ts';
import { settings as settingIds } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { accountKeyOf, endOf } from '../instances/currentAccount.ts';
import { createPolling, type Polling, type PollOutcome } from '../support/polling.ts';
import { isConfigured, settingOf } from '../support/settings.ts';

export interface ViewPollingSettings {
  readonly view: Pick<vscode.TreeView<unknown>, 'onDidChangeVisibility' | 'visible'>;
  readonly connection: Connection;
  /** Returns true if the list must be kept up to date while the window has the focus. */
  readonly isWatched: () => boolean;
  /** Returns the milliseconds between two loads; 0 disables automatic ones. By default, those of the user's settings. */
  readonly interval?: () => number;
  /** Rate limits that postpone loads. Views of the same account are loaded one after the other if its instance reports them. */
  readonly limits?: RateLimits;
  /** Returns the account that the list belongs to; by default the current one. */
  readonly account?: () => string | undefined;
  /** Never rejects. */
  readonly load: () => Promise<PollOutcome>;
}

/** Loads the list of a view periodically. */
export interface ViewPolling extends Pick<Polling, 'expire' | 'loadNow' | 'reload' | 'restart'>, vscode.Disposable {
  /** Must be called when the result of `isWatched` has changed for another reason than the visibility of the view. */
  readonly updateWatching: () => void;
}

/** Minimum interval between two loads, in seconds. */
const MIN_POLL_SECONDS = 15;

/**
 * Returns the interval between two loads in milliseconds; 0 if automatic loads are disabled. Where rate limits say when the next load is
 * possible, it is the shortest one, unless the user has configured another.
 */
function intervalOf(isLimited: boolean): number {
  const seconds: unknown = settingOf(settingIds.activityPollSeconds);
  if (typeof seconds !== 'number' || !(seconds > 0)) return 0;
  return Math.max(isLimited && !isConfigured(settingIds.activityPollSeconds) ? 0 : seconds, MIN_POLL_SECONDS) * 1000;
}

/** Polls only while the window has the focus and `isWatched` returns true. */
export function createViewPolling(settings: ViewPollingSettings): ViewPolling {
  const { view, connection, isWatched, interval, limits, load } = settings;
  const account = (): string => (settings.account === undefined ? accountKeyOf(connection.state()) : settings.account()) ?? '';
  const polling = createPolling({
    now: Date.now,
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
    interval: interval ?? (() => intervalOf(limits?.isReported(account()) === true)),
    notBefore: () => limits?.notBefore(account()) ?? 0,
    turns: limits && { begin: () => limits.begin(account()), onDidChange: limits.onDidChange },
    load,
  });

  function updateWatching(): void {
    polling.watch(vscode.window.state.focused && isWatched());
  }

  let wasEnded = endOf(connection.state()) !== undefined;

  /** Loads again after a sign-in, because the rows of an ended session stay. */
  function followSignIn(): void {
    const isEnded = endOf(connection.state()) !== undefined;
    if (wasEnded && !isEnded) polling.restart();
    wasEnded = isEnded;
  }

  const subscriptions = [
    connection.onDidChange(followSignIn),
    view.onDidChangeVisibility(updateWatching),
    vscode.window.onDidChangeWindowState(updateWatching),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settingIds.activityPollSeconds)) polling.replan();
    }),
    connection.onDidReturn(polling.wake),
  ];
  return {
    expire: () => {
      polling.expire();
      // A window without the focus can be beside the program in which something happens.
      if (!vscode.window.state.focused && isWatched()) void polling.reload();
    },
    loadNow: polling.loadNow,
    reload: polling.reload,
    restart: polling.restart,
    updateWatching,
    dispose: () => {
      polling.dispose();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** A list whose source can be replaced. */
interface SourcedList<Source> {
  readonly setSource: (source: Source | undefined) => void;
}

/** Returns a function that sets the current source of a list. A source with another key is loaded at once if the view is visible. */
export function sourceUpdate<Source extends { readonly key: string }>(
  list: SourcedList<Source>,
  polling: ViewPolling,
  source: () => Source | undefined,
): () => void {
  let shown: string | undefined;
  return () => {
    const next = source();
    list.setSource(next);
    polling.updateWatching();
    if (next?.key !== shown) polling.restart();
    shown = next?.key;
  };
}
