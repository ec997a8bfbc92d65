import assert from 'node:assert/strict';
import net from 'node:net';
import * as vscode from 'vscode';
import { commands, settings, views } from '../../../src/ids.ts';
import { start } from '../../support/host/suite/extension.ts';
import { listen } from '../../support/host/suite/listen.ts';
import { selectInstance } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';

describe('Signalbox activation', () => {
  before(async () => {
    await start({ hasRealViews: true });
    await vscode.commands.executeCommand(commands.logShow);
  });

  it('every contributed command is registered once the extension is used', async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    const missing = Object.values(commands).filter((id) => !registered.has(id));
    assert.deepEqual(missing, []);
  });

  it('the extension ignores row and document commands that are run without a row or document', async () => {
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
    try {
      await workbench.setSetting(settings.instances, [{ url }]);
      await selectInstance(new URL(url).host);
      // Requests a code and gets no response; deliberately not awaited.
      await workbench.run('Signalbox: Sign In');
      await workbench.choose('Sign in with a code');
      await connected.promise;
      for (const view of Object.values(views)) await vscode.commands.executeCommand(`${view}.focus`);
      await vscode.commands.executeCommand(commands.activityRefresh);
    } finally {
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});
