import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { WireResponse } from '../../../src/api/transport.ts';
import { type Probe, probeInstance } from '../../../src/instances/probe.ts';
import { connectionFailure, json, networkWithRule } from '../../support/extension/fakes.ts';

const BASE = 'https://gitlab.example.com';
const page = (status: number, headers: Readonly<Record<string, string>> = {}): WireResponse => ({
  status,
  headers: new Map(Object.entries({ 'content-type': 'text/html', ...headers })),
  body: '<html></html>',
});
const missing = json(404, { error: '404 Not Found' });
const platform: Probe = { kind: 'platform', isSignalbox: false };
const doubtful = (status: number): Probe => ({
  kind: 'doubtful',
  text: `gitlab.example.com responded, but not as a GitLab-compatible instance does (status ${status})`,
});

describe('the probe of an address', () => {
  const table: readonly (readonly [
    what: string,
    version: WireResponse | Error,
    health: WireResponse | Error,
    expected: Probe,
  ])[] = [
    ['an instance that refuses strangers', json(401, { message: '401 Unauthorized' }), missing, platform],
    ['an instance that tells strangers its version', json(200, { version: '15.1.0' }), page(404), platform],
    ['an instance that limits requests', json(429, { message: 'Retry later' }), missing, platform],
    ['an instance in maintenance', json(503, { message: 'Maintenance' }), connectionFailure(), platform],
    ['an instance that only knows some addresses', json(403, { message: '403 Forbidden' }), page(302), platform],
    [
      'a Signalbox server',
      json(401, { message: '401 Unauthorized' }),
      json(200, { status: 'ok', instance_id: 'a', version: '0.1.0' }),
      { kind: 'platform', isSignalbox: true },
    ],
    ['another website', page(404), page(404), doubtful(404)],
    ['a website that shows the same page everywhere', page(200), page(200), doubtful(200)],
    ['another API', missing, missing, doubtful(404)],
    ['another API with its own version', json(200, { name: 'lamp' }), missing, doubtful(200)],
    ['a page for signing in to the network', page(302, { location: 'https://sso.example.com/?to=x' }), page(302), doubtful(302)],
    [
      'an instance that moved',
      page(301, { location: 'https://git.example.com/platform/api/v4/version' }),
      page(301),
      { kind: 'moved', url: 'https://git.example.com/platform' },
    ],
    ['an instance that redirects to itself', page(301, { location: '/api/v4/version' }), page(301), doubtful(301)],
  ];

  for (const [what, version, health, expected] of table) {
    it(`the probe of an address recognizes ${what}`, async () => {
      const network = networkWithRule(({ url }) => (url.endsWith('/version') ? version : health));
      assert.deepEqual(await probeInstance(BASE, network.send), expected);
      for (const { method, headers } of network.requests)
        assert.deepEqual([method, headers], ['GET', { accept: 'application/json' }]);
    });
  }

  it('the probe of an address says why it cannot be reached', async () => {
    const network = networkWithRule(() => connectionFailure('unreachable'));
    const probe = await probeInstance(BASE, network.send);
    assert.ok(probe.kind === 'doubtful');
    assert.notEqual(probe.text, '');
  });

  it('the probe of an address rejects with errors that are none of the network', async () => {
    await assert.rejects(
      probeInstance(BASE, async () => {
        throw new TypeError('a bug');
      }),
      TypeError,
    );
  });
});
