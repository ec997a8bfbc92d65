import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { releases } from '../contract/emulation.ts';
import type { Release } from '../contract/releases.ts';
import { contextKeys, settings as settingIds, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { endOf } from '../instances/currentAccount.ts';
import { isLocalServer } from '../instances/instances.ts';
import type { Emulation } from '../local/emulation.ts';
import { type Log, messageOf } from '../support/log.ts';
import { settingOf } from '../support/settings.ts';
import type { LateView } from '../ui/lateView.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import { treeItemOf } from '../ui/treeItem.ts';
import { createViewPolling, sourceUpdate } from '../ui/viewPolling.ts';
import { setViewTexts, problemOf } from '../ui/viewTexts.ts';
import { createCallList } from './model.ts';
import { pickRelease } from './pickRelease.ts';
import { type CallRow, callRows } from './rows.ts';
import type { CallSource } from './source.ts';

export interface DeprecationsViewSettings {
  readonly view: LateView<CallRow>;
  readonly connection: Connection;
  readonly emulation: Emulation;
  readonly source: () => CallSource | undefined;
  /** Opens a page of the current instance in the browser. With `isOfAll`, it is for administrators. */
  readonly openPage: (path: string, isOfAll: boolean) => Promise<void>;
  readonly memory: vscode.Memento;
  readonly log: Log;
}

export interface DeprecationsView extends vscode.Disposable {
  readonly refresh: () => Promise<void>;
  /** Lets the user select the release whose removals are shown. */
  readonly selectRelease: () => Promise<void>;
  /** Opens the page of a deprecation, or of all of them. */
  readonly openInBrowser: (row: CallRow | undefined) => Promise<void>;
  readonly copyReplacement: (row: CallRow | undefined) => Promise<void>;
}

/** Milliseconds between two requests to a local server, so that the calls of a client under test appear quickly. */
const LOCAL_INTERVAL = 3_000;

/** Memento key of the selected release. */
const RELEASE = 'deprecations.release';

/** Path of the page with all deprecations; the page of one is below it. */
const PAGE = '/help/deprecations';

/** Creates the Deprecations view: what clients called that a release removes. */
export function createDeprecationsView(settings: DeprecationsViewSettings): DeprecationsView {
  const { connection, emulation, memory, log } = settings;
  const newest = releases.at(-1) ?? '20.0';
  const release = (): Release => releases.find((known) => known === memory.get(RELEASE)) ?? newest;
  const list = createCallList(release);
  const tree = createLazyTree<CallRow>({
    roots: () => callRows(list.state(), { emulated: emulation.current()?.release, locale: vscode.env.language }),
    children: (row) => row.rows,
    item: itemOf,
    hover: async (_, item) => item,
  });
  const { view } = settings.view;
  const polling = createViewPolling({
    view,
    connection,
    isWatched: () => view.visible && settings.source() !== undefined,
    interval: () => {
      const seconds: unknown = settingOf(settingIds.activityPollSeconds);
      // Manual refresh (interval 0) also applies to this view.
      if (typeof seconds !== 'number' || !(seconds > 0)) return 0;
      return isLocalServer(connection.state().instance) ? LOCAL_INTERVAL : seconds * 1000;
    },
    load: async () => ({ ok: await list.refresh(), retryAfter: undefined }),
  });

  const update = sourceUpdate(list, polling, settings.source);

  function paint(): void {
    const state = list.state();
    tree.changed();
    if ('problem' in state && state.problem !== undefined) log.warn(`${views.deprecations}: ${messageOf(state.problem)}`);
    // The calls of all users do not depend on a sign-in.
    const end = settings.source()?.isOfAll === true ? undefined : endOf(connection.state());
    const message =
      state.kind === 'unrecorded' && end === undefined
        ? l10n.t(
            '{0} does not record calls of deprecated elements. Only the local server that comes with Signalbox does: let your clients call it to see what breaks.',
            state.label,
          )
        : problemOf(list, end);
    setViewTexts(view, { message, description: state.kind === 'unrecorded' ? '' : l10n.t('up to release {0}', release()) });
    const isEmpty = state.kind === 'ready' && state.calls.length === 0;
    void vscode.commands.executeCommand('setContext', contextKeys.deprecationsState, isEmpty ? 'empty' : state.kind);
  }

  async function selectRelease(): Promise<void> {
    const picked = await pickRelease({
      title: l10n.t('Deprecations up to Release'),
      placeholder: l10n.t('Select the release that your clients have to work with'),
      current: release(),
      currentText: l10n.t('selected'),
    });
    if (picked === undefined) return;
    await memory.update(RELEASE, picked);
    paint();
    await polling.loadNow();
  }

  async function openInBrowser(row: CallRow | undefined): Promise<void> {
    try {
      const deprecation = row?.deprecation;
      const isOfAll = settings.source()?.isOfAll === true;
      const query = isOfAll ? `?release=${release()}&all=1` : `?release=${release()}`;
      const page = deprecation === undefined ? `${PAGE}${query}` : `${PAGE}/${encodeURIComponent(deprecation)}`;
      await settings.openPage(page, isOfAll);
    } catch (error) {
      void vscode.window.showErrorMessage(messageOf(error));
    }
  }

  async function copyReplacement(row: CallRow | undefined): Promise<void> {
    const text = (row ?? view.selection[0])?.replacement;
    if (text !== undefined) await vscode.env.clipboard.writeText(text);
  }

  list.onDidChange(paint);
  update();
  paint();
  settings.view.provide(tree);
  const subscriptions = [
    connection.onDidChange(update),
    connection.onDidChange(paint),
    emulation.onDidChange(() => {
      update();
      // The icons depend on the emulated release.
      tree.changed();
      if (view.visible) void polling.loadNow();
    }),
    polling,
    tree,
  ];
  return {
    refresh: polling.reload,
    selectRelease,
    openInBrowser,
    copyReplacement,
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function itemOf(row: CallRow): vscode.TreeItem {
  const { Expanded, None } = vscode.TreeItemCollapsibleState;
  return treeItemOf(row, `deprecation.${row.kind}`, row.rows.length > 0 ? Expanded : None);
}
