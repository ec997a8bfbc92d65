// The minimal extension with one view and one command: the control of the activation benchmark.
const vscode = require('vscode');

exports.activate = (context) => {
  const rows = { getTreeItem: (row) => row, getChildren: () => [new vscode.TreeItem('Control')] };
  const prefix = context.extension.packageJSON.name;
  context.subscriptions.push(
    vscode.window.createTreeView(`${prefix}.view`, { treeDataProvider: rows }),
    vscode.commands.registerCommand(`${prefix}.command`, () => {}),
  );
};
