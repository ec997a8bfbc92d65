import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, createClient } from '../../src/api/client.ts';
import { sendByFetch } from '../../src/api/fetch.ts';
import {
  canMoveRepositories,
  loadMoves,
  loadRemaining,
  loadStorages,
  moveAllProjects,
  moveProject,
} from '../../src/storages/requests.ts';
import { checkStorage, type MoveProgress, watchMoves } from '../../src/storages/watch.ts';
import { sleep } from '../../src/support/sleep.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

describe('the requests of the Storages view', () => {
  let server: TestServer;
  let ada: Actor;
  let folder: string;
  let client: Client;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-storages-'));
    server = await startTestServer({ storages: { archive: path.join(folder, 'archive') } });
    ada = actor(server.platform, 'ada');
    for (const name of ['Lamps', 'Bells', 'Horns', 'Flags']) projectWith(server.platform, ada, { name });
    client = clientOf(server.adminToken);
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function clientOf(token: string): Client {
    const credentials = { token: async () => token, renewed: async () => undefined };
    return createClient({ baseUrl: server.origin, send: sendByFetch, credentials, now: Date.now, sleep });
  }

  async function watched(after: number, expected: number): Promise<MoveProgress> {
    const settings = { client, storage: 'default', after, expected, onProgress: () => undefined };
    // The clock of the server makes moves due; the pauses of the watcher do not matter here.
    return watchMoves({ ...settings, sleep: () => sleep(20), signal: AbortSignal.timeout(60_000) });
  }

  it('find out who may move repositories', async () => {
    assert.equal(await canMoveRepositories(client), true);
    assert.equal(await canMoveRepositories(clientOf(ada.token)), false);
  });

  it('list the storages with their projects and the sizes of the local server', async () => {
    const storages = await loadStorages(client, async () => new Map([['default', 42]]));
    assert.deepEqual(
      storages.map(({ name, projects, bytes }) => [name, projects, bytes]),
      [
        ['archive', 0, undefined],
        ['default', 4, 42],
      ],
    );
  });

  it('move all projects of a storage and notice the end', async () => {
    assert.deepEqual(await checkStorage(client, 'default'), {
      remaining: { count: 4, paths: ['ada/flags', 'ada/horns', 'ada/bells'] },
      running: 0,
      failed: 0,
    });
    await moveAllProjects(client, 'default', 'archive');
    assert.deepEqual(await watched(0, 4), { done: 4, failed: 0, running: 0 });
    assert.deepEqual(await checkStorage(client, 'default'), { remaining: { count: 0, paths: [] }, running: 0, failed: 0 });
    assert.equal((await loadRemaining(client, 'archive')).count, 4);
  });

  it('notice the end if projects were moved by somebody else before', async () => {
    const { id } = await moveProject(client, 'ada/lamps', 'archive');
    assert.equal((await watched(id - 1, 1)).done, 1);
    await moveAllProjects(client, 'default', 'archive');
    assert.deepEqual(await watched(id, 4), { done: 3, failed: 0, running: 0 });
  });

  it('list only the moves that are newer than a given one', async () => {
    const first = await moveProject(client, 'ada/lamps', 'archive');
    const second = await moveProject(client, 'ada/bells', undefined);
    assert.deepEqual(
      (await loadMoves(client, first.id)).map(({ id, project }) => [id, project.path_with_namespace]),
      [[second.id, 'ada/bells']],
    );
    assert.equal((await loadMoves(client)).length, 2);
  });
});
