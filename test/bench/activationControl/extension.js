// The least that an extension with a view and a command does when it is activated: the control of the activation bench.
const vscode = require('vscode');

exports.activate = (context) => {
  const rows = { getTreeItem: (row) => row, getChildren: () => [new vscode.TreeItem('Control')] };
  const prefix = context.extension.packageJSON.name;
  context.subscriptions.push(
    vscode.window.createTreeView(`${prefix}.view`, { treeDataProvider: rows }),
    vscode.commands.registerCommand(`${prefix}.command`, () => {}),
  );
};
