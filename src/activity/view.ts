import * as vscode from 'vscode';
import type { RateLimits } from '../api/rateLimits.ts';
import { settings as settingIds } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { type Log, messageOf } from '../support/log.ts';
import { coalesced } from '../ui/coalesced.ts';
import { settingOf } from '../support/settings.ts';
import type { LateView } from '../ui/lateView.ts';
import { accountKeyOf } from './accountKey.ts';
import { appearanceOf, type Subject } from './appearance.ts';
import { badgeOf } from './badge.ts';
import type { ClosedDays } from './closedDays.ts';
import { type Feed, type FeedSource, createFeed } from './model.ts';
import type { FeedOutcomes } from './outcomes.ts';
import { createPolling, type PollOutcome } from '../support/polling.ts';
import type { ProjectNames } from './projects.ts';
import type { ActivityRow, RowSettings } from './rows.ts';
import { createActivityTree } from './tree.ts';
import { isUnread, type Unread } from './unread.ts';

export interface ActivityViewSettings {
  readonly viewId: string;
  readonly view: LateView<ActivityRow>;
  /** Context key for the state of the view, used by the welcome texts. */
  readonly stateKey: string;
  readonly details: () => RowSettings['details'];
  readonly connection: Connection;
  readonly names: () => ProjectNames | undefined;
  /** Title of the view. */
  readonly title: () => string;
  /** Subject of the list; `missing` if none is selected. */
  readonly subject: () => Subject | 'missing';
  readonly source: () => FeedSource | undefined;
  /** True for the view whose badge asks to sign in again. */
  readonly warns: boolean;
  readonly unread: Unread;
  readonly limits: RateLimits;
  readonly outcomes: FeedOutcomes;
  readonly closedDays: ClosedDays;
  readonly log: Log;
}

export interface ActivityView extends vscode.Disposable {
  readonly feed: Feed;
  /** Updates the view; called when the result of `source` or `subject` may have changed. */
  readonly update: () => void;
  /** Reloads the list if it was shown before. */
  readonly refresh: () => Promise<void>;
  readonly loadMore: () => Promise<void>;
  /** Marks the list as outdated; a visible list is reloaded immediately. */
  readonly expire: () => void;
  readonly selected: () => ActivityRow | undefined;
}

/** Number of events shown initially and added by "Load more"; a feed may contain thousands. */
const SHOWN_EVENTS = 100;

/** Number of cached events shown first, about one screen, because more would delay them. */
const FIRST_SHOWN_EVENTS = 30;

const MINUTE = 60_000;

/** Minimum interval between two loads, in seconds. */
const MIN_POLL_SECONDS = 15;

/** Returns the configured interval between two loads in milliseconds; 0 if automatic loads are disabled. */
function pollInterval(): number {
  const seconds: unknown = settingOf(settingIds.activityPollSeconds);
  if (typeof seconds !== 'number' || !(seconds > 0)) return 0;
  return Math.max(seconds, MIN_POLL_SECONDS) * 1000;
}

