import assert from 'node:assert/strict';
import { lstatSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openRepository } from '../../../server/features/git/open.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

interface Move {
  readonly id: number;
  readonly state: string;
  readonly source_storage_name: string;
  readonly destination_storage_name: string;
}

const final = ['finished', 'failed', 'cleanup failed'];

describe('moves of repositories between storages', () => {
  let server: TestServer;
  let ada: Actor;
  let folder: string;
  const storage = () => path.join(folder, 'second');
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-moves-'));
    server = await startTestServer({ storages: { second: storage() } });
    ada = actor(server.platform, 'ada');
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const api = async (method: string, target: string, json?: unknown) =>
    server.request(method, `/api/v4${target}`, { token: server.adminToken, ...(json === undefined ? {} : { json }) });
  const start = async (target: string, destination: string | undefined): Promise<Move> => {
    const response = await api('POST', `${target}/repository_storage_moves`, { destination_storage_name: destination });
    assert.equal(response.status, 201, response.text);
    return response.json() as Move;
  };
  const ended = async (target: string, { id }: Move): Promise<Move> =>
    until(
      async () => (await api('GET', `${target}/repository_storage_moves/${id}`)).json() as Move,
      ({ state }) => final.includes(state),
      'the move ends',
    );
  const folderOf = async ({ project }: FoundProject): Promise<string> =>
    (await openRepository(server.platform, project))?.folder ?? '';

  it('moves a project with its repository', async () => {
    const found = projectWith(server.platform, ada, { name: 'Lamps' });
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    const old = await folderOf(found);
    const target = `/projects/${found.project.id}`;
    const move = await start(target, 'second');
    assert.equal(move.state, 'scheduled');
    assert.equal((await ended(target, move)).state, 'finished');
    assert.ok((await folderOf(found)).startsWith(storage()));
    assert.equal(lstatSync(old, { throwIfNoEntry: false })?.isDirectory() ?? false, false);
    await gitClient(folder).succeed('clone', addressOf(server, found.project.full_path, ada.token), 'lamps');
    assert.equal(readFileSync(path.join(folder, 'lamps', 'a.txt'), 'utf8'), 'lamp\n');
    await commitFiles(server.platform, found, ada, { 'b.txt': 'more\n' });
    const left = await api('GET', '/projects?repository_storage=default');
    assert.deepEqual(left.json(), []);
  });

  it('refuses commits to a project until its move ends', async () => {
    const found = projectWith(server.platform, ada, { name: 'Lamps' });
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    const target = `/projects/${found.project.id}`;
    server.platform.clock.freeze(server.platform.clock.now());
    const move = await start(target, 'second');
    const refused = await server.request('POST', `/api/v4${target}/repository/branches`, {
      token: ada.token,
      json: { branch: 'next', ref: 'main' },
    });
    assert.equal(refused.status, 403);
    assert.deepEqual(refused.json(), { message: 'The repository is temporarily read-only. Please try again later.' });
    server.platform.clock.reset();
    assert.equal((await ended(target, move)).state, 'finished');
    const accepted = await server.request('POST', `/api/v4${target}/repository/branches`, {
      token: ada.token,
      json: { branch: 'next', ref: 'main' },
    });
    assert.equal(accepted.status, 201);
  });
});
