import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { commitFiles } from '../git/repository.ts';

/** Texts that a shell, an option parser, a revision parser, another repository or a file system could misinterpret. */
const hostile = (mark: string): readonly string[] => [
  `--upload-pack=touch ${mark}`,
  `--output=${mark}`,
  `-o${mark}`,
  '--all',
  '--git-dir=/',
  '-',
  '--',
  '--end-of-options',
  `; touch ${mark};`,
  `$(touch ${mark})`,
  `\`touch ${mark}\``,
  `| touch ${mark}`,
  `&& touch ${mark}`,
  `main\ntouch ${mark}`,
  'main\u0000--all',
  '\u0000',
  '..',
  '../..',
  '../../../../../../etc/passwd',
  '/etc/passwd',
  'main..topic',
  'main...topic',
  '^main',
  'main^',
  'main~1',
  'main@{0}',
  '@{-1}',
  '@',
  ':README.md',
  ':/First',
  'main:README.md',
  'main^{/Files}',
  'HEAD^{tree}',
  'refs/heads/main^{commit}',
  'refs/../../x',
  ':(glob)**',
  ':!README.md',
  '*',
  '[a-z]*',
  'C:\\Windows',
  'größe',
  '🚦',
  '\ud800',
  'x'.repeat(4096),
  'x/'.repeat(2048),
  'é'.repeat(2048),
];

/** Declares the tests, with all hostile names or with `sample` of them that the seed determines. */
export function describeHostileNames({ sample = Number.POSITIVE_INFINITY }: { readonly sample?: number } = {}): void {
  describe('hostile names', () => {
    let server: TestServer;
    let ada: Actor;
    let found: FoundProject;
    let folder: ReturnType<typeof temporaryFolder>;
    let mark: string;
    let head: string;

    const names = (): readonly string[] => sampleOf('hostile names', hostile(mark), sample);

    before(async () => {
      folder = temporaryFolder();
      mark = path.join(folder.path, 'mark');
      server = await startTestServer({ dataFolder: folder.path });
      ada = actor(server.platform, 'ada');
      found = projectWith(server.platform, ada, { name: 'Lamps' });
      head = await commitFiles(server.platform, found, ada, { 'README.md': 'Lamps' });
      const written = projectWith(server.platform, ada, { name: 'Points' });
      await commitFiles(server.platform, written, ada, { 'README.md': 'Points' });
      const eve = actor(server.platform, 'eve');
      const secret = projectWith(server.platform, eve, { name: 'Secret' });
      await commitFiles(server.platform, secret, eve, { 'secret.txt': 'TOPSECRET' });
    });
    after(async () => {
      await server.close();
      folder[Symbol.dispose]();
    });

    /** Asserts that nothing was executed, nothing was written elsewhere, and the repository is unchanged. */
    async function nothingHappened(): Promise<void> {
      assert.ok(!existsSync(mark), 'a command was executed or a file was written');
      assert.deepEqual(
        readdirSync(folder.path).filter((name) => name !== 'repositories'),
        [],
      );
      const main = await server.request('GET', '/api/v4/projects/1/repository/branches/main', { token: ada.token });
      assert.partialDeepStrictEqual(main.json(), { commit: { id: head } });
      assert.ok(!existsSync(path.join(tmpdir(), 'mark')));
    }

    it('hostile names in a query match nothing', async () => {
      for (const name of names()) {
        const sent = encodeURIComponent(name.toWellFormed());
        for (const [rest, statuses] of [
          [`tree?ref=${sent}`, [400, 404]],
          [`tree?path=${sent}`, [200, 400, 404]],
          [`commits?ref_name=${sent}`, [200, 400]],
          [`commits?path=${sent}`, [200, 400]],
          [`commits?author=${sent}`, [200, 400]],
          [`branches?search=${sent}`, [200, 400]],
          [`compare?from=${sent}&to=main`, [400, 404]],
          [`merge_base?refs[]=${sent}&refs[]=main`, [400]],
          [`files/README.md?ref=${sent}`, [200, 400, 404]],
        ] as const) {
          const response = await server.request('GET', `/api/v4/projects/1/repository/${rest}`, { token: ada.token });
          const reported = `${rest.slice(0, 100)}: ${response.status} ${response.text.slice(0, 200)}`;
          assert.ok(statuses.some((status) => status === response.status) || response.status === 414, reported);
          assert.ok(!response.text.includes('TOPSECRET') && !response.text.includes('root:'), reported);
          if (response.status === 200 && rest.startsWith('commits?ref_name')) assert.deepEqual(response.json(), [], reported);
        }
      }
      await nothingHappened();
    });

    it('hostile names in a path match nothing', async () => {
      for (const name of names()) {
        const sent = encodeURIComponent(name.toWellFormed());
        for (const rest of [`commits/${sent}`, `branches/${sent}`, `tags/${sent}`, `blobs/${sent}`, `files/${sent}/raw`]) {
          const response = await server.request('GET', `/api/v4/projects/1/repository/${rest}`, { token: ada.token });
          const reported = `${rest.slice(0, 100)}: ${response.status} ${response.text.slice(0, 200)}`;
          assert.ok([400, 404, 414].includes(response.status), reported);
        }
      }
      await nothingHappened();
    });

    it('hostile names of new branches, tags and start points are refused or used literally', async () => {
      for (const name of names()) {
        for (const [rest, json] of [
          ['branches', { branch: name, ref: 'main' }],
          ['branches', { branch: 'new', ref: name }],
          ['tags', { tag_name: name, ref: 'main', message: name }],
          ['tags', { tag_name: 'new', ref: name }],
          [
            'commits',
            { branch: name, start_branch: 'main', commit_message: name, author_name: name, author_email: name, actions: [] },
          ],
          ['commits', { branch: 'new', start_sha: name, commit_message: 'x', actions: [] }],
        ] as const) {
          const response = await server.request('POST', `/api/v4/projects/2/repository/${rest}`, { token: ada.token, json });
          const reported = `${rest} ${JSON.stringify(json).slice(0, 100)}: ${response.status} ${response.text.slice(0, 200)}`;
          assert.ok([201, 400].includes(response.status), reported);
          if (response.status === 201) assert.ok(['größe', '🚦'].includes(name) || isPlain(name), reported);
        }
        await server.request('DELETE', `/api/v4/projects/2/repository/branches/${encodeURIComponent(name.toWellFormed())}`, {
          token: ada.token,
        });
      }
      await nothingHappened();
    });

    it('hostile names of files are refused or stored unchanged', async () => {
      for (const name of names()) {
        const json = {
          branch: 'files',
          start_branch: 'main',
          force: true,
          commit_message: 'x',
          actions: [{ action: 'create', file_path: name, content: 'x' }],
        };
        const response = await server.request('POST', '/api/v4/projects/2/repository/commits', { token: ada.token, json });
        const reported = `${JSON.stringify(name).slice(0, 100)}: ${response.status} ${response.text.slice(0, 200)}`;
        assert.ok([201, 400].includes(response.status), reported);
        if (response.status === 400) continue;
        const tree = await server.request('GET', '/api/v4/projects/2/repository/tree?ref=files&recursive=true', {
          token: ada.token,
        });
        const stored = name.replaceAll(/^\/+|\/+$/g, '');
        assert.ok(
          (tree.json() as { path: string }[]).some((entry) => entry.path === stored),
          reported,
        );
      }
      await nothingHappened();
    });
  });
}

function isPlain(name: string): boolean {
  return /^[x/;$(){}|&`= \w.-]+$/.test(name) && !name.includes(' ') && !name.startsWith('-');
}
