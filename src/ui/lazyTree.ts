import * as vscode from 'vscode';
import { sleep } from '../support/sleep.ts';
import { changedRows, type IdentifiedRow } from './changedRows.ts';

/** A tree whose rows come from a model. */
export interface Rows<Row> {
  readonly roots: () => readonly Row[];
  readonly children: (row: Row) => readonly Row[];
  /** The row as the editor shows it; its id is the same for the same thing at every refresh. */
  readonly item: (row: Row) => vscode.TreeItem;
  /** Waited for before the editor is given the top rows; undefined when there is nothing to wait for. Must not reject. */
  readonly ready?: () => Promise<void> | undefined;
  /** Fills in what only a hover needs. */
  readonly hover: (row: Row, item: vscode.TreeItem) => Promise<vscode.TreeItem>;
}

export interface LazyTree<Row> extends vscode.TreeDataProvider<Row>, vscode.Disposable {
  /** The model has changed. What differs is painted at once, but at most so often; expansion and selection stay. */
  readonly changed: () => void;
  /** Resolves when the editor has had time to paint the rows below a top row, or after a moment in which it asks for none. */
  readonly painted: () => Promise<void>;
  /** The row with this id, of the two upper levels, and the one above it. */
  readonly find: (id: string) => { readonly row: Row; readonly parent: Row | undefined } | undefined;
}

/** Milliseconds between two repaints; faster ones make rows jump under the pointer and lose clicks. */
const PAUSE = 250;

/** Milliseconds that `painted` waits to be asked for rows: they may be closed, or the view hidden. */
const ASK_LIMIT = 300;

/** Milliseconds in which the editor paints the rows that it was given. A change that comes earlier is worked in before anything is painted. */
const PAINT_TIME = 100;

export function createLazyTree<Row extends IdentifiedRow>(rows: Rows<Row>): LazyTree<Row> {
  const changes = new vscode.EventEmitter<Row[] | undefined>();
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  let askedBelow = Promise.withResolvers<void>();
  /** The top rows as the editor has them, which knows them by identity, and as they are now. */
  let given: readonly Row[] = [];
  let current: ReadonlyMap<string, Row> = new Map();
  /** Requests of the editor for the top rows that are being waited for; they get the rows as they are then. */
  let asking = 0;

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
    if (asking > 0) return false;
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

  function roots(): Row[] {
    given = rows.roots();
    current = new Map(given.map((root) => [root.id, root]));
    return [...given];
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
        askedBelow.resolve();
        return [...rows.children(now(row))];
      }
      const waiting = rows.ready?.();
      if (waiting === undefined) return roots();
      asking += 1;
      return waiting.then(() => {
        asking -= 1;
        return roots();
      });
    },
    getTreeItem: (row) => rows.item(now(row)),
    resolveTreeItem: (item, row) => rows.hover(row, item),
    changed,
    painted: async () => {
      askedBelow = Promise.withResolvers<void>();
      const limit = new AbortController();
      await Promise.race([askedBelow.promise, sleep(ASK_LIMIT, limit.signal)]);
      limit.abort();
      await sleep(PAINT_TIME);
    },
    dispose: () => {
      clearTimeout(timer);
      changes.dispose();
    },
  };
}
