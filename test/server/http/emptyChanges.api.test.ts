import assert from 'node:assert/strict';
import { routeDefinitions } from '../../../server/app.ts';
import { endPlatform } from '../../../server/createPlatform.ts';
import { isAvailable } from '../../../server/core/profile.ts';
import { metadataOf } from '../../../server/http/params.ts';
import type { Route } from '../../../server/http/route.ts';
import { type Example, examples, type Fixture, makeFixture } from '../../support/examples.ts';
import { createTestPlatform, startTestServer, type TestServer } from '../../support/server.ts';
import { emptyStorage } from '../../support/examples/storageMoves.ts';

/** Routes whose requests may have no parameter, with the reasons. */
const mayBeEmpty: Readonly<Record<string, string>> = {
  '/api/v4/notification_settings': 'all parameters are optional, and every request that succeeds is 200',
  '/api/v4/groups/:id/notification_settings': 'as those of the account',
  '/api/v4/projects/:id/notification_settings': 'as those of the account',
  '/api/v4/user/status': 'what is not sent is cleared',
  '/api/v4/projects/:id/labels/:label_id/promote': 'it has no parameters',
  '/api/v4/projects/:id/merge_requests/:merge_request_iid/merge': 'it merges; parameters say how',
  '/api/v4/projects/:id/repository/branches/:branch/protect': 'it protects; parameters say for whom',
  '/api/v4/projects/:id/repository/branches/:branch/unprotect': 'it has no parameters',
};

const reader = createTestPlatform();
const changes = routeDefinitions(reader).filter(
  (route) =>
    route.area === 'api' &&
    route.method === 'PUT' &&
    isAvailable(route, reader.profile) &&
    // Another test covers required parameters.
    requiredOf(route).length === 0,
);
endPlatform(reader);

/** Returns the names of the required parameters besides those of the path. */
function requiredOf({ path, schema }: Route): readonly string[] {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
  return Object.entries(schema?.().shape ?? {})
    .filter(([name, parameter]) => !inPath.includes(name) && metadataOf(parameter)?.required === true)
    .map(([name]) => name);
}

describe('changes without a known parameter', () => {
  let server: TestServer;
  let fixture: Fixture;
  before(async () => {
    server = await startTestServer({ storages: emptyStorage });
    fixture = makeFixture(server);
  });
  after(() => server.close());

  for (const route of changes) {
    it(`PUT ${route.path} ${route.path in mayBeEmpty ? 'may be empty' : 'names what is missing'}`, async () => {
      const { path = {}, token }: Example = (await examples[`PUT ${route.path}`]?.(fixture)) ?? {};
      const address = route.path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
      const response = await server.request('PUT', address, {
        ...(token === undefined ? {} : { token }),
        json: { unknown: 1 },
      });
      if (route.path in mayBeEmpty) {
        assert.equal(response.status, 200, response.text);
        return;
      }
      assert.equal(response.status, 400, response.text);
      const { error } = response.json() as { error?: string };
      // The real platform does not name the parameters of releases.
      if (route.path.includes('/releases/') && error === undefined) {
        assert.deepEqual(response.json(), { message: 'params is empty' });
        return;
      }
      const names = Object.keys(route.schema?.().shape ?? {});
      const [, missing = ''] =
        /^(.+?) (?:are|is) missing(?:, (?:at least|exactly) one parameter must be provided)?$/.exec(error ?? '') ?? [];
      assert.ok(
        missing.split(', ').every((name) => names.includes(name)),
        error,
      );
    });
  }
});
