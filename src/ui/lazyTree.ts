import * as vscode from 'vscode';
import { sleep } from '../support/sleep.ts';
import { changedRows, type IdentifiedRow } from './changedRows.ts';

/** A tree whose rows come from a model. */
export interface Rows<Row> {
  readonly roots: () => readonly Row[];
  readonly children: (row: Row) => readonly Row[];
  /** The row as the editor shows it; its id is the same for the same thing at every refresh. */
  readonly item: (row: Row) => vscode.TreeItem;
  /** Fills in what only a hover needs. */
  readonly hover: (row: Row, item: vscode.TreeItem) => Promise<vscode.TreeItem>;
}

export interface LazyTree<Row> extends vscode.TreeDataProvider<Row>, vscode.Disposable {
  /** The model has changed. What differs is painted at once, but at most so often; expansion and selection stay. */
  readonly changed: () => void;
  /** Resolves when the editor has been given the rows below a top row, which it paints at once, or after a moment in which it asks for none. */
  readonly painted: () => Promise<void>;
  /** The row with this id, of the two upper levels, and the one above it. */
  readonly find: (id: string) => { readonly row: Row; readonly parent: Row | undefined } | undefined;
}

/** Milliseconds between two repaints; faster ones make rows jump under the pointer and lose clicks. */
const PAUSE = 250;

/** Milliseconds that `painted` waits at most: the rows may be closed, or the view hidden. */
const PAINT_LIMIT = 300;

export function createLazyTree<Row extends IdentifiedRow>(rows: Rows<Row>): LazyTree<Row> {
  const changes = new vscode.EventEmitter<Row[] | undefined>();
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let askedBelow = Promise.withResolvers<void>();
  /** The top rows as the editor has them, which knows them by identity, and as they are now. */
  let given: readonly Row[] = [];
  let current: ReadonlyMap<string, Row> = new Map();

  function changed(): void {
    if (timer !== undefined) {
      isWaiting = true;
      return;
    }
    isWaiting = false;
    // A change that shows nothing new does not keep the next one waiting.
    if (!repaint()) return;
    timer = setTimeout(() => {
      timer = undefined;
      if (isWaiting) changed();
    }, PAUSE);
  }

  /** Tells the editor what differs, and answers whether anything does. */
  function repaint(): boolean {
    const next = rows.roots();
    const differing = changedRows(
      given.map((row) => now(row)),
      next,
    );
    current = new Map(next.map((row) => [row.id, row]));
    if (differing === 'all') changes.fire(undefined);
    else if (differing.length > 0) {
      const ids = new Set(differing.map(({ id }) => id));
      changes.fire(given.filter(({ id }) => ids.has(id)));
    }
    return differing === 'all' || differing.length > 0;
  }

  function now(row: Row): Row {
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
        // The reply leaves with this turn of the event loop.
        setImmediate(askedBelow.resolve);
        return [...rows.children(now(row))];
      }
      given = rows.roots();
      current = new Map(given.map((root) => [root.id, root]));
      return [...given];
    },
    getTreeItem: (row) => rows.item(now(row)),
    resolveTreeItem: (item, row) => rows.hover(row, item),
    changed,
    painted: async () => {
      askedBelow = Promise.withResolvers<void>();
      const limit = new AbortController();
      await Promise.race([askedBelow.promise, sleep(PAINT_LIMIT, limit.signal)]);
      limit.abort();
    },
    dispose: () => {
      clearTimeout(timer);
      changes.dispose();
    },
  };
}
