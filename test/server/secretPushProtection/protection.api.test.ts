import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { branchHead } from '../../../server/features/git/refs.ts';
import { commitFiles } from '../git/repository.ts';
import { ask } from '../graphql/queries.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { addressOf, type GitClient, gitClient } from '../../support/gitClient.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const SECRET = 'glpat-12345678901234567890';

describe('secret push protection', () => {
  let server: TestServer;
  let folder: string;
  let ada: Actor;
  let bob: Actor;
  let rita: Actor;
  let found: FoundProject;
  let settings: string;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    bob = actor(server.platform, 'bob');
    rita = actor(server.platform, 'rita');
    found = projectWith(server.platform, ada, { name: 'Lamps', path: 'lamps' }, [
      [bob, 30],
      [rita, 20],
    ]);
    settings = `/api/v4/projects/${found.project.id}/security_settings`;
    folder = mkdtempSync(path.join(tmpdir(), 'signalbox-secrets-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.close();
  });

  const enable = async (json: object = { secret_push_protection_enabled: true }) =>
    server.request('PUT', settings, { token: ada.token, json });

  async function cloned(): Promise<{ dir: string; git: GitClient; write: (text: string) => Promise<string> }> {
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    const dir = path.join(folder, 'clone');
    await gitClient(folder).succeed('clone', '-q', addressOf(server, found.project.full_path, ada.token), dir);
    const git = gitClient(dir);
    const write = async (text: string): Promise<string> => {
      writeFileSync(path.join(dir, 'a.txt'), text);
      await git.succeed('commit', '-q', '-a', '-m', 'Change');
      return (await git.succeed('rev-parse', 'HEAD')).trim();
    };
    return { dir, git, write };
  }
  const remote = (stderr: string): string[] =>
    stderr.split('\n').flatMap((line) => (line.startsWith('remote: ') ? [line.slice(8).trimEnd()] : []));

  it('a push that adds a token is refused with the commit, the file and the line', async () => {
    const { git, write } = await cloned();
    assert.equal((await enable()).status, 200);
    const commit = await write(`lamp\n${SECRET}\n`);
    await write('lamp\nwithout\n');
    const before = branchHead(server.platform, found.project.id, 'main');
    const pushed = await git.run('push', 'origin', 'HEAD:refs/heads/main');
    assert.match(pushed.stderr, /! \[remote rejected\] HEAD -> main \(pre-receive hook declined\)/);
    assert.deepEqual(remote(pushed.stderr), [
      'GitLab:',
      'PUSH BLOCKED: Secrets detected in code changes',
      '',
      `Secret push protection found the following secrets in commit: ${commit}`,
      '-- a.txt:2 | GitLab personal access token',
      '',
      'To push your changes you must remove the identified secrets.',
      '',
      'To skip secret push protection, add the following Git push option to your push command: `-o secret_push_protection.skip_all`',
    ]);
    assert.equal(branchHead(server.platform, found.project.id, 'main'), before);
  });

  it('a push option skips the check, and a later push that removes the token is accepted', async () => {
    const { git, write } = await cloned();
    await enable();
    await write(`lamp\n${SECRET}\n`);
    await git.succeed('push', '-q', '-o', 'secret_push_protection.skip_all', 'origin', 'HEAD:refs/heads/main');
    const commit = await write('lamp\n');
    await git.succeed('push', '-q', 'origin', 'HEAD:refs/heads/main');
    assert.equal(branchHead(server.platform, found.project.id, 'main'), commit);
  });

  for (const [what, write] of [
    ['in the changes of a merge commit', (dir: string) => writeFileSync(path.join(dir, 'b.txt'), `${SECRET}\n`)],
    ['in a file with a NUL', (dir: string) => writeFileSync(path.join(dir, 'b.txt'), `${SECRET}\n\0`)],
    ['in a merged file with a NUL', (dir: string) => writeFileSync(path.join(dir, 'a.txt'), `lamp\n\0${SECRET}\n`)],
  ] as const)
    it(`a token ${what} is found`, async () => {
      const { dir, git } = await cloned();
      await enable();
      await git.succeed('checkout', '-q', '-b', 'side');
      writeFileSync(path.join(dir, 'side.txt'), 'side\n');
      await git.succeed('add', '*.txt');
      await git.succeed('commit', '-q', '-m', 'Side');
      await git.succeed('checkout', '-q', 'main');
      await git.succeed('commit', '-q', '--allow-empty', '-m', 'Main');
      await git.succeed('merge', '-q', '--no-commit', '--no-ff', 'side');
      write(dir);
      await git.succeed('add', '*.txt');
      await git.succeed('commit', '-q', '-m', 'Merge');
      const pushed = await git.run('push', 'origin', 'main');
      assert.match(pushed.stderr, /-- [ab]\.txt:[12] \| GitLab personal access token/);
    });

  it('a merge of commits that are there already is no reason to refuse a push', async () => {
    const { git, write } = await cloned();
    await write(`lamp\n${SECRET}\n`);
    await git.succeed('push', '-q', 'origin', 'main');
    await enable();
    await git.succeed('checkout', '-q', '-b', 'side', 'main~1');
    await git.succeed('commit', '-q', '--allow-empty', '-m', 'Side');
    await git.succeed('merge', '-q', '--no-edit', '--no-ff', 'main');
    const pushed = await git.run('push', 'origin', 'side');
    assert.equal(pushed.code, 0, pushed.stderr);
  });

  it('commits of the API and of pages are checked, and the message of a commit skips the check', async () => {
    await commitFiles(server.platform, found, ada, { 'a.txt': 'lamp\n' });
    await enable();
    const file = `/api/v4/projects/${found.project.id}/repository/files/b.txt`;
    const json = { branch: 'main', content: `${SECRET}\n`, commit_message: 'Change' };
    const refused = await server.request('POST', file, { token: ada.token, json });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /PUSH BLOCKED: Secrets detected in code changes/);
    const actions = [{ action: 'create', file_path: 'b.txt', content: SECRET }];
    const commits = `/api/v4/projects/${found.project.id}/repository/commits`;
    const several = await server.request('POST', commits, { token: ada.token, json: { ...json, actions } });
    assert.match(several.text, /-- b\.txt:1 \| GitLab personal access token/);
    const skipped = await server.request('POST', file, {
      token: ada.token,
      json: { ...json, commit_message: 'Change\n\n[skip secret push protection]' },
    });
    assert.equal(skipped.status, 201);
  });

  it('projects without the protection and pushes without tokens are not refused', async () => {
    const { git, write } = await cloned();
    await write(`lamp\n${SECRET}\n`);
    await git.succeed('push', '-q', 'origin', 'HEAD:refs/heads/main');
    await enable();
    const commit = await write(`lamp\n${SECRET}\nglpat-short\n`);
    await git.succeed('push', '-q', 'origin', 'HEAD:refs/heads/main');
    assert.equal(branchHead(server.platform, found.project.id, 'main'), commit);
  });

  it('developers read the setting, maintainers change it, and others get 401', async () => {
    const { id } = found.project;
    for (const [who, read, changed] of [
      [ada, 200, 200],
      [bob, 200, 401],
      [rita, 401, 401],
    ] as const) {
      const json = { secret_push_protection_enabled: true };
      assert.equal((await server.request('GET', settings, who)).status, read);
      assert.equal((await server.request('PUT', settings, { ...who, json })).status, changed);
      const shown = (await server.request('GET', `/api/v4/projects/${id}`, who)).json() as Record<string, unknown>;
      assert.equal(shown['secret_push_protection_enabled'], read === 200 ? true : undefined);
    }
    const empty = await enable({});
    assert.deepEqual(empty.json(), {
      error:
        'secret_push_protection_enabled, pre_receive_secret_detection_enabled are missing, at least one parameter must be provided',
    });
  });

  it('the mutations refuse developers and unknown projects', async () => {
    const change = (token: string, path: string) =>
      ask(server, token, `mutation { setSecretPushProtection(input: { namespacePath: "${path}", enable: true }) { errors } }`);
    const refused = [
      "The resource that you are attempting to access does not exist or you don't have permission to perform this action",
    ];
    assert.deepEqual((await change(bob.token, 'ada/lamps')).errors, refused);
    assert.deepEqual((await change(ada.token, 'ada/unknown')).errors, refused);
    assert.deepEqual((await change(ada.token, 'ada/lamps')).errors, []);
  });

  it('other tiers have neither the settings nor the attributes', async () => {
    await using premium = await startTestServer({ profile: { tier: 'premium' } });
    const eve = actor(premium.platform, 'eve');
    const { project } = projectWith(premium.platform, eve, { name: 'Lamps' });
    assert.equal((await premium.request('GET', `/api/v4/projects/${project.id}/security_settings`, eve)).status, 404);
    const shown = (await premium.request('GET', `/api/v4/projects/${project.id}`, eve)).json() as object;
    assert.ok(!Object.hasOwn(shown, 'pre_receive_secret_detection_enabled'));
  });
});
