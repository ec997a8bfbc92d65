import * as vscode from 'vscode';

/** A view that stands in the window from the start, and whose rows come from a tree that is made when somebody first looks. */
export interface LateView<Row> extends vscode.Disposable {
  readonly view: vscode.TreeView<Row>;
  /** Gives the view its tree; to be called once, at the latest when `load` resolves. */
  readonly provide: (tree: vscode.TreeDataProvider<Row>) => void;
}

/** `load` is called when rows are first asked for; without a tree after it, the view stays empty. It must not reject. */
export function createLateView<Row>(id: string, load: () => Promise<unknown>): LateView<Row> {
  const changes = new vscode.EventEmitter<Row | Row[] | undefined | null | void>();
  let tree: vscode.TreeDataProvider<Row> | undefined;

  async function loadChildren(row: Row | undefined): Promise<Row[]> {
    await load();
    return (await tree?.getChildren(row)) ?? [];
  }

  const view = vscode.window.createTreeView<Row>(id, {
    showCollapseAll: true,
    treeDataProvider: {
      onDidChangeTreeData: changes.event,
      getChildren: (row) => (tree === undefined ? loadChildren(row) : tree.getChildren(row)),
      getParent: (row) => tree?.getParent?.(row),
      // There is no row before there is a tree.
      getTreeItem: (row) => tree?.getTreeItem(row) ?? new vscode.TreeItem(''),
      resolveTreeItem: (item, row, token) => tree?.resolveTreeItem?.(item, row, token) ?? item,
    },
  });
  return {
    view,
    provide: (provided) => {
      tree = provided;
      provided.onDidChangeTreeData?.((changed) => changes.fire(changed));
    },
    dispose: () => {
      view.dispose();
      changes.dispose();
    },
  };
}
