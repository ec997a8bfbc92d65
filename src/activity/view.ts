import * as vscode from 'vscode';
import type { RateLimits } from '../api/rateLimits.ts';
import type { Connection } from '../instances/connection.ts';
import { accountKeyOf } from '../instances/currentAccount.ts';
import type { contextKeys } from '../ids.ts';
import { failureOfState } from '../support/listState.ts';
import type { Log } from '../support/log.ts';
import type { PollOutcome } from '../support/polling.ts';
import { coalesced } from '../ui/coalesced.ts';
import type { LateView } from '../ui/lateView.ts';
import type { LazyTree } from '../ui/lazyTree.ts';
import { repaintAges } from '../ui/repaintAges.ts';
import { setContext } from '../ui/setContext.ts';
import { createViewPolling } from '../ui/viewPolling.ts';
import { setViewTexts } from '../ui/viewTexts.ts';
import { appearanceOf, type Subject } from './appearance.ts';
import { badgeOf } from './badge.ts';
import type { ClosedDays } from './closedDays.ts';
import { type Feed, type FeedSource, type FeedState, createFeed } from './model.ts';
import type { FeedOutcomes } from './outcomes.ts';
import type { ProjectNames } from './projects.ts';
import { createRememberedSelection } from './rememberedSelection.ts';
import type { ActivityRow, RowSettings } from './rows.ts';
import { stateWithText } from './search.ts';
import { createActivityTree } from './tree.ts';
import { isUnread, type Unread } from './unread.ts';

