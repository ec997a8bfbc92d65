import * as vscode from 'vscode';

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
  /** The model has changed. Painted at once, but at most so often. */
  readonly changed: () => void;
}

/** Milliseconds between two repaints; faster ones make rows jump under the pointer and lose clicks. */
const PAUSE = 250;

export function createLazyTree<Row>(rows: Rows<Row>): LazyTree<Row> {
  const changes = new vscode.EventEmitter<void>();
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;

  function changed(): void {
    if (timer !== undefined) {
      isWaiting = true;
      return;
    }
    timer = setTimeout(() => {
      timer = undefined;
      if (isWaiting) changed();
    }, PAUSE);
    isWaiting = false;
    changes.fire();
  }

  return {
    onDidChangeTreeData: changes.event,
    getChildren: (row) => [...(row === undefined ? rows.roots() : rows.children(row))],
    getTreeItem: rows.item,
    resolveTreeItem: (item, row) => rows.hover(row, item),
    changed,
    dispose: () => {
      clearTimeout(timer);
      changes.dispose();
    },
  };
}
