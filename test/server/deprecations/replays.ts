import assert from 'node:assert/strict';
import { routeDefinitions } from '../../../server/app.ts';
import type { WhatIf } from '../../../server/features/deprecations/whatIf.ts';
import { examples, makeFixture, sendExample } from '../../support/examples.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer } from '../../support/server.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';

/** Declares a test that replays the example of every read, or of `sample` reads that the seed determines. */
export function describeReplays({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('replay of the reads of endpoints', () => {
    it('a replay in the emulated release shows no differences on any endpoint', async () => {
      await using server = await startTestServer({ storages: emptyStorage });
      const fixture = makeFixture(server);
      const replayed = routeDefinitions(server.platform).filter(
        ({ area, method, status }) => area === 'api' && method === 'GET' && status !== 'local',
      );
      const routes = sampleOf('replays of reads', replayed, sample);
      for (let start = 0; start < routes.length; start += 100) {
        for (const route of routes.slice(start, start + 100)) {
          const example = await examples[`GET ${route.path}`]?.(fixture);
          if (example !== undefined) await sendExample(server, route, example);
        }
        const address = `/api/v4/deprecations/what_if?release=${server.platform.profile.release}`;
        const { requests } = (await server.request('POST', address, { token: server.adminToken })).json() as WhatIf;
        assert.ok(requests.length > 10);
        for (const { request, status_before, status_after, differences } of requests)
          assert.deepEqual([request, status_before, status_after, differences], [request, 200, 200, []]);
      }
    });
  });
}
