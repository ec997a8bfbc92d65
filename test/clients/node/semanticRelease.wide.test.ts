// Wide: A release is made with semantic-release, a program with many packages.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { commitFiles } from '../../server/git/repository.ts';
import { actor, projectWith } from '../../server/projects/cast.ts';
import { clientTest, npmPackages } from '../../support/clientSuite.ts';
import { addressOf, environment, gitClient } from '../../support/gitClient.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer } from '../../support/server.ts';

clientTest(
  'semantic-release tags a release, publishes it with an uploaded file, and comments on the merge request and the issue',
  () => npmPackages(path.join(import.meta.dirname, 'semantic-release')),
  async (packages) => {
    await using server = await startTestServer();
    const ada = actor(server.platform, 'ada');
    const found = projectWith(server.platform, ada, { name: 'Lamps' });
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' }, { message: 'fix: light the lamp' });
    const api = async (method: string, target: string, json?: unknown): Promise<unknown> => {
      const response = await server.request(method, `/api/v4/projects/${found.project.id}${target}`, { token: ada.token, json });
      assert.ok(response.status < 300, response.text);
      return response.json();
    };
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-release-'));
    try {
      const clone = path.join(folder, 'lamps');
      await gitClient(folder).succeed('clone', '--quiet', addressOf(server, 'ada/lamps', ada.token), clone);
      const git = gitClient(clone);
      const release = async (): Promise<string> => {
        await git.succeed('pull', '--quiet');
        const program = path.join(packages, 'node_modules/semantic-release/bin/semantic-release.js');
        const env = { ...environment(folder), GL_TOKEN: ada.token, GL_URL: server.origin };
        const { stdout } = await promisify(execFile)(process.execPath, [program, '--no-ci'], { cwd: clone, env });
        return stdout;
      };
      await api('POST', '/issues', { title: 'The lamp has one color' });
      await git.succeed('checkout', '--quiet', '-b', 'colors');
      const config = {
        branches: ['main'],
        repositoryUrl: `${server.origin}/ada/lamps.git`,
        plugins: [
          '@semantic-release/commit-analyzer',
          '@semantic-release/release-notes-generator',
          ['@semantic-release/gitlab', { assets: [{ path: 'manual.txt', label: 'Manual' }] }],
        ],
      };
      writeFileSync(path.join(clone, '.releaserc.json'), JSON.stringify(config));
      writeFileSync(path.join(clone, 'manual.txt'), 'Press the button.\n');
      await git.succeed('add', '.releaserc.json', 'manual.txt');
      await git.succeed('commit', '--quiet', '-m', 'feat: add colors');
      await git.succeed('push', '--quiet', 'origin', 'colors');
      const request = { source_branch: 'colors', target_branch: 'main', title: 'Add colors', description: 'Closes #1' };
      await api('POST', '/merge_requests', request);
      await api('PUT', '/merge_requests/1/merge');
      await git.succeed('checkout', '--quiet', 'main');

      assert.match(await release(), /Published release 1\.0\.0 on default channel/);
      const [published, ...others] = (await api('GET', '/releases')) as {
        tag_name: string;
        description: string;
        assets: { links: { name: string; url: string }[] };
      }[];
      assert.ok(published !== undefined && others.length === 0);
      assert.equal(published.tag_name, 'v1.0.0');
      assert.match(published.description, /### Bug Fixes[^]*light the lamp[^]*### Features[^]*add colors/);
      assert.deepEqual(
        published.assets.links.map(({ name }) => name),
        ['Manual'],
      );
      const browser = new PageClient(server);
      await browser.signIn('ada');
      const file = await browser.open((published.assets.links[0]?.url ?? '').slice(server.origin.length));
      assert.equal(file.text, 'Press the button.\n');
      for (const item of ['issues', 'merge_requests']) {
        const notes = (await api('GET', `/${item}/1/notes`)) as { body: string; system: boolean }[];
        const comments = notes.filter(({ system }) => !system).map(({ body }) => body);
        assert.deepEqual([item, comments.length], [item, 1]);
        assert.match(comments[0] ?? '', /^:tada: This .* in version 1\.0\.0/);
      }
      // There is nothing to release until somebody pushes.
      assert.match(await release(), /There are no relevant changes/);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
