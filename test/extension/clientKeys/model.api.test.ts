import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { createClientKey as makeKey } from '../../../server/features/clientKeys/clientKeys.ts';
import { setErrorTracking } from '../../../server/features/errorTracking/errorTracking.ts';
import { type Client, createClient } from '../../../src/api/client.ts';
import { ApiFailure } from '../../../src/api/failures.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { createClientKey, deleteClientKey, listClientKeys } from '../../../src/clientKeys/model.ts';
import { readDsn } from '../../../src/contract/dsn.ts';
import { disableErrorTracking, enableErrorTracking } from '../../../src/errorTracking/settings.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { type Actor, actor, projectWith } from '../../server/projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

function clientOf(server: TestServer, { token }: Actor): Client {
  const credentials = { token: async () => token, renewed: async () => undefined };
  return createClient({ baseUrl: server.origin, send: sendByFetch, credentials, now: Date.now, sleep });
}

const failure = (kind: ApiFailure['kind']) => (thrown: unknown) => thrown instanceof ApiFailure && thrown.kind === kind;
const on = { active: true, integrated: true, project_name: null, tracker_external_url: null, api_url: null };
const off = { ...on, active: false };

for (const dialect of ['documented', 'observed'] as const) {
  describe(`client keys in the extension, dialect ${dialect}`, () => {
    let server: TestServer;
    let ada: Actor;
    let dev: Actor;
    let count = 0;
    before(async () => {
      server = await startTestServer({ profile: { dialect } });
      [ada, dev] = [actor(server.platform, 'ada'), actor(server.platform, 'dev')];
    });
    after(() => server.close());

    const project = () =>
      projectWith(server.platform, ada, { name: `Lamps ${(count += 1)}`, visibility: 'private' }, [[dev, 30]]).project;

    it('client keys are created, listed and deleted, by ID or path of the project', async () => {
      const client = clientOf(server, ada);
      const { id, full_path: path } = project();
      const [one, other] = [await createClientKey(client, id), await createClientKey(client, path)];
      assert.deepEqual(await listClientKeys(client, path), [one, other]);
      assert.partialDeepStrictEqual(readDsn(one.tracker_dsn), {
        origin: server.origin,
        publicKey: one.public_key,
        projectId: id,
      });
      await deleteClientKey(client, path, one.id);
      assert.deepEqual(await listClientKeys(client, id), [other]);
      await assert.rejects(deleteClientKey(client, id, one.id), failure('notFound'));
    });

    it('client keys are read from all pages', async () => {
      const { id } = project();
      const created = Array.from({ length: 101 }, () => makeKey(server.platform, id).id);
      const keys = await listClientKeys(clientOf(server, ada), id);
      assert.deepEqual(
        keys.map((key) => key.id),
        created,
      );
    });

    it('client keys and error tracking cannot be managed by a developer', async () => {
      const client = clientOf(server, dev);
      const { id } = project();
      for (const request of [
        () => listClientKeys(client, id),
        () => createClientKey(client, id),
        () => deleteClientKey(client, id, 1),
        () => enableErrorTracking(client, id),
        () => disableErrorTracking(client, id),
      ])
        await assert.rejects(request, failure('forbidden'));
    });

    it('error tracking can be enabled and disabled, and disabling fails if it was never enabled', async () => {
      const client = clientOf(server, ada);
      const { id } = project();
      await assert.rejects(disableErrorTracking(client, id), failure('notFound'));
      assert.deepEqual(await enableErrorTracking(client, id), on);
      assert.deepEqual(await disableErrorTracking(client, id), off);
      assert.deepEqual(await enableErrorTracking(client, id), on);
    });
  });
}

describe('client keys on an instance that answers a deletion without a body', () => {
  it('client keys count as deleted after a response with status 204', async () => {
    const requests: string[] = [];
    await using server = await listeningServer((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.writeHead(204).end();
    });
    const credentials = { token: async () => 'token', renewed: async () => undefined };
    const client = createClient({ baseUrl: server.origin, send: sendByFetch, credentials, now: Date.now, sleep });
    await deleteClientKey(client, 'ada/lamps', 7);
    assert.deepEqual(requests, ['DELETE /api/v4/projects/ada%2Flamps/error_tracking/client_keys/7']);
  });
});

describe('error tracking on an instance that cannot create settings', () => {
  it('error tracking on an instance that cannot create settings is enabled if there are settings, and otherwise fails with notFound', async () => {
    await using server = await startTestServer();
    const ada = actor(server.platform, 'ada');
    const current = clientOf(server, ada);
    // GitLab servers before release 15.10 have no PUT, so it is sent to a path that does not exist.
    const client: Client = {
      ...current,
      change: (request, read) =>
        current.change(request.method === 'PUT' ? { ...request, path: `${request.path}/none` } : request, read),
    };
    const [{ project: set }, { project: unset }] = [
      projectWith(server.platform, ada, { name: 'Set' }),
      projectWith(server.platform, ada, { name: 'Unset' }),
    ];
    setErrorTracking(server.platform, set.id, false);
    assert.deepEqual(await enableErrorTracking(client, set.id), on);
    await assert.rejects(enableErrorTracking(client, unset.id), failure('notFound'));
  });
});

async function listeningServer(handler: http.RequestListener) {
  const server = http.createServer(handler);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return {
    origin: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
