import assert from 'node:assert/strict';
import http from 'node:http';
import * as vscode from 'vscode';
import { settings } from '../../../../src/ids.ts';
import { startSignIn, extension, listen, selectFirstConfigured, writeInstances } from './extension.ts';

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
/** Left by the extension in ../recorder/, which VS Code activates before all others. */
const RECORDED = Symbol.for('signalbox.test.recorded');

describe('fetch of the extension host', () => {
  let first: unknown;

  before(() => {
    const recorded: unknown = Reflect.get(globalThis, RECORDED);
    assert.ok(
      typeof recorded === 'object' && recorded !== null,
      'test/support/host/recorder must be loaded together with the extension',
    );
    assert.equal(Reflect.get(recorded, 'wasActive'), false, 'the extension was active before the recorder');
    first = Reflect.get(recorded, 'dispatcher');
    assert.notEqual(first, undefined);
  });

  it('fetch of the extension host keeps its global dispatcher when the extension is activated', async () => {
    await extension().activate();
    assert.equal(dispatcher(), first);
  });

  it('fetch of the extension host keeps its global dispatcher when the extension calls an API', async () => {
    const asked = Promise.withResolvers<string>();
    const server = http.createServer((request, response) => {
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"temporarily_unavailable"}');
      response.once('close', () => asked.resolve(request.url ?? ''));
    });
    const url = await listen(server);
    const before: unknown = vscode.workspace.getConfiguration().inspect(settings.instances)?.globalValue;
    try {
      await writeInstances([{ url }]);
      await extension().activate();
      await selectFirstConfigured();
      await startSignIn();
      assert.equal(await asked.promise, '/oauth/authorize_device');
      assert.equal(dispatcher(), first);
    } finally {
      await vscode.workspace.getConfiguration().update(settings.instances, before, vscode.ConfigurationTarget.Global);
      server.close();
    }
  });
});

function dispatcher(): unknown {
  return Reflect.get(globalThis, DISPATCHER);
}
