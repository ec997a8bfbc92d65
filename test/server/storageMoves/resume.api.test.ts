import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scheduleMove } from '../../../server/features/storageMoves/moves.ts';
import { branchHead } from '../../../server/features/git/refs.ts';
import { openRepository } from '../../../server/features/git/open.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { commitFiles } from '../git/repository.ts';
import { actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

describe('moves of repositories after the server was killed', () => {
  let server: TestServer;
  let folder: string;
  const start = () =>
    startTestServer({
      file: path.join(folder, 'data.sqlite'),
      dataFolder: path.join(folder, 'data'),
      storages: { second: path.join(folder, 'second') },
    });
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-resume-'));
    server = await start();
  });
  afterEach(async () => {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  // The files and rows that exist when a server is killed at each step.
  for (const [when, state, leftover] of [
    ['it was scheduled', 'scheduled', undefined],
    ['it was started', 'started', undefined],
    ['a part was copied', 'started', '.part'],
    ['the copy was complete', 'started', ''],
    ['it was replicated', 'replicated', ''],
  ] as const) {
    it(`a move continues if the server was killed after ${when}`, async () => {
      const { platform } = server;
      const ada = actor(platform, 'ada');
      const found = projectWith(platform, ada, { name: 'Lamps' });
      const commit = await commitFiles(platform, found, ada, { 'a.txt': 'lamp\n' });
      const old = (await openRepository(platform, found.project))?.folder ?? '';
      platform.clock.freeze(platform.clock.now());
      const { id } = scheduleMove(platform, { kind: 'project', id: found.project.id }, 'second');
      platform.store.run('UPDATE repository_storage_moves SET state = $state WHERE id = $id', { id, state });
      const copy = old.replace(path.join(folder, 'data', 'repositories', 'default'), path.join(folder, 'second'));
      assert.notEqual(copy, old);
      if (leftover !== undefined) {
        cpSync(old, `${copy}${leftover}`, { recursive: true });
        if (state === 'started') writeFileSync(path.join(`${copy}${leftover}`, 'HEAD'), 'damaged');
      }
      if (state === 'replicated') {
        platform.store.run("UPDATE projects SET repository_storage = 'second', repository_read_only = 0");
      }
      platform.clock.reset();
      await server.close();

      server = await start();
      server.platform.schedule.runDue();
      await until(
        () => server.platform.store.get<{ state: string }>('SELECT state FROM repository_storage_moves')?.state,
        (reached) => reached === 'finished',
        'the move is finished',
      );
      const repository = await openRepository(server.platform, found.project);
      assert.equal(repository?.folder, copy);
      assert.equal(branchHead(server.platform, found.project.id, 'main'), commit);
      await repository.git.run(copy, ['fsck', '--connectivity-only']);
      assert.equal(existsSync(`${copy}.part`), false);
      await commitFiles(server.platform, found, ada, { 'b.txt': 'more\n' });
    });
  }

  // The files and rows that exist after a snapshot was restored. Snapshots do not contain repositories.
  for (const [when, stored, actual, state] of [
    ['before a move', 'default', 'second', undefined],
    ['when a move had started', 'default', 'second', 'started'],
    ['when a move was replicated, before the repository was moved back', 'second', 'default', 'replicated'],
  ] as const) {
    it(`a repository is found on its actual storage after restoring a snapshot that was taken ${when}`, async () => {
      const { platform } = server;
      const ada = actor(platform, 'ada');
      const found = projectWith(platform, ada, { name: 'Lamps' });
      const { id } = found.project;
      const commit = await commitFiles(platform, found, ada, { 'a.txt': 'lamp\n' });
      const old = (await openRepository(platform, found.project))?.folder ?? '';
      const [from, to] = [path.join(folder, 'data', 'repositories', 'default'), path.join(folder, 'second')];
      const current = actual === 'default' ? old : old.replace(from, to);
      platform.clock.freeze(platform.clock.now());
      if (state !== undefined) {
        scheduleMove(platform, { kind: 'project', id }, 'second');
        platform.store.run('UPDATE repository_storage_moves SET state = $state', { state });
      }
      platform.store.run('UPDATE projects SET repository_storage = $stored, repository_read_only = $readOnly', {
        stored,
        readOnly: state === 'started' ? 1 : 0,
      });
      platform.clock.reset();
      await server.close();
      if (current !== old) {
        mkdirSync(path.dirname(current), { recursive: true });
        renameSync(old, current);
      }

      server = await start();
      server.platform.schedule.runDue();
      await until(
        () => server.platform.store.all<{ state: string }>('SELECT state FROM repository_storage_moves'),
        (moves) => moves.every((move) => move.state === 'finished'),
        'the move is finished',
      );
      const repository = await openRepository(server.platform, found.project);
      assert.equal(repository?.folder, current);
      await repository.git.run(current, ['fsck', '--full']);
      await repository.git.run(current, ['cat-file', '-e', commit]);
      assert.equal(existsSync(current === old ? old.replace(from, to) : old), false);
      const url = `/api/v4/projects?repository_storage=${actual}`;
      const listed = await server.request('GET', url, { token: server.adminToken });
      assert.partialDeepStrictEqual(listed.json(), [{ id, repository_storage: actual }]);
      await commitFiles(server.platform, found, ada, { 'b.txt': 'more\n' });
    });
  }

  it('a snippet is found on its actual storage after restoring a snapshot', async () => {
    const { platform } = server;
    const ada = actor(platform, 'ada');
    const files = [{ path: 'a', content: 'a' }];
    const snippet = await createSnippet(platform, ada.user, { title: 'a', visibility: 'private', files });
    scheduleMove(platform, { kind: 'snippet', id: snippet.id }, 'second');
    await until(
      () => platform.store.get<{ state: string }>('SELECT state FROM repository_storage_moves')?.state,
      (state) => state === 'finished',
      'the move is finished',
    );
    await server.close();
    server = await start();
    server.platform.store.run("UPDATE single_repositories SET storage = 'default'");
    const raw = await server.request('GET', `/api/v4/snippets/${snippet.id}/raw`, { token: ada.token });
    assert.equal(raw.text, 'a');
    assert.partialDeepStrictEqual(server.platform.store.get('SELECT storage FROM single_repositories'), { storage: 'second' });
  });
});
