import * as vscode from 'vscode';
import type { Connection } from '../instances/connection.ts';
import type { Log } from '../support/log.ts';
import { appearanceOf } from './appearance.ts';
import { type Feed, type FeedSource, createFeed } from './model.ts';
import type { ProjectNames } from './projects.ts';
import type { RowSettings } from './rows.ts';
import { createActivityTree } from './tree.ts';

export interface ActivityViewSettings {
  readonly viewId: string;
  /** Context key that tells the welcome texts what the view is at. */
  readonly stateKey: string;
  readonly tells: RowSettings['tells'];
  readonly connection: Connection;
  readonly names: () => ProjectNames | undefined;
  /** The list to show now, and its name for people; `missing` when it has to be chosen first. */
  readonly subject: () => string | 'missing';
  readonly source: () => FeedSource | undefined;
  readonly log: Log;
}

export interface ActivityView extends vscode.Disposable {
  readonly feed: Feed;
  /** To be called when something that `source` or `subject` looks at has changed. */
  readonly follow: () => void;
  /** Loads again what anybody has looked at. */
  readonly refresh: () => Promise<void>;
  readonly loadMore: () => Promise<void>;
}

/** Rows older than this are loaded again when the view comes into sight. */
const OLD = 60_000;

export function createActivityView(settings: ActivityViewSettings): ActivityView {
  const { viewId, stateKey, tells, connection, names, log } = settings;
  const feed = createFeed(Date.now);
  const tree = createActivityTree({ feed, tells, names });
  const view = vscode.window.createTreeView(viewId, { treeDataProvider: tree, showCollapseAll: true });

  function paint(): void {
    const state = feed.state();
    const stale = (reason: string): string => vscode.l10n.t('Not up to date. {0}', reason);
    const appearance = appearanceOf(connection.situation(), state, settings.subject(), { stale });
    view.description = appearance.description;
    // Empty, or it would stand in place of the welcome text.
    view.message = appearance.message;
    void vscode.commands.executeCommand('setContext', stateKey, appearance.state);
    tree.changed();
  }

  async function learnNames(): Promise<void> {
    const state = feed.state();
    if (state.kind !== 'ready') return;
    const ids = state.events.map((event) => event.project_id).filter((id) => id !== null);
    if ((await names()?.learn(ids)) === true) tree.changed();
  }

  /** Shows the editor's own moving bar in this view while something is loaded. */
  async function withBar(work: () => Promise<void>): Promise<void> {
    await vscode.window.withProgress({ location: { viewId } }, work);
  }

  function look(): void {
    if (!view.visible) return;
    const loadedAt = feed.loadedAt();
    if (feed.state().kind === 'idle') void withBar(feed.ensureLoaded);
    else if (loadedAt !== undefined && Date.now() - loadedAt > OLD) void withBar(feed.refresh);
  }

  function follow(): void {
    feed.setSource(settings.source());
    paint();
    look();
  }

  feed.onDidChange(() => {
    const state = feed.state();
    const failure = state.kind === 'failed' ? state.failure : state.kind === 'ready' ? state.problem : undefined;
    if (failure !== undefined)
      log.warn(`${viewId}: ${failure.message}${failure.requestId === undefined ? '' : ` (request ${failure.requestId})`}`);
    paint();
    void learnNames();
  });
  const subscriptions = [connection.onDidChange(follow), view.onDidChangeVisibility(look)];
  follow();

  return {
    feed,
    follow,
    refresh: async () => {
      if (view.visible || feed.state().kind !== 'idle') await withBar(feed.refresh);
    },
    loadMore: () => withBar(feed.loadMore),
    dispose: () => {
      feed.setSource(undefined);
      for (const subscription of [...subscriptions, view, tree]) subscription.dispose();
    },
  };
}
