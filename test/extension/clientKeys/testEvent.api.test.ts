import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { clientKeysOf } from '../../../server/features/clientKeys/clientKeys.ts';
import { createClient } from '../../../src/api/client.ts';
import { LANGUAGES } from '../../../src/clientKeys/languages.ts';
import { readKeyUse } from '../../../src/clientKeys/model.ts';
import { TEST_RELEASE, testRequest, testTitle } from '../../../src/clientKeys/testEvent.ts';
import { makeDsn } from '../../../src/contract/dsn.ts';
import { trackedProject } from '../../server/errorTracking/senders.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

describe('test errors', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  for (const language of LANGUAGES) {
    for (const style of ['envelope', 'store'] as const) {
      it(`a test error in the shape of ${language} is accepted by the ${style} endpoint as one error, without problems`, async () => {
        const project = trackedProject(server);
        const dsn = makeDsn(server.origin, project.key, project.id);
        const eventId = randomBytes(16).toString('hex');
        const values = { eventId, now: server.platform.clock.now(), serverName: 'desk' };
        const { url, headers, body } = testRequest(language, style, dsn, values);
        const response = await fetch(url, { method: 'POST', headers, body });
        assert.deepEqual([response.status, await response.json()], [200, { id: eventId }]);
        const errors = await project.errors();
        assert.deepEqual(
          errors.map(({ title, event_count: count }) => [title, count]),
          [[testTitle(language), 1]],
        );
        const [key] = clientKeysOf(server.platform, project.id, 1);
        const use = await readKeyUse(clientOf(project.owner.token), project.id, key?.id ?? 0);
        assert.partialDeepStrictEqual(use?.programs, [{ release: TEST_RELEASE, serverName: 'desk', count: 1 }]);
      });
    }
  }

  it('the use of a key is unknown for a key that does not exist', async () => {
    const { id, owner } = trackedProject(server);
    assert.equal(await readKeyUse(clientOf(owner.token), id, 999_999), undefined);
  });

  function clientOf(token: string) {
    return createClient({
      baseUrl: server.origin,
      send: async ({ url, method, headers }) => {
        const response = await fetch(url, { method, headers });
        return { status: response.status, headers: new Map(response.headers), body: await response.text() };
      },
      credentials: { token: async () => token, renewed: async () => undefined },
      now: Date.now,
      sleep: async () => undefined,
    });
  }
});
