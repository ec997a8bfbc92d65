import * as vscode from 'vscode';
import { sleep } from '../support/sleep.ts';
import { changedRows, type IdentifiedRow } from './changedRows.ts';

/** Rows of a tree, taken from a model. */
export interface Rows<Row> {
  readonly roots: () => readonly Row[];
  readonly children: (row: Row) => readonly Row[];
  /** Returns the tree item of a row. Its id must stay the same across refreshes. */
  readonly item: (row: Row) => vscode.TreeItem;
  /** Awaited before the top-level rows are returned to VS Code; returns undefined if there is nothing to wait for. Must not reject. */
  readonly ready?: () => Promise<void> | undefined;
  /** Completes a tree item with its tooltip. */
  readonly hover: (row: Row, item: vscode.TreeItem) => Promise<vscode.TreeItem>;
}

export interface LazyTree<Row> extends vscode.TreeDataProvider<Row>, vscode.Disposable {
  /** Repaints the changed rows of the model, with a minimum interval; expansion and selection stay. */
  readonly changed: () => void;
  /** Resolves once VS Code has had time to paint child rows, or after a timeout if it does not request any. */
  readonly painted: () => Promise<void>;
  /** Finds a row by id in the two upper levels, with its parent. */
  readonly find: (id: string) => { readonly row: Row; readonly parent: Row | undefined } | undefined;
}

/** Minimum milliseconds between two repaints; faster ones move rows under the pointer and lose clicks. */
const MIN_INTERVAL = 250;

/** Maximum milliseconds that `painted` waits for a request: rows may be collapsed or the view hidden. */
const REQUEST_TIMEOUT = 300;

/** Milliseconds that VS Code needs to paint returned rows. It applies an earlier change before painting, which delays the rows. */
const PAINT_TIME = 100;

export function createLazyTree<Row extends IdentifiedRow>(rows: Rows<Row>): LazyTree<Row> {
  const changes = new vscode.EventEmitter<Row[] | undefined>();
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let childrenRequested = Promise.withResolvers<void>();
  /** Top-level rows as returned to VS Code, which compares them by identity. `current` has their latest versions. */
  let returned: readonly Row[] = [];
  let current: ReadonlyMap<string, Row> = new Map();
  /** Number of pending requests for the top-level rows; they will get the latest rows. */
  let pendingRequests = 0;

  function changed(): void {
    if (timer !== undefined) {
      isWaiting = true;
      return;
    }
    isWaiting = false;
    // A change without a visible effect does not delay the next one.
    if (!repaint()) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (isWaiting) changed();
    }, MIN_INTERVAL);
  }

  /** Notifies VS Code of the changed rows. Returns true if there are any. */
  function repaint(): boolean {
    if (pendingRequests > 0) return false;
    const next = rows.roots();
    const changedRoots = changedRows(
      returned.map((row) => latest(row)),
      next,
    );
    current = new Map(next.map((row) => [row.id, row]));
    if (changedRoots === 'all') changes.fire(undefined);
    else if (changedRoots.length > 0) {
      const ids = new Set(changedRoots.map(({ id }) => id));
      changes.fire(returned.filter(({ id }) => ids.has(id)));
    }
    return changedRoots === 'all' || changedRoots.length > 0;
  }

  function roots(): Row[] {
    returned = rows.roots();
    current = new Map(returned.map((root) => [root.id, root]));
    return [...returned];
  }

  function latest(row: Row): Row {
    return current.get(row.id) ?? row;
  }

  function find(id: string): { readonly row: Row; readonly parent: Row | undefined } | undefined {
    for (const root of rows.roots()) {
      if (root.id === id) return { row: root, parent: undefined };
      const row = rows.children(root).find((child) => child.id === id);
      if (row !== undefined) return { row, parent: root };
    }
    return undefined;
  }

  return {
    onDidChangeTreeData: changes.event,
    getParent: ({ id }) => find(id)?.parent,
    find,
    getChildren: (row) => {
      if (row !== undefined) {
        childrenRequested.resolve();
        return [...rows.children(latest(row))];
      }
      const waiting = rows.ready?.();
      if (waiting === undefined) return roots();
      pendingRequests += 1;
      return waiting.then(() => {
        pendingRequests -= 1;
        return roots();
      });
    },
    getTreeItem: (row) => rows.item(latest(row)),
    resolveTreeItem: (item, row) => rows.hover(row, item),
    changed,
    painted: async () => {
      childrenRequested = Promise.withResolvers<void>();
      const limit = new AbortController();
      await Promise.race([childrenRequested.promise, sleep(REQUEST_TIMEOUT, limit.signal)]);
      limit.abort();
      await sleep(PAINT_TIME);
    },
    dispose: () => {
      clearTimeout(timer);
      changes.dispose();
    },
  };
}
