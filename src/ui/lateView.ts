import * as vscode from 'vscode';

/** View that is registered at activation and whose tree is created when its rows are first requested. */
export interface LateView<Row> extends vscode.Disposable {
  readonly view: vscode.TreeView<Row>;
  /** Sets the tree of the view. Must be called once, before `load` resolves. */
  readonly provide: (tree: vscode.TreeDataProvider<Row>) => void;
}

/** Creates the view. `load` is called when rows are requested without a tree; if it sets none, the view is empty. It must not reject. */
export function createLateView<Row>(
  id: string,
  load: () => Promise<unknown>,
  options: Pick<vscode.TreeViewOptions<Row>, 'manageCheckboxStateManually' | 'canSelectMany'> = {},
): LateView<Row> {
  const changes = new vscode.EventEmitter<Row | Row[] | undefined | null | void>();
  let tree: vscode.TreeDataProvider<Row> | undefined;

  async function loadChildren(row: Row | undefined): Promise<Row[]> {
    await load();
    return (await tree?.getChildren(row)) ?? [];
  }

  const view = vscode.window.createTreeView<Row>(id, {
    ...options,
    showCollapseAll: true,
    treeDataProvider: {
      onDidChangeTreeData: changes.event,
      getChildren: (row) => (tree === undefined ? loadChildren(row) : tree.getChildren(row)),
      getParent: (row) => tree?.getParent?.(row),
      // Rows exist only after the tree is set.
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
