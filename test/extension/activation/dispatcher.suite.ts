import assert from 'node:assert/strict';
import http from 'node:http';
import { settings } from '../../../src/ids.ts';
import { start } from '../../support/host/suite/extension.ts';
import { listen } from '../../support/host/suite/listen.ts';
import { selectInstance } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const DISPATCHER = Symbol.for('undici.globalDispatcher.1');
/** Left by the extension in test/support/host/recorder/, which VS Code activates before all others. */
const RECORDED = Symbol.for('signalbox.test.recorded');

describe('fetch of the extension host', () => {
  let first: unknown;

  before(async () => {
    const recorded: unknown = Reflect.get(globalThis, RECORDED);
    assert.ok(
      typeof recorded === 'object' && recorded !== null,
      'test/support/host/recorder must be loaded together with the extension',
    );
    assert.equal(Reflect.get(recorded, 'wasActive'), false, 'the extension was active before the recorder');
    first = Reflect.get(recorded, 'dispatcher');
    assert.notEqual(first, undefined);
    await start();
  });

  it('fetch of the extension host keeps its global dispatcher when the extension is activated', async () => {
    await workbench.run('Signalbox: Copy Diagnostics');
    await until(workbench.clipboard, (text) => text !== '', 'diagnostics');
    assert.equal(dispatcher(), first);
  });

  it('fetch of the extension host keeps its global dispatcher when the extension calls an API', async () => {
    const asked = Promise.withResolvers<string>();
    const server = http.createServer((request, response) => {
      response.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"temporarily_unavailable"}');
      response.once('close', () => asked.resolve(request.url ?? ''));
    });
    const url = await listen(server);
    try {
      await workbench.setSetting(settings.instances, [{ url }]);
      await selectInstance(new URL(url).host);
      await workbench.run('Signalbox: Sign In');
      await workbench.choose('Sign in with a code');
      assert.equal(await asked.promise, '/oauth/authorize_device');
      assert.equal(dispatcher(), first);
    } finally {
      server.close();
    }
  });
});

function dispatcher(): unknown {
  return Reflect.get(globalThis, DISPATCHER);
}
