import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import type { Profile } from '../../../server/core/profile.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { type Client, createClient } from '../../../src/api/client.ts';
import { sendByFetch } from '../../../src/api/fetch.ts';
import type { Send } from '../../../src/api/transport.ts';
import { type OwnerKind, ownerKinds } from '../../../src/contract/storageMoves.ts';
import { createLocalControl } from '../../../src/local/control.ts';
import {
  countOwners,
  createMoveList,
  findsStorages,
  loadMoves,
  loadStorages,
  type LocalStorages,
  moveAllRepositories,
  moveRepository,
  newestMoves,
  reloadMove,
  storageOfProject,
} from '../../../src/storages/requests.ts';
import { checkStorage, type MoveProgress, watchMoves } from '../../../src/storages/watch.ts';
import { sleep } from '../../../src/support/sleep.ts';
import { commitFiles } from '../../server/git/repository.ts';
import { type Actor, actor, projectWith } from '../../server/projects/cast.ts';
import { fakeClock, json, networkWithRule } from '../../support/extension/fakes.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const HOST = 'https://gitlab.example.com';

/** The numbers of an instance that is not the local server. */
const remote: LocalStorages = async () => new Map();

describe('the requests of the Storages view', () => {
  let server: TestServer;
  let ada: Actor;
  let folder: string;
  let client: Client;
  beforeEach(() => start({}));
  afterEach(stop);

  async function start(profile: Partial<Profile>): Promise<void> {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-storages-'));
    server = await startTestServer({ storages: { archive: path.join(folder, 'archive') }, profile });
    ada = actor(server.platform, 'ada');
    for (const name of ['Lamps', 'Bells', 'Horns', 'Flags']) projectWith(server.platform, ada, { name });
    for (const title of ['Dim', 'Dark']) {
      const files = [{ path: 'a.txt', content: 'a' }];
      await createSnippet(server.platform, ada.user, { title, visibility: 'private', files });
    }
    createGroup(server.platform, ada.user, { name: 'Crew', path: 'crew' });
    client = clientOf(server.adminToken);
  }

  async function stop(): Promise<void> {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }

  function clientOf(token: string, send: Send = sendByFetch, { origin } = server): Client {
    const credentials = { token: async () => token, renewed: async () => undefined };
    return createClient({ baseUrl: origin, send, credentials, now: Date.now, sleep });
  }

  async function newestSnippet(): Promise<{ readonly id: number; readonly title: string }> {
    const response = await server.request('GET', '/api/v4/snippets/all', { token: server.adminToken });
    const [newest] = response.json() as { readonly id: number; readonly title: string }[];
    assert.ok(newest !== undefined);
    return newest;
  }

  const local: LocalStorages = () => createLocalControl(server.origin, server.adminToken, sendByFetch, Date.now).storages();

  async function moveAll(kinds: readonly OwnerKind[]): Promise<void> {
    for (const kind of kinds) await moveAllRepositories(client, kind, 'default', 'archive');
  }

  async function watched(
    expected: readonly (readonly [OwnerKind, number | undefined])[],
    { after = new Map(), storages = local }: { after?: ReadonlyMap<OwnerKind, number>; storages?: LocalStorages } = {},
  ): Promise<MoveProgress> {
    const settings = { client, storage: 'default', after, local: storages, onProgress: () => undefined };
    // The clock of the server makes moves due; the pauses of the watcher do not matter here.
    const pause = { sleep: () => sleep(20), signal: AbortSignal.timeout(60_000) };
    return watchMoves({ ...settings, ...pause, expected: new Map(expected) });
  }

  it('find out who may move repositories', async () => {
    assert.equal(await findsStorages(client), 'yes');
    assert.equal(await findsStorages(clientOf(ada.token)), 'no');
  });

  it('find out whether there are several storages, or moves of any kind', async () => {
    await using single = await startTestServer();
    const alone = clientOf(single.adminToken, sendByFetch, single);
    assert.equal(await findsStorages(alone), 'oneStorage');
    const { user } = actor(single.platform, 'ada');
    const { group } = createGroup(single.platform, user, { name: 'Crew', path: 'crew' });
    await moveRepository(alone, { kind: 'group', id: group.id }, 'default');
    assert.equal(await findsStorages(alone), 'yes');
  });

  it('tell the storage of a project', async () => {
    const { project } = projectWith(server.platform, ada, { name: 'Masts' });
    assert.equal(await storageOfProject(client, project.id), 'default');
    assert.equal(await storageOfProject(client, project.full_path), 'default');
  });

  it('list the storages with their projects and the numbers of the local server', async () => {
    const known = { snippets: 2, groups: 1, bytes: 42 };
    const storages = await loadStorages(client, async () => new Map([['default', known]]));
    assert.deepEqual(
      storages.map(({ name, projects, local: found }) => [name, projects, found]),
      [
        ['archive', 0, undefined],
        ['default', 4, known],
      ],
    );
  });

  it('count everything on a storage of the local server', async () => {
    assert.deepEqual(
      [...(await countOwners(client, local, 'default', ownerKinds))],
      [
        ['project', 4],
        ['snippet', 2],
        ['group', 1],
      ],
    );
  });

  it('count the snippets and groups of another instance by the storage that each names', async () => {
    const { id } = await newestSnippet();
    const started = await moveRepository(client, { kind: 'snippet', id }, 'archive');
    await until(
      () => reloadMove(client, started),
      ({ state }) => state === 'finished',
      'the move ends',
    );
    assert.deepEqual(
      [...(await countOwners(client, remote, 'default', ownerKinds))],
      [
        ['project', 4],
        ['snippet', 1],
        ['group', 1],
      ],
    );
  });

  it('move everything on a storage and notice the end', async () => {
    assert.deepEqual(await checkStorage(client, local, 'default'), {
      remaining: new Map([
        ['project', 4],
        ['snippet', 2],
        ['group', 1],
      ]),
      projects: ['ada/flags', 'ada/horns', 'ada/bells'],
      running: 0,
      failed: 0,
    });
    await moveAll(ownerKinds);
    const expected = [['project', 4] as const, ['snippet', 2] as const, ['group', 1] as const];
    assert.deepEqual(await watched(expected), { done: new Map(expected), failed: 0, running: 0 });
    assert.deepEqual(await checkStorage(client, local, 'default'), {
      remaining: new Map(ownerKinds.map((kind) => [kind, 0])),
      projects: [],
      running: 0,
      failed: 0,
    });
    assert.deepEqual(await countOwners(client, local, 'archive', ownerKinds), new Map(expected));
  });

  it('notice the end if an instance does not count what is on a storage', async () => {
    // The lists do not name the storage.
    client = clientOf(server.adminToken, async (request, signal) => {
      const response = await sendByFetch(request, signal);
      return { ...response, body: response.body.replaceAll('"repository_storage":', '"other":') };
    });
    await moveAll(['snippet', 'group']);
    const unknown = [['snippet', undefined] as const, ['group', undefined] as const];
    assert.deepEqual([...(await countOwners(client, remote, 'default', ['snippet', 'group']))], unknown);
    const { done } = await watched(unknown, { storages: remote });
    assert.deepEqual(
      [...done],
      [
        ['snippet', 2],
        ['group', 1],
      ],
    );
  });

  it('notice the end if projects were moved by somebody else before', async () => {
    const { id } = await moveRepository(client, { kind: 'project', id: 'ada/lamps' }, 'archive');
    assert.equal((await watched([['project', 1]], { after: new Map([['project', id - 1]]) })).done.get('project'), 1);
    await moveAll(['project']);
    const { done } = await watched([['project', 4]], { after: new Map([['project', id]]) });
    assert.equal(done.get('project'), 3);
  });

  it('count moves that start and end between two requests', async () => {
    let isMoved = false;
    const storages: LocalStorages = async () => {
      if (!isMoved) {
        isMoved = true;
        await moveAll(['project']);
        await until(
          () => checkStorage(client, local, 'default'),
          ({ remaining, running }) => remaining.get('project') === 0 && running === 0,
          'the moves end',
        );
      }
      return local();
    };
    const { done } = await watched([['project', 4]], { storages });
    assert.equal(done.get('project'), 4);
  });

  it('leave out groups where they cannot be moved', async () => {
    assert.deepEqual([...(await newestMoves(client)).keys()], ['project', 'snippet', 'group']);
    await stop();
    await start({ tier: 'free' });
    assert.deepEqual([...(await newestMoves(client)).keys()], ['project', 'snippet']);
    const list = createMoveList(() => client);
    assert.deepEqual([await list(), await list()], [[], []]);
    const { remaining } = await checkStorage(client, local, 'default');
    assert.deepEqual([...remaining.keys()], ['project', 'snippet']);
  });

  it('list the moves of all kinds, newest first', async () => {
    server.platform.clock.freeze(server.platform.clock.now());
    const { id, title } = await newestSnippet();
    const started: string[] = [];
    for (const owner of [
      { kind: 'project', id: 'ada/lamps' },
      { kind: 'snippet', id },
      { kind: 'group', id: 'crew' },
    ] as const) {
      const { owner: moved } = await moveRepository(client, owner, 'archive');
      started.push(`${moved.kind} ${moved.name}`);
      server.platform.clock.advance(1);
    }
    assert.deepEqual(started, ['project ada/lamps', `snippet ${title}`, 'group Crew']);
    const listed = await createMoveList(() => client)();
    assert.deepEqual(
      listed.map(({ owner }) => `${owner.kind} ${owner.name}`),
      started.toReversed(),
    );
  });

  it('list only the moves that are newer than a given one', async () => {
    const first = await moveRepository(client, { kind: 'project', id: 'ada/lamps' }, 'archive');
    const second = await moveRepository(client, { kind: 'project', id: 'ada/bells' }, undefined);
    assert.deepEqual(
      (await loadMoves(client, 'project', first.id)).map(({ id, owner }) => [id, owner.name]),
      [[second.id, 'ada/bells']],
    );
    assert.equal((await loadMoves(client, 'project')).length, 2);
  });

  it('say why a move failed', async () => {
    const found = projectWith(server.platform, ada, { name: 'Gongs' });
    await commitFiles(server.platform, found, ada, { 'a.txt': 'gong\n' });
    // A file is where the folders of the destination have to be.
    mkdirSync(path.join(folder, 'archive'), { recursive: true });
    writeFileSync(path.join(folder, 'archive', '@hashed'), '');
    const started = await moveRepository(client, { kind: 'project', id: 'ada/gongs' }, 'archive');
    assert.equal(started.error_message, null);
    const ended = await until(
      () => reloadMove(client, started),
      ({ state }) => state === 'failed',
      'the move fails',
    );
    assert.match(ended.error_message ?? '', /^(?:ENOTDIR|EEXIST): /);
  });
});

