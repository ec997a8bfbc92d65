import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createUris } from '../../../src/ui/uris.ts';

function createSetup() {
  const heard: string[] = [];
  const uris = createUris(() => void heard.push('unknown'));
  const note =
    (name: string) =>
    async ({ path, query }: { readonly path: string; readonly query: string }): Promise<void> => {
      heard.push(`${name} ${path}?${query}`);
    };
  return { uris, heard, note };
}

describe('URIs of the extension', () => {
  it('are routed by their first path segment', async () => {
    const { uris, heard, note } = createSetup();
    uris.register('event', note('links'));
    uris.register('oauth', note('sign-in'));
    await uris.handleUri({ path: '/oauth/callback', query: 'code=a' });
    await uris.handleUri({ path: '/event/12', query: 'instance=x' });
    await uris.handleUri({ path: '/event', query: '' });
    assert.deepEqual(heard, ['sign-in /oauth/callback?code=a', 'links /event/12?instance=x', 'links /event?']);
  });

  for (const path of ['', '/', '/events/12', '/Event/12', 'event/12', '//event/12', '/constructor']) {
    it(`are unknown without a handler: “${path}”`, async () => {
      const { uris, heard, note } = createSetup();
      uris.register('event', note('links'));
      await uris.handleUri({ path, query: '' });
      assert.deepEqual(heard, ['unknown']);
    });
  }

  it('have one handler at a time, which can be replaced after it is disposed', async () => {
    const { uris, heard, note } = createSetup();
    const first = uris.register('event', note('first'));
    assert.throws(() => uris.register('event', note('second')), /already have a handler/);
    first.dispose();
    uris.register('event', note('second'));
    await uris.handleUri({ path: '/event/1', query: '' });
    assert.deepEqual(heard, ['second /event/1?']);
  });
});
