import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { branchHead } from '../../../server/features/git/refs.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, projectWith } from '../projects/cast.ts';
import { addressOf, gitClient } from '../../support/gitClient.ts';
import { type TestServer } from '../../support/server.ts';
import { checkFolder } from './repositoryFolder.ts';
import { type Clones, commitFile, startClones } from './clones.ts';

/** Number of folders among which the files are divided. */
const FOLDERS = 100;

export interface Amounts {
  /** Number of files in each of five commits; a multiple of 200. */
  readonly filesPerCommit: number;
  /** Number of clients that push or clone at the same time. */
  readonly clients: number;
}

/** Declares tests of many files and many clients. */
export function describeAmounts({ filesPerCommit, clients }: Amounts): void {
  describe('git with many files and clients', () => {
    let clones: Clones;
    let server: TestServer;
    let folder: string;
    let ada: Actor;
    before(async () => {
      clones = await startClones();
      ({ server, folder, ada } = clones);
    });
    after(() => clones.close());

    const head = (found: FoundProject, branch: string): string | undefined =>
      branchHead(server.platform, found.project.id, branch);

    it(`receives ${5 * filesPerCommit} files in five commits, and counts and lists them`, async () => {
      const filesPerFolder = (5 * filesPerCommit) / FOLDERS;
      const found = await clones.newProject('public');
      const { git } = await clones.clone(found.project.full_path);
      const before = head(found, 'main') ?? '';
      const commits = Array.from({ length: 5 }, (_, round) => {
        const files = Array.from({ length: filesPerCommit }, (_, index) => {
          const text = `${round}-${index}`;
          return `M 100644 inline d${index % FOLDERS}/${text}\ndata ${text.length}\n${text}\n`;
        });
        const start = round === 0 ? `from ${before}\n` : '';
        return `commit refs/heads/files\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 7\nFiles ${round}\n${start}${files.join('')}\n`;
      });
      const imported = await git.runWith({ input: commits.join('') }, 'fast-import', '--quiet');
      assert.equal(imported.code, 0, imported.stderr);
      await git.succeed('push', '-q', 'origin', 'files:main');
      const after = (await git.succeed('rev-parse', 'files')).trim();
      assert.equal(head(found, 'main'), after);
      const feed = await server.request('GET', `/api/v4/projects/${found.project.id}/events?action=pushed`, { token: ada.token });
      const [newest] = feed.json() as readonly { readonly push_data: unknown }[];
      assert.partialDeepStrictEqual(newest?.push_data, {
        commit_count: 5,
        commit_from: before,
        commit_to: after,
        commit_title: 'Files 4',
        ref: 'main',
        action: 'pushed',
      });
      const repository = `/api/v4/projects/${found.project.id}/repository`;
      const history = await server.request('GET', `${repository}/commits?per_page=1&with_stats=true`, { token: ada.token });
      assert.equal(history.headers.get('x-total'), '6');
      assert.partialDeepStrictEqual(history.json(), [{ id: after, stats: { additions: filesPerCommit, deletions: 0 } }]);
      const tree = await server.request('GET', `${repository}/tree?recursive=true&pagination=none`, { token: ada.token });
      const entries = tree.json() as readonly { readonly type: string; readonly path: string }[];
      // The first commit of the project has one file.
      assert.deepEqual(
        ['blob', 'tree'].map((kind) => entries.filter(({ type }) => type === kind).length),
        [5 * filesPerCommit + 1, FOLDERS],
      );
      const directory = await server.request(
        'GET',
        `${repository}/tree?path=d${FOLDERS - 1}&per_page=2&page=${filesPerFolder / 2}`,
        { token: ada.token },
      );
      assert.deepEqual([directory.headers.get('x-total'), Object(directory.json()).length], [String(filesPerFolder), 2]);
      await checkFolder(server, found);
    });

    it(`transfers ${5 * filesPerCommit} files`, async () => {
      const { project } = projectWith(server.platform, ada, { name: 'Files', visibility: 'public' });
      const files = Array.from(
        { length: 5 * filesPerCommit },
        (_, index) => `M 100644 inline d${index % FOLDERS}/f${index}\ndata ${String(index).length}\n${index}\n`,
      );
      const commit = `commit refs/heads/main\ncommitter Ada <ada@example.com> 1700000000 +0000\ndata 5\nFiles\n${files.join('')}\n`;
      await gitClient(folder).succeed('init', '--bare', 'files.git');
      assert.equal((await gitClient(folder).runWith({ input: commit }, '-C', 'files.git', 'fast-import', '--quiet')).code, 0);
      await gitClient(folder).succeed('-C', 'files.git', 'push', addressOf(server, project.full_path, ada.token), 'main');
      await gitClient(folder).succeed('clone', '--bare', addressOf(server, project.full_path), 'copy.git');
      const listed = await gitClient(folder).succeed('-C', 'copy.git', 'ls-tree', '-r', '--name-only', 'main');
      assert.equal(listed.trim().split('\n').length, 5 * filesPerCommit);
    });

    it(`lets one of ${clients} simultaneous pushes to a branch win, and tells the others`, async () => {
      const found = await clones.newProject('public');
      const copies = await Promise.all(Array.from({ length: clients }, () => clones.clone(found.project.full_path)));
      const ids = await Promise.all(copies.map(({ git, dir }, index) => commitFile(git, dir, `f${index}`)));
      const results = await Promise.all(copies.map(({ git }) => git.run('push', 'origin', 'main')));
      const winners = results.flatMap(({ code }, index) => (code === 0 ? [ids[index]] : []));
      assert.deepEqual(winners, [head(found, 'main')]);
      for (const { code, stderr } of results) if (code !== 0) assert.match(stderr, /rejected.*\(fetch first\)/s);
      await checkFolder(server, found);
    });

    it(`serves ${clients} clones at once`, async () => {
      const found = await clones.newProject('public');
      const copies = await Promise.all(Array.from({ length: clients }, () => clones.clone(found.project.full_path)));
      for (const { dir } of copies) assert.equal(readFileSync(path.join(dir, 'a.txt'), 'utf8'), 'lamp\n');
    });
  });
}