describe('what is on a storage of an instance', () => {
  /** Counts the snippets of an instance whose lists have one page with these storages. */
  async function snippetsOn(storage: string, storages: readonly (string | undefined)[], link?: string) {
    const network = networkWithRule(() =>
      json(
        200,
        storages.map((name, at) => ({ id: at + 1, ...(name === undefined ? {} : { repository_storage: name }) })),
        link === undefined ? {} : { link },
      ),
    );
    const { now, sleep: pause } = fakeClock();
    const credentials = { token: async () => 'access', renewed: async () => undefined };
    const client = createClient({ baseUrl: HOST, send: network.send, credentials, now, sleep: pause });
    const count = (await countOwners(client, remote, storage, ['snippet'])).get('snippet');
    return { count, requests: network.requests.length };
  }

  it('is counted even if the instance ignores the filter by storage', async () => {
    assert.equal((await snippetsOn('old', ['old', 'new', 'old'])).count, 2);
    assert.equal((await snippetsOn('old', [])).count, 0);
  });

  it('is unknown if the entries do not name their storage', async () => {
    assert.equal((await snippetsOn('old', ['old', undefined])).count, undefined);
  });

  it('is unknown if the list is too long to be read', async () => {
    const next = `<${HOST}/api/v4/snippets/all?page=2>; rel="next"`;
    assert.deepEqual(await snippetsOn('old', ['old'], next), { count: undefined, requests: 10 });
  });
});
