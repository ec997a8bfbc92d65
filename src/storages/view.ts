import * as vscode from 'vscode';
import { accountOf } from '../instances/accountKey.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Client } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import { isJsonObject } from '../contract/json.ts';
import { isRunning } from '../contract/storageMoves.ts';
import { contextKeys, settings as settingIds, views } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { type Log, messageOf } from '../support/log.ts';
import { settingOf } from '../support/settings.ts';
import { endOf, shownAccountKey } from '../instances/currentAccount.ts';
import type { LateView } from '../ui/lateView.ts';
import { createLazyTree } from '../ui/lazyTree.ts';
import { treeItemOf } from '../ui/treeItem.ts';
import { createViewPolling, sourceUpdate } from '../ui/viewPolling.ts';
import { problemOf, setViewTexts } from '../ui/viewTexts.ts';
import { createStorageList, type StorageSource } from './model.ts';
import { createMoveList, findsStorages, type LocalStorages, loadStorages, type Storage } from './requests.ts';
import { type StorageRow, storageRows } from './rows.ts';

export interface StoragesSettings {
  readonly view: LateView<StorageRow>;
  readonly connection: Connection;
  /** Returns what the local server with this instance key reports of its storages. */
  readonly local: (instance: string) => ReturnType<LocalStorages>;
  readonly log: Log;
}

export interface Storages extends vscode.Disposable {
  /** Returns the storages for the account of a row, else for the current one; undefined while nobody is signed in. */
  readonly of: (row: StorageRow | undefined) => StoragesOfAccount | undefined;
  readonly selected: () => StorageRow | undefined;
  readonly refresh: () => Promise<void>;
  /** Loads the view as often as while repositories are moving until `act` has ended: an instance may create moves later than it responds. */
  readonly whileMoving: <T>(act: () => Promise<T>) => Promise<T>;
}

/** Storages of the instance of an account, which stays the same until a command has ended. */
export interface StoragesOfAccount extends Pick<Storages, 'refresh' | 'whileMoving'> {
  readonly account: BoundAccount;
  readonly client: Client;
  /** Returns what only a local server reports of its storages. */
  readonly local: LocalStorages;
  /** Returns the storages, as last loaded if the view shows them. */
  readonly storages: () => Promise<readonly Storage[]>;
}

/** Milliseconds between two requests while repositories are moving, and otherwise. */
const INTERVAL_MOVING = 3_000;
const INTERVAL = 60_000;

/** Creates the Storages view. It has rows while the user administers the current instance. */
export function createStorages({ view: late, connection, local: localServer, log }: StoragesSettings): Storages {
  const list = createStorageList();
  const tree = createLazyTree<StorageRow>({
    roots: () => storageRows(list.state(), list.source()?.key ?? '', vscode.env.language),
    children: (row) => (row.kind === 'storage' ? row.rows : []),
    item: itemOf,
    hover: async (_, item) => item,
  });
  const { view } = late;
  /** Number of running calls of `whileMoving`. */
  let acts = 0;
  const hasMoves = (): boolean => {
    const state = list.state();
    return acts > 0 || (state.kind === 'ready' && state.moves.some(isRunning));
  };
  const polling = createViewPolling({
    view,
    connection,
    isWatched: () => view.visible && list.source() !== undefined,
    // Manual refresh (interval 0) also applies to this view.
    interval: () => (settingOf(settingIds.activityPollSeconds) === 0 ? 0 : hasMoves() ? INTERVAL_MOVING : INTERVAL),
    load: async () => ({ ok: await list.refresh(), retryAfter: undefined }),
  });

  const localOf = (account: BoundAccount): LocalStorages => {
    return async () => (account.isOnLocalServer() ? localServer(account.instance) : new Map());
  };

  function source(): StorageSource | undefined {
    const key = shownAccountKey(connection.state());
    if (key === undefined) return undefined;
    const account = connection.bound(key);
    return { key, storages: async () => loadStorages(account.client(), localOf(account)), moves: createMoveList(account.client) };
  }

  async function storagesOf(account: BoundAccount): Promise<readonly Storage[]> {
    if (list.source()?.key !== account.key) return loadStorages(account.client(), localOf(account));
    if (list.state().kind !== 'ready') await polling.loadNow();
    const state = list.state();
    if (state.kind === 'failed') throw state.problem;
    return state.kind === 'ready' ? state.storages : [];
  }

  async function whileMoving<T>(act: () => Promise<T>): Promise<T> {
    acts += 1;
    try {
      return await act();
    } finally {
      acts -= 1;
    }
  }

  const update = sourceUpdate(list, polling, source);

  function paint(): void {
    const state = list.state();
    tree.changed();
    if ('problem' in state && state.problem !== undefined) log.warn(`${views.storages}: ${messageOf(state.problem)}`);
    setViewTexts(view, { message: problemOf(list, endOf(connection.state())) });
  }

  list.onDidChange(paint);
  update();
  late.provide(tree);
  const subscriptions = [connection.onDidChange(update), connection.onDidChange(paint), polling, tree];
  return {
    of: (row) => {
      const key = accountOf(row?.id);
      const account = key === undefined ? connection.current() : connection.bound(key);
      if (account === undefined) return undefined;
      return {
        ...{ account, client: account.client(), local: localOf(account), refresh: polling.reload, whileMoving },
        storages: () => storagesOf(account),
      };
    },
    selected: () => view.selection[0],
    refresh: polling.reload,
    whileMoving,
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/**
 * Shows the view and its commands to administrators of several storages or with moves. Each sign-in is checked once, but again while there
 * is only one storage.
 */
export function followAdministrator(connection: Connection, memory: vscode.Memento, log: Log): vscode.Disposable {
  const key = 'storages.administrator';
  let round = 0;

  async function isAdministrator(): Promise<boolean> {
    const state = connection.state();
    const stored: unknown = memory.get(key);
    const known = isJsonObject(stored) ? stored : {};
    const account = shownAccountKey(state);
    // The rows of an account whose session the instance has ended stay.
    if (state.kind !== 'signedIn') return account !== undefined && known.account === account && known.isShown === true;
    const client = connection.client();
    if (client === undefined) return false;
    if (known.session === state.sessionId) return known.isShown === true;
    const found = await findsStorages(client);
    const isShown = found === 'yes';
    if (found !== 'oneStorage') await memory.update(key, { account, session: state.sessionId, isShown });
    return isShown;
  }

  async function follow(): Promise<void> {
    round += 1;
    const mine = round;
    let isShown = false;
    try {
      isShown = await isAdministrator();
    } catch (error) {
      if (failureOfError(error) === undefined) throw error;
      log.debug(`It is unknown whether this account administers storages: ${messageOf(error)}`);
    }
    if (mine === round) void vscode.commands.executeCommand('setContext', contextKeys.storagesAreShown, isShown);
  }

  void follow();
  return connection.onDidChange(() => void follow());
}

function itemOf(row: StorageRow): vscode.TreeItem {
  const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
  const isBusy = row.kind === 'storage' && row.rows.some(({ kind }) => kind === 'move');
  return treeItemOf(row, contextOf(row), row.kind !== 'storage' ? None : isBusy ? Expanded : Collapsed);
}

/** Returns the context value, used in the `when` clauses of menus. */
function contextOf(row: StorageRow): string {
  switch (row.kind) {
    case 'storage':
      return row.hasFailures ? 'storage.withFailures' : 'storage.withoutFailures';
    case 'move':
      return row.hasFailed ? 'storageMove.failed' : 'storageMove.other';
    case 'message':
      return 'message';
  }
}