export interface ActivityViewSettings {
  readonly viewId: string;
  readonly view: LateView<ActivityRow>;
  /** Context key for the state of the view, used by the welcome texts. */
  readonly stateKey: (typeof contextKeys)['activityMine' | 'activityProject'];
  readonly details: () => RowSettings['details'];
  readonly connection: Connection;
  readonly names: () => ProjectNames | undefined;
  /** Title of the view. */
  readonly title: () => string;
  /** Subject of the list; `missing` if none is selected. */
  readonly subject: () => Subject | 'missing';
  readonly source: () => FeedSource | undefined;
  /** Text that the events to show contain; undefined to show all. */
  readonly text: () => string | undefined;
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

export function createActivityView(settings: ActivityViewSettings): ActivityView {
  const { viewId, connection, unread, limits, closedDays, log } = settings;
  const { view } = settings.view;
  const feed = createFeed(Date.now, paintCached);
  let maxEvents = SHOWN_EVENTS;
  /** True while the first cached events are being shown. */
  let isPaintingCached = false;
  let shownKey: string | undefined;
  /** Returns the state of the feed with the events that contain the text of the filter. */
  const shown = (): FeedState =>
    stateWithText(feed.state(), settings.text(), {
      locale: vscode.env.language,
      pathOf: (id) => settings.names()?.get(id)?.path_with_namespace,
    });
  const tree: LazyTree<ActivityRow> = createActivityTree({
    feed,
    state: shown,
    details: settings.details,
    isUnread: () => unreadFilter(connection, unread),
    maxEvents: () => (isPaintingCached ? FIRST_SHOWN_EVENTS : maxEvents),
    names: settings.names,
    closedDays,
  });
  const selection = createRememberedSelection({ viewId, view, tree, closedDays, log });
  const polling = createViewPolling({
    view,
    isWatched: () => view.visible && feed.sourceKey() !== undefined,
    connection,
    limits,
    load: () => load(feed, viewId),
  });
  const paint = coalesced(() => paintView(settings, { loaded: feed.state(), shown: shown() }, tree));

  async function paintCached(): Promise<void> {
    isPaintingCached = true;
    await tree.painted();
    isPaintingCached = false;
    tree.changed();
  }

  function update(): void {
    feed.setSource(settings.source());
    polling.updateWatching();
    const key = feed.sourceKey();
    if (key !== shownKey) {
      shownKey = key;
      selection.switchTo(key);
      maxEvents = SHOWN_EVENTS;
      polling.restart();
    }
    paint();
  }

  feed.onDidChange(() => {
    recordChange(settings, feed);
    paint();
    if (feed.state().kind === 'ready') void selection.restore();
    void learnNames(feed, maxEvents, settings.names(), tree);
  });
  const subscriptions = [
    unread.onDidChange(paint),
    limits.onDidChange(paint),
    view.onDidChangeSelection(({ selection: [row] }) => {
      if (row !== undefined) selection.set(row);
    }),
    view.onDidCollapseElement(({ element }) => void closedDays.set(element.id, true)),
    view.onDidExpandElement(({ element }) => void closedDays.set(element.id, false)),
  ];
  update();
  settings.view.provide(tree);
  subscriptions.push(repaintAges(view, paint), polling, { dispose: () => feed.setSource(undefined) }, tree);

  return {
    feed,
    update,
    refresh: async () => {
      if (view.visible || feed.state().kind !== 'idle') await withProgressBar(viewId, polling.reload);
    },
    loadMore: async () => {
      const state = shown();
      const areAllShown = state.kind !== 'ready' || state.events.length <= maxEvents;
      maxEvents += SHOWN_EVENTS;
      if (areAllShown) await withProgressBar(viewId, feed.loadMore);
      else tree.changed();
    },
    expire: polling.expire,
    selected: () => view.selection[0],
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** Shows the progress bar of the view during the work. */
async function withProgressBar(viewId: string, work: () => Promise<void>): Promise<void> {
  await vscode.window.withProgress({ location: { viewId } }, work);
}

async function load(feed: Feed, viewId: string): Promise<PollOutcome> {
  // Background updates of loaded rows show no progress bar.
  const before = feed.state();
  await (before.kind === 'ready' && !before.isCached ? feed.refresh() : withProgressBar(viewId, feed.refresh));
  const failure = failureOfState(feed.state());
  return { ok: failure === undefined, retryAfter: failure?.retryAfter };
}

/** Returns a filter for the events that are unread now. */
function unreadFilter(connection: Connection, unread: Unread): RowSettings['isUnread'] {
  const state = connection.state();
  const account = accountKeyOf(state);
  const read = {
    marker: account === undefined ? undefined : unread.readMarker(account),
    opened: account === undefined ? new Set<number>() : unread.opened(account),
  };
  const accountId = state.kind === 'signedIn' ? state.account.id : undefined;
  return (event) => isUnread(event, read, accountId);
}

/** `shown` is the state with the events that are shown, `loaded` that with all of them. */
function paintView(
  settings: ActivityViewSettings,
  { loaded, shown }: { readonly loaded: FeedState; readonly shown: FeedState },
  tree: LazyTree<ActivityRow>,
): void {
  const { connection, limits } = settings;
  const { view } = settings.view;
  const account = accountKeyOf(connection.state());
  const rest = account === undefined ? undefined : limits.rest(account);
  const context = { now: Date.now(), locale: vscode.env.language, rest };
  const appearance = appearanceOf(connection.state(), shown, settings.subject(), context);
  // Before the message: VS Code applies the first change immediately and batches those of the next 200 ms.
  tree.changed();
  setViewTexts(view, { title: settings.title(), description: appearance.description, message: appearance.message });
  setContext(settings.stateKey, appearance.state);
  const isUnreadNow = unreadFilter(connection, settings.unread);
  const unreadCount = loaded.kind === 'ready' ? loaded.events.filter(isUnreadNow).length : 0;
  view.badge = badgeOf(connection.state(), unreadCount, settings.warns);
}

/** Records the outcome of a load, logs its failure, and begins to count unread events of a list that was loaded for the first time. */
function recordChange({ viewId, connection, outcomes, unread, log }: ActivityViewSettings, feed: Feed): void {
  const state = feed.state();
  outcomes.record(viewId, state);
  const failure = failureOfState(state);
  if (failure !== undefined)
    log.warn(`${viewId}: ${failure.message}${failure.requestId === undefined ? '' : ` (request ${failure.requestId})`}`);
  const account = accountKeyOf(connection.state());
  const list = feed.sourceKey();
  if (state.kind === 'ready' && !state.isCached && account !== undefined && list !== undefined)
    unread.begin(account, list, state.events);
}

/** Requests the names of the projects of the shown events. */
async function learnNames(
  feed: Feed,
  maxEvents: number,
  names: ProjectNames | undefined,
  tree: LazyTree<ActivityRow>,
): Promise<void> {
  const state = feed.state();
  // Cached events come with their names, and the list itself is requested first.
  if (state.kind !== 'ready' || state.isCached) return;
  const ids = state.events.slice(0, maxEvents).map((event) => event.project_id);
  if ((await names?.learn(ids.filter((id) => id !== null))) === true) tree.changed();
}
