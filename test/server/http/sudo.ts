import assert from 'node:assert/strict';
import type { User } from '../../../server/core/caller.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { examples, type Fixture, makeFixture, sendExample } from '../../support/examples.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { availableRoutes } from './everyRoute.ts';

export function tokenOf({ platform }: TestServer, user: User, scopes: readonly string[]): string {
  return issuePersonalToken(platform, user, { name: 'sudo', scopes, expiresAt: null }).token;
}

/** Declares a test for each route of the REST API, or for `sample` routes that the seed determines. */
export function describeSudo({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('sudo on every route', () => {
    let server: TestServer;
    let fixture: Fixture;
    before(async () => {
      server = await startTestServer({ storages: emptyStorage });
      fixture = makeFixture(server);
    });
    after(() => server.close());

    const routes = availableRoutes().filter((route) => route.area === 'api');

    // The examples are meant for another user: root has created these resources, so root is subscribed to them and cannot approve them.
    const asRoot: Readonly<Record<string, number>> = {
      // It needs a job token, and those do not allow sudo.
      'GET /api/v4/job': 401,
      'POST /api/v4/projects/:id/issues/:issue_iid/subscribe': 304,
      'POST /api/v4/projects/:id/merge_requests/:merge_request_iid/subscribe': 304,
      'POST /api/v4/projects/:id/merge_requests/:merge_request_iid/approve': 401,
      'POST /api/v4/projects/:id/merge_requests/:merge_request_iid/unapprove': 404,
    };

    for (const route of sampleOf('sudo on every route', routes, sample)) {
      const name = `${route.method} ${route.path}`;
      it(`sudo works for ${name}`, async () => {
        const make = examples[name];
        assert.ok(make);
        const example = await make(fixture);
        const headers = { ...example.headers, Sudo: 'root' };
        const refused = await sendExample(server, route, { ...example, token: fixture.adaToken, headers });
        assert.equal(refused.status, 403, refused.text);
        assert.deepEqual(refused.json(), { message: '403 Forbidden - Must be admin to use sudo' });
        const response = await sendExample(server, route, {
          ...(await make(fixture)),
          token: tokenOf(server, fixture.root, ['api', 'sudo']),
          headers,
        });
        assert.equal(response.status, asRoot[name] ?? route.successStatus, response.text);
        assert.equal(server.platform.requestLog.list(1)[0]?.sudo, 'root');
      });
    }
  });
}
