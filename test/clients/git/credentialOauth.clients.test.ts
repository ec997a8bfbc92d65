import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { createApplication } from '../../../server/features/oauth/oauth.ts';
import { commitFiles } from '../../server/git/repository.ts';
import { actor, projectWith } from '../../server/projects/cast.ts';
import { clientTest, debianProgram } from '../../support/clientSuite.ts';
import { leadsTo } from '../../server/oauth/codes.ts';
import { clientOf } from '../../server/oauth/support.ts';
import { environment } from '../../support/gitClient.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

clientTest(
  'version 0.4.2 of git-credential-oauth signs in by authorization code, and git clones and pushes with its token (observed dialect)',
  () => debianProgram('git-credential-oauth', '0.4.2', 'usr/bin/git-credential-oauth'),
  async (program) => {
    await using server = await startTestServer({ profile: { dialect: 'observed' } });
    const ada = actor(server.platform, 'ada');
    const found = projectWith(server.platform, ada, { name: 'Lamps' });
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    const scopes = ['read_repository', 'write_repository'];
    const application = clientOf(
      createApplication(server.platform, {
        name: 'git-credential-oauth',
        scopes,
        confidential: false,
        redirectUris: ['http://127.0.0.1'],
      }),
    );
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-credential-'));
    try {
      // The helper starts a browser if there is one; this one does nothing, because the test reads the address.
      const opener = path.join(folder, 'xdg-open');
      writeFileSync(opener, '#!/bin/sh\n');
      chmodSync(opener, 0o755);
      const browser = new PageClient(server);
      await browser.signIn('ada');
      const settings = {
        helper: program,
        [`${server.origin}.oauthClientId`]: application.client_id,
        [`${server.origin}.oauthScopes`]: scopes.join(' '),
        [`${server.origin}.oauthAuthURL`]: '/oauth/authorize',
        [`${server.origin}.oauthTokenURL`]: '/oauth/token',
      };
      const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `credential.${name}=${value}`]);
      const git = (cwd: string, ...args: readonly string[]): Promise<string> =>
        consenting(browser, server, folder, cwd, [...options, ...args]);

      const clone = path.join(folder, 'lamps');
      await git(folder, 'clone', '--quiet', `${server.origin}/ada/lamps.git`, clone);
      assert.equal(readFileSync(path.join(clone, 'a.txt'), 'utf8'), 'lamp\n');

      await git(clone, 'push', '--quiet', 'origin', 'HEAD:refs/heads/night');
      const branches = await server.request('GET', `/api/v4/projects/${found.project.id}/repository/branches`, {
        token: ada.token,
      });
      assert.deepEqual(
        (branches.json() as { name: string }[]).map(({ name }) => name),
        ['main', 'night'],
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);

/** Runs git, and approves the authorization request that its credential helper prints, as a browser would. Returns the output of git. */
async function consenting(
  browser: PageClient,
  server: TestServer,
  home: string,
  cwd: string,
  args: readonly string[],
): Promise<string> {
  const env = environment(home);
  const child = spawn('git', args, {
    cwd,
    env: { ...env, PATH: `${home}${path.delimiter}${env['PATH']}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'close');
  let text = '';
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      text += `${line}\n`;
      const address = /\S+\/oauth\/authorize\?\S+/.exec(line)?.[0];
      if (address === undefined) continue;
      const returned = await fetch(await consent(browser, server, address));
      assert.equal(returned.status, 200, await returned.text());
    }
    const [code] = await ended;
    assert.equal(code, 0, text);
    return text;
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Approves a request, unless it was approved before. Returns the address to which the browser is redirected. */
async function consent(browser: PageClient, { origin }: TestServer, address: string): Promise<string> {
  assert.ok(address.startsWith(origin), address);
  const page = await browser.open(address.slice(origin.length));
  assert.equal(page.status, 200, page.text);
  const known = leadsTo(page);
  if (known !== '') return known;
  return (await browser.submit(page, '/oauth/authorize')).headers.get('location') ?? '';
}
