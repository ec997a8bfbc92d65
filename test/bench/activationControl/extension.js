// The control of the activation benchmark: registers as many things of each kind as Signalbox does when a window opens, and nothing else.
const vscode = require('vscode');

exports.activate = (context) => {
  const { name, contributes } = context.extension.packageJSON;
  const { subscriptions } = context;
  for (const { id } of contributes.views.explorer) {
    const changes = new vscode.EventEmitter();
    const rows = { onDidChangeTreeData: changes.event, getTreeItem: (row) => row, getChildren: () => [] };
    subscriptions.push(vscode.window.createTreeView(id, { treeDataProvider: rows, showCollapseAll: true }));
  }
  const sessions = new vscode.EventEmitter();
  const provider = { onDidChangeSessions: sessions.event, getSessions: async () => [] };
  subscriptions.push(
    sessions,
    vscode.authentication.registerAuthenticationProvider(name, name, provider, { supportsMultipleAccounts: true }),
    vscode.window.registerWebviewPanelSerializer(name, { deserializeWebviewPanel: async () => {} }),
    vscode.window.registerUriHandler({ handleUri: () => {} }),
  );
  for (const { command } of contributes.commands) subscriptions.push(vscode.commands.registerCommand(command, () => {}));
};
