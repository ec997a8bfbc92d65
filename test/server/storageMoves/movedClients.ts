import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { branchHead } from '../../../server/features/git/refs.ts';
import { openRepository, projectQueue } from '../../../server/features/git/open.ts';
import { createBranch } from '../../../server/features/pushes/refUpdates.ts';
import { createMergeRequest } from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { createSnippet } from '../../../server/features/snippets/manageSnippets.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { addressOf, type GitClient, gitClient } from '../../support/gitClient.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { until } from '../../support/until.ts';

const READ_ONLY = 'The repository is temporarily read-only. Please try again later.';

interface Move {
  readonly id: number;
  readonly state: string;
}

/** Declares the tests. `moves` is the number of moves during which a repository is cloned; it is even, so that the last one goes back. */
export function describeMovedClients({ moves }: { readonly moves: number }): void {
  describe('git clients of moved repositories', () => {
    let server: TestServer;
    let ada: Actor;
    let folder: string;
    let count = 0;
    before(async () => {
      folder = mkdtempSync(path.join(tmpdir(), 'signalbox-moved-'));
      server = await startTestServer({ storages: { second: path.join(folder, 'second') } });
      ada = actor(server.platform, 'ada');
    });
    after(async () => {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    });
    afterEach(() => server.platform.clock.reset());

    const api = async (method: string, target: string, json?: unknown): Promise<unknown> => {
      const response = await server.request(method, target, {
        token: server.adminToken,
        ...(json === undefined ? {} : { json }),
      });
      assert.ok(response.status < 300, response.text);
      return response.json();
    };
    const movesOf = ({ project }: FoundProject): string => `/api/v4/projects/${project.id}/repository_storage_moves`;
    const start = async (found: FoundProject, destination: string): Promise<Move> =>
      (await api('POST', movesOf(found), { destination_storage_name: destination })) as Move;
    const reach = (found: FoundProject, { id }: Move, state: string): Promise<Move> =>
      until(
        async () => (await api('GET', `${movesOf(found)}/${id}`)) as Move,
        (move) => move.state === state,
        `the move is ${state}`,
      );
    const setPace = (seconds: number): Promise<unknown> => api('PUT', '/_local/storage-moves', { step_seconds: seconds });
    const folderOf = async ({ project }: FoundProject): Promise<string> =>
      (await openRepository(server.platform, project))?.folder ?? '';
    const head = ({ project }: FoundProject): string | undefined => branchHead(server.platform, project.id, 'main');
    const address = ({ project }: FoundProject): string => addressOf(server, project.full_path, ada.token);
    const newProject = async (): Promise<FoundProject> => {
      count += 1;
      const found = projectWith(server.platform, ada, { name: `Lamps ${count}` });
      await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
      return found;
    };
    const clone = async (found: FoundProject): Promise<{ git: GitClient; dir: string }> => {
      count += 1;
      const dir = path.join(folder, `clone-${count}`);
      await gitClient(folder).succeed('clone', '-q', address(found), dir);
      return { git: gitClient(dir), dir };
    };
    const commit = async ({ git, dir }: { git: GitClient; dir: string }, content: string | Buffer): Promise<string> => {
      writeFileSync(path.join(dir, 'b.bin'), content);
      await git.succeed('add', 'b.bin');
      await git.succeed('commit', '-q', '-m', 'Add b');
      return (await git.succeed('rev-parse', 'HEAD')).trim();
    };
    /** Starts a fetch of a commit whose response is not read yet. */
    const startFetch = async ({ project }: FoundProject, id: string): Promise<IncomingMessage> => {
      const line = `want ${id} ofs-delta\n`;
      const request = httpRequest(`${server.origin}/${project.full_path}.git/git-upload-pack`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-git-upload-pack-request',
          Authorization: `Basic ${Buffer.from(`x:${ada.token}`).toString('base64')}`,
        },
      });
      request.end(`${(line.length + 4).toString(16).padStart(4, '0')}${line}00000009done\n`);
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      assert.equal(response.statusCode, 200);
      return response;
    };
    /** Checks that the repository is complete and nowhere else. */
    const check = async (found: FoundProject, storage: string): Promise<void> => {
      const current = await folderOf(found);
      assert.equal(current.startsWith(path.join(folder, 'second')), storage === 'second');
      const { git } = server.platform.repositories;
      await git.run(current, ['fsck', '--full', '--strict']);
      const { stdout } = await git.run(current, ['rev-parse', 'refs/heads/main']);
      assert.equal(stdout.toString().trim(), head(found));
    };

    it('a repository that is moved back before its old copy is removed is complete', async () => {
      const found = await newProject();
      const { clock } = server.platform;
      clock.freeze(clock.now());
      await setPace(10);
      const first = await start(found, 'second');
      for (const state of ['started', 'replicated']) {
        clock.advance(10_000);
        await reach(found, first, state);
      }
      await setPace(0);
      const back = await start(found, 'default');
      // The steps of the way back are due, but the first move has not ended.
      clock.advance(5000);
      server.platform.schedule.runDue();
      assert.equal((await reach(found, back, 'scheduled')).state, 'scheduled');
      clock.advance(10_000);
      await reach(found, first, 'finished');
      await until(
        async () => {
          clock.advance(1000);
          return ((await api('GET', `${movesOf(found)}/${back.id}`)) as Move).state;
        },
        (state) => state === 'finished',
        'the way back ends',
      );
      await check(found, 'default');
      await clone(found);
    });

    it('open merge requests, notes and unfinished pushes do not disturb a move', async () => {
      const { platform } = server;
      const found = await newProject();
      await createBranch(platform, found, ada.user, 'next', 'main');
      const next = await commitFiles(platform, found, ada, { 'b.txt': 'next\n' }, { branch: 'next' });
      const input = { title: 'Merge', sourceBranch: 'next', targetBranch: 'main' };
      createMergeRequest(platform, { source: found, target: found }, ada.user, input);
      const { git } = await clone(found);
      await git.succeed('notes', 'add', '-m', 'Bright enough');
      await git.succeed('push', '-q', 'origin', 'refs/notes/commits');
      // Fetching writes the refs of merge requests.
      await git.succeed('fetch', '-q', 'origin', 'refs/merge-requests/1/head');
      const quarantine = path.join(await folderOf(found), 'incoming', 'unfinished');
      mkdirSync(quarantine, { recursive: true });
      writeFileSync(path.join(quarantine, 'pack'), randomBytes(1000));
      const refs = await git.succeed('ls-remote', 'origin');
      assert.match(refs, /refs\/merge-requests\/1\/head/);
      await reach(found, await start(found, 'second'), 'finished');
      assert.equal(existsSync(path.join(await folderOf(found), 'incoming')), false);
      await check(found, 'second');
      assert.equal(await git.succeed('ls-remote', 'origin'), refs);
      await git.succeed('fetch', '-q', 'origin', 'refs/merge-requests/1/head');
      assert.equal((await git.succeed('rev-parse', 'FETCH_HEAD')).trim(), next);
    });

    it('the head of a merge request that was pushed to on another storage is current after the way back', async () => {
      const { platform } = server;
      const found = await newProject();
      const work = await clone(found);
      await work.git.succeed('checkout', '-q', '-b', 'next');
      const first = await commit(work, 'first');
      await work.git.succeed('push', '-q', 'origin', 'next');
      const input = { title: 'Merge', sourceBranch: 'next', targetBranch: 'main' };
      createMergeRequest(platform, { source: found, target: found }, ada.user, input);
      const fetched = async (): Promise<string> => {
        await work.git.succeed('fetch', '-q', 'origin', 'refs/merge-requests/1/head');
        return (await work.git.succeed('rev-parse', 'FETCH_HEAD')).trim();
      };
      assert.equal(await fetched(), first);
      await reach(found, await start(found, 'second'), 'finished');
      await work.git.succeed('reset', '-q', '--hard', 'HEAD~1');
      const second = await commit(work, 'second');
      await work.git.succeed('push', '-q', '--force', 'origin', 'next');
      assert.equal(await fetched(), second);
      await reach(found, await start(found, 'default'), 'finished');
      await work.git.succeed('push', '-q', '--force', 'origin', `${first}:next`);
      assert.equal(await fetched(), first);
    });

    it('every clone is complete while a repository is moved back and forth', async () => {
      const found = await newProject();
      await commitFiles(server.platform, found, ada, { 'b.txt': randomBytes(100_000).toString('hex') });
      const moving = new AbortController();
      const cloning = (async () => {
        let clones = 0;
        while (!moving.signal.aborted) {
          const { git } = await clone(found);
          assert.equal((await git.succeed('rev-list', '--count', '--objects', 'HEAD')).trim(), '6');
          clones += 1;
        }
        return clones;
      })();
      try {
        for (let index = 0; index < moves; index += 1) {
          await reach(found, await start(found, index % 2 === 0 ? 'second' : 'default'), 'finished');
        }
      } finally {
        moving.abort();
      }
      assert.ok((await cloning) > 0);
      await check(found, 'default');
    });

    it('the old copy of a repository stays until running fetches have ended, and the repository can be pushed to meanwhile', async () => {
      const found = await newProject();
      await commitFiles(server.platform, found, ada, { 'large.txt': randomBytes(8_000_000).toString('hex') });
      const old = await folderOf(found);
      const work = await clone(found);
      const response = await startFetch(found, head(found) ?? '');
      const { clock } = server.platform;
      clock.freeze(clock.now());
      const move = await start(found, 'second');
      for (const state of ['started', 'replicated']) {
        clock.advance(1);
        await reach(found, move, state);
      }
      for (let pause = 0; pause < 5; pause += 1) {
        clock.advance(10_000);
        server.platform.schedule.runDue();
        await reach(found, move, 'replicated');
      }
      assert.equal(existsSync(path.join(old, 'objects')), true);
      const id = await commit(work, 'b');
      await work.git.succeed('push', '-q', 'origin', 'main');
      assert.equal(head(found), id);
      const pack = (await buffer(response)).subarray('0008NAK\n'.length);
      const indexed = await work.git.runWith({ input: pack }, 'index-pack', '--stdin');
      assert.equal(indexed.code, 0, indexed.stderr);
      await until(
        () => {
          clock.advance(1);
          server.platform.schedule.runDue();
          return api('GET', `${movesOf(found)}/${move.id}`) as Promise<Move>;
        },
        ({ state }) => state === 'finished',
        'the move ends',
      );
      await check(found, 'second');
    });

    it('a push to a repository that is moved is refused with the reason', async () => {
      const found = await newProject();
      const work = await clone(found);
      const id = await commit(work, 'b');
      const { clock } = server.platform;
      clock.freeze(clock.now());
      const move = await start(found, 'second');
      const { code, stderr } = await work.git.run('push', 'origin', 'main');
      assert.notEqual(code, 0);
      assert.ok(stderr.includes(`remote: ${READ_ONLY}`), stderr);
      clock.reset();
      await reach(found, move, 'finished');
      await work.git.succeed('push', '-q', 'origin', 'main');
      assert.equal(head(found), id);
      await check(found, 'second');
    });

    it('a push to a snippet that is moved is refused with the reason before the upload is read', async () => {
      const files = [{ path: 'a.txt', content: 'a' }];
      const { id } = await createSnippet(server.platform, ada.user, { title: 'a', visibility: 'private', files });
      count += 1;
      const dir = path.join(folder, `clone-${count}`);
      await gitClient(folder).succeed('clone', '-q', addressOf(server, `snippets/${id}`, ada.token), dir);
      const work = { git: gitClient(dir), dir };
      await commit(work, 'b');
      const { clock } = server.platform;
      clock.freeze(clock.now());
      const moves = `/api/v4/snippets/${id}/repository_storage_moves`;
      const move = (await api('POST', moves, { destination_storage_name: 'second' })) as Move;
      const { code, stderr } = await work.git.run('push', 'origin', 'main');
      assert.notEqual(code, 0);
      assert.ok(stderr.includes(`remote: ${READ_ONLY}`), stderr);
      const upload = httpRequest(`${server.origin}/snippets/${id}.git/git-receive-pack`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/x-git-receive-pack-request',
          'Content-Length': 1_000_000,
          Authorization: `Basic ${Buffer.from(`x:${ada.token}`).toString('base64')}`,
        },
      });
      upload.flushHeaders();
      const [response] = (await once(upload, 'response')) as [IncomingMessage];
      assert.equal(response.statusCode, 403);
      assert.equal((await text(response)).trim(), READ_ONLY);
      upload.once('error', () => undefined).destroy();
      clock.reset();
      await until(
        async () => ((await api('GET', `${moves}/${move.id}`)) as Move).state,
        (state) => state === 'finished',
        'the move ends',
      );
      await work.git.succeed('push', '-q', 'origin', 'main');
    });

    for (const when of ['while the repository is moved', 'after the move']) {
      it(`a push whose upload began before the move is refused if it ends ${when}, and nothing is lost`, async () => {
        const found = await newProject();
        const before = head(found);
        const work = await clone(found);
        const id = await commit(work, randomBytes(200_000));
        const pack = await packOf(work.git, work.dir, id, before ?? '');
        const line = `${before} ${id} refs/heads/main\0 report-status`;
        const upload = httpRequest(`${server.origin}/${found.project.full_path}.git/git-receive-pack`, {
          method: 'POST',
          headers: {
            'Content-Type': 'application/x-git-receive-pack-request',
            Authorization: `Basic ${Buffer.from(`x:${ada.token}`).toString('base64')}`,
          },
        });
        const response = new Promise<IncomingMessage>((resolve, reject) => {
          upload.once('response', resolve);
          upload.once('error', reject);
        });
        upload.write(Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`));
        upload.write(pack.subarray(0, 100_000));
        const incoming = path.join(await folderOf(found), 'incoming');
        await until(
          () => (existsSync(incoming) ? readdirSync(incoming).length : 0),
          (length) => length > 0,
          'the upload begins',
        );
        const { clock } = server.platform;
        clock.freeze(clock.now());
        const move = await start(found, 'second');
        const end = async (): Promise<void> => {
          upload.end(pack.subarray(100_000));
          assert.match(await text(await response), /ng refs\/heads\/main .*read-only/);
        };
        if (when === 'while the repository is moved') await end();
        clock.reset();
        await reach(found, move, 'finished');
        if (when === 'after the move') await end();
        assert.equal(head(found), before);
        await work.git.succeed('push', '-q', 'origin', 'main');
        assert.equal(head(found), id);
        await check(found, 'second');
      });
    }

    it('a move waits for running changes, and fails after three pauses of ten seconds', async () => {
      const found = await newProject();
      const { clock, repositories, schedule, store } = server.platform;
      const held = Promise.withResolvers<undefined>();
      const running = repositories.exclusively(projectQueue(found.project.id), () => held.promise);
      clock.freeze(clock.now());
      const move = await start(found, 'second');
      clock.advance(1);
      const waits = async (expected: number): Promise<void> => {
        schedule.runDue();
        await until(
          () => store.get<{ waits: number }>('SELECT waits FROM repository_storage_moves WHERE id = $id', { id: move.id })?.waits,
          (seen) => seen === expected,
          `the move has waited ${expected} times`,
        );
      };
      for (const expected of [1, 2, 3]) {
        await waits(expected);
        clock.advance(9999);
        schedule.runDue();
        await reach(found, move, 'scheduled');
        clock.advance(1);
      }
      schedule.runDue();
      await reach(found, move, 'failed');
      const failure = store.get<{ failure: string }>('SELECT failure FROM repository_storage_moves WHERE id = $id', {
        id: move.id,
      });
      assert.equal(failure?.failure, 'Timeout waiting for project repository pushes');
      held.resolve(undefined);
      await running;
      clock.reset();
      await commitFiles(server.platform, found, ada, { 'b.txt': 'more\n' });
      await check(found, 'default');
    });
  });
}

/** Returns the pack of a push. */
async function packOf(git: GitClient, dir: string, after: string, before: string): Promise<Buffer> {
  await git.runWith({ input: `${after}\n^${before}\n` }, 'pack-objects', '--revs', '-q', 'pushed');
  const name = readdirSync(dir).find((file) => file.endsWith('.pack')) ?? '';
  return readFileSync(path.join(dir, name));
}
