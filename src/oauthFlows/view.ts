import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { contextKeys, settings as settingIds, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { LoadLocalControl } from '../local/control.ts';
import type { Supervisor } from '../local/supervisor.ts';
import { type Log, messageOf } from '../support/log.ts';
import { settingOf } from '../support/settings.ts';
import type { LateView } from '../ui/lateView.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import type { Pages } from '../ui/openPage.ts';
import { treeItemOf } from '../ui/treeItem.ts';
import { createViewPolling, sourceUpdate } from '../ui/viewPolling.ts';
import { problemOf, setViewTexts } from '../ui/viewTexts.ts';
import { createFlowList, type FlowSource } from './model.ts';
import { type FlowRow, flowRows } from './rows.ts';
import { textOfFlow } from './text.ts';

export interface OAuthFlowsSettings {
  readonly view: LateView<FlowRow>;
  readonly connection: Connection;
  readonly supervisor: Supervisor;
  readonly control: LoadLocalControl;
  readonly pages: Pages;
  readonly log: Log;
}

/** Milliseconds between two requests; short, so that the steps of a client under test appear quickly. */
const INTERVAL = 3_000;

/** Path of the page with the list; the page of a flow is below it. */
const PAGE = '/_local/oauth';

export interface OAuthFlows extends vscode.Disposable {
  readonly refresh: () => Promise<void>;
  /** Opens the page of a flow, or of the list. */
  readonly openInBrowser: (row: FlowRow | undefined) => Promise<void>;
  readonly copy: (row: FlowRow | undefined) => Promise<void>;
}

/** Creates the OAuth flows view. It has rows while the current instance is a running or connected local server. */
export function createOAuthFlows(settings: OAuthFlowsSettings): OAuthFlows {
  const { connection, supervisor, control, pages, log } = settings;
  const list = createFlowList();
  const tree = createLazyTree<FlowRow>({
    roots: () => flowRows(list.state(), vscode.env.language),
    children: (row) => {
      // Steps are loaded when the row is expanded, also when VS Code restores it after a reload.
      if (row.kind === 'flow') list.open(row.flowId);
      return row.rows;
    },
    item: itemOf,
    hover: async (_, item) => item,
  });
  const { view } = settings.view;
  const polling = createViewPolling({
    view,
    connection,
    isWatched: () => view.visible && source() !== undefined,
    // Manual refresh (interval 0) also applies to this view.
    interval: () => (settingOf(settingIds.activityPollSeconds) === 0 ? 0 : INTERVAL),
    load: async () => ({ ok: await list.refresh(), retryAfter: undefined }),
  });

  function source(): FlowSource | undefined {
    const { instance } = connection.state();
    const state = supervisor.state();
    const own = instance.kind === 'local' && 'origin' in state ? `${state.origin} ${state.instanceId}` : undefined;
    const key = instance.isConnected === true ? instance.key : own;
    if (key === undefined) return undefined;
    return {
      key,
      flows: async () => (await control())?.flows() ?? [],
      flow: async (id) => (await control())?.flow(id),
    };
  }

  const update = sourceUpdate(list, polling, source);

  function paint(): void {
    const state = list.state();
    tree.changed();
    if ('problem' in state && state.problem !== undefined) log.warn(`${views.oauthFlows}: ${messageOf(state.problem)}`);
    setViewTexts(view, { message: problemOf(list) });
    const isEmpty = state.kind === 'ready' && state.flows.length === 0;
    void vscode.commands.executeCommand('setContext', contextKeys.oauthFlowsState, isEmpty ? 'empty' : state.kind);
  }

  async function openInBrowser(row: FlowRow | undefined): Promise<void> {
    try {
      await pages.openAsAdministrator(row === undefined ? PAGE : `${PAGE}/${row.flowId}`);
    } catch (error) {
      void vscode.window.showErrorMessage(messageOf(error));
    }
  }

  async function copy(row: FlowRow | undefined): Promise<void> {
    const target = row ?? view.selection[0];
    if (target === undefined) return;
    try {
      const flow = await list.flow(target.flowId);
      if (flow !== undefined) await vscode.env.clipboard.writeText(textOfFlow(flow));
      else void vscode.window.showInformationMessage(l10n.t('This flow is no longer stored on the local server.'));
    } catch (error) {
      void vscode.window.showErrorMessage(messageOf(error));
    }
  }

  list.onDidChange(paint);
  update();
  settings.view.provide(tree);
  const subscriptions = [connection.onDidChange(update), supervisor.onDidChange(update), polling, tree];
  return {
    refresh: polling.reload,
    openInBrowser,
    copy,
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function itemOf(row: FlowRow): vscode.TreeItem {
  const { Collapsed, None } = vscode.TreeItemCollapsibleState;
  return treeItemOf(row, row.kind === 'flow' ? 'oauthFlow' : 'oauthFlowStep', row.kind === 'flow' ? Collapsed : None);
}