export function createActivityView(settings: ActivityViewSettings): ActivityView {
  const { viewId, stateKey, details, connection, names, unread, limits, closedDays, log } = settings;
  const feed = createFeed(Date.now, paintCached);
  let maxEvents = SHOWN_EVENTS;
  /** True while the first cached events are being shown. */
  let isPaintingCached = false;
  let shownKey: string | undefined;
  /** Selected row of each list, because VS Code loses the selection when the list changes. */
  const selected = new Map<string, string>();
  let isSelectionPending = false;
  const accountId = (): number | undefined => {
    const state = connection.state();
    return state.kind === 'signedIn' ? state.account.id : undefined;
  };
  const readMarker = (): number | undefined => {
    const account = accountKeyOf(connection.state());
    return account === undefined ? undefined : unread.readMarker(account);
  };
  const tree = createActivityTree({
    feed,
    details,
    isUnread: (event) => isUnread(event, readMarker(), accountId()),
    maxEvents: () => (isPaintingCached ? FIRST_SHOWN_EVENTS : maxEvents),
    names,
    closedDays,
  });
  const { view } = settings.view;
  const polling = createPolling({
    now: Date.now,
    after: (milliseconds, run) => {
      const timer = setTimeout(run, milliseconds);
      return () => clearTimeout(timer);
    },
    interval: pollInterval,
    notBefore: () => {
      const account = accountKeyOf(connection.state());
      return account === undefined ? 0 : limits.notBefore(account);
    },
    load,
  });

  const paint = coalesced(paintNow);

  async function paintCached(): Promise<void> {
    isPaintingCached = true;
    await tree.painted();
    isPaintingCached = false;
    tree.changed();
  }

  function paintNow(): void {
    const state = feed.state();
    const account = accountKeyOf(connection.state());
    const rest = account === undefined ? undefined : limits.rest(account);
    const context = { now: Date.now(), locale: vscode.env.language, rest };
    const appearance = appearanceOf(connection.state(), state, settings.subject(), context);
    // Before the message: VS Code applies the first change immediately and batches those of the next 200 ms.
    tree.changed();
    const title = settings.title();
    if (view.title !== title) view.title = title;
    if (view.description !== appearance.description) view.description = appearance.description;
    // Set only if it changed; a message that is not empty hides the welcome text.
    if (view.message !== appearance.message) view.message = appearance.message;
    void vscode.commands.executeCommand('setContext', stateKey, appearance.state);
    const from = readMarker();
    const ownId = accountId();
    const unreadCount = state.kind === 'ready' ? state.events.filter((event) => isUnread(event, from, ownId)).length : 0;
    view.badge = badgeOf(connection.state(), unreadCount, settings.warns);
  }

  async function learnNames(): Promise<void> {
    const state = feed.state();
    // Cached events come with their names, and the list itself is requested first.
    if (state.kind !== 'ready' || state.isCached) return;
    const ids = state.events.slice(0, maxEvents).map((event) => event.project_id);
    if ((await names()?.learn(ids.filter((id) => id !== null))) === true) tree.changed();
  }

  /** Shows the progress bar of the view during the work. */
  async function withProgressBar(work: () => Promise<void>): Promise<void> {
    await vscode.window.withProgress({ location: { viewId } }, work);
  }

  async function load(): Promise<PollOutcome> {
    // Background updates of loaded rows show no progress bar.
    const before = feed.state();
    await (before.kind === 'ready' && !before.isCached ? feed.refresh() : withProgressBar(feed.refresh));
    const state = feed.state();
    const failure = state.kind === 'failed' ? state.failure : state.kind === 'ready' ? state.problem : undefined;
    return { ok: failure === undefined, retryAfter: failure?.retryAfter };
  }

  /** Polls only while the view is visible and the window has the focus. */
  function updateWatching(): void {
    polling.watch(view.visible && vscode.window.state.focused && feed.sourceKey() !== undefined);
  }

  /** Restores the selection of this list, unless its day is collapsed. */
  async function restoreSelection(): Promise<void> {
    const found = isSelectionPending ? tree.find(selected.get(shownKey ?? '') ?? '') : undefined;
    if (found === undefined || !view.visible) return;
    isSelectionPending = false;
    if (found.parent !== undefined && closedDays.has(found.parent.id)) return;
    try {
      await view.reveal(found.row, { select: true, focus: false });
    } catch (error) {
      // The rows have changed meanwhile.
      log.debug(`${viewId}: ${messageOf(error)}`);
    }
  }

  function update(): void {
    feed.setSource(settings.source());
    updateWatching();
    const key = feed.sourceKey();
    if (key !== shownKey) {
      shownKey = key;
      isSelectionPending = key !== undefined && selected.has(key);
      maxEvents = SHOWN_EVENTS;
      polling.restart();
    }
    paint();
  }

  feed.onDidChange(() => {
    const state = feed.state();
    settings.outcomes.record(viewId, state);
    const failure = state.kind === 'failed' ? state.failure : state.kind === 'ready' ? state.problem : undefined;
    if (failure !== undefined)
      log.warn(`${viewId}: ${failure.message}${failure.requestId === undefined ? '' : ` (request ${failure.requestId})`}`);
    const account = accountKeyOf(connection.state());
    const list = feed.sourceKey();
    if (state.kind === 'ready' && !state.isCached && account !== undefined && list !== undefined)
      unread.begin(account, list, state.events);
    paint();
    if (state.kind === 'ready') void restoreSelection();
    void learnNames();
  });
  const subscriptions = [
    unread.onDidChange(paint),
    limits.onDidChange(() => {
      polling.replan();
      paint();
    }),
    view.onDidChangeVisibility(updateWatching),
    view.onDidChangeSelection(({ selection: [row] }) => {
      if (row !== undefined && shownKey !== undefined) selected.set(shownKey, row.id);
    }),
    view.onDidCollapseElement(({ element }) => void closedDays.set(element.id, true)),
    view.onDidExpandElement(({ element }) => void closedDays.set(element.id, false)),
    vscode.window.onDidChangeWindowState(updateWatching),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(settingIds.activityPollSeconds)) polling.replan();
    }),
  ];
  update();
  settings.view.provide(tree);
  // Ages and day names change over time.
  const ageTimer = setInterval(() => {
    if (view.visible && vscode.window.state.focused) paint();
  }, MINUTE);

  return {
    feed,
    update,
    refresh: async () => {
      if (view.visible || feed.state().kind !== 'idle') await withProgressBar(polling.loadNow);
    },
    loadMore: async () => {
      const state = feed.state();
      const areAllShown = state.kind !== 'ready' || state.events.length <= maxEvents;
      maxEvents += SHOWN_EVENTS;
      if (areAllShown) await withProgressBar(feed.loadMore);
      else tree.changed();
    },
    expire: polling.expire,
    selected: () => view.selection[0],
    dispose: () => {
      clearInterval(ageTimer);
      polling.dispose();
      feed.setSource(undefined);
      for (const subscription of [...subscriptions, tree]) subscription.dispose();
    },
  };
}
