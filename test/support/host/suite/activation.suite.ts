import assert from 'node:assert/strict';
import net from 'node:net';
import * as vscode from 'vscode';
import { commands, settings, views } from '../../../../src/ids.ts';
import { startSignIn, extension, listen, selectFirstConfigured, writeInstances } from './extension.ts';

describe('Signalbox activation', () => {
  it('the activation completes', async () => {
    await extension().activate();
    assert.equal(extension().isActive, true);
  });

  it('every contributed command is registered once the extension is used', async () => {
    await extension().activate();
    await vscode.commands.executeCommand(commands.logShow);
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = Object.values(commands).filter((id) => !registered.has(id));
    assert.deepEqual(missing, []);
  });

  it('the extension ignores row and document commands that are run without a row or document', async () => {
    await extension().activate();
    for (const id of [
      commands.activityLoadMore,
      commands.activityOpen,
      commands.activityOpenInBrowser,
      commands.activityCopyLink,
      commands.activityCopyDeepLink,
      commands.activityFilterLikeThis,
      commands.activityRefreshDocument,
    ])
      await vscode.commands.executeCommand(id);
  });

  it('the activation completes and opens every view while the instance accepts connections but never responds', async () => {
    const connected = Promise.withResolvers<void>();
    const sockets = new Set<net.Socket>();
    const silent = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => connected.resolve());
    });
    const url = await listen(silent);
    const before: unknown = vscode.workspace.getConfiguration().inspect(settings.instances)?.globalValue;
    try {
      await writeInstances([{ url }]);
      await extension().activate();
      await selectFirstConfigured();
      // Requests a code and gets no response; deliberately not awaited.
      await startSignIn();
      await connected.promise;
      for (const view of Object.values(views)) await vscode.commands.executeCommand(`${view}.focus`);
      await vscode.commands.executeCommand(commands.activityRefresh);
    } finally {
      await vscode.workspace.getConfiguration().update(settings.instances, before, vscode.ConfigurationTarget.Global);
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});
