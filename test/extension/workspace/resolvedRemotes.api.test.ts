import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { resolveRemotes, type RunSsh } from '../../../src/workspace/resolvedRemotes.ts';
import type { RunGit } from '../../../src/workspace/runGit.ts';
import { programPath, testEnvironment } from '../../support/environment.ts';
import { type GitClient, gitClient } from '../../support/gitClient.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

describe('remotes as git and ssh resolve them', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let root: string;
  let user: GitClient;
  let home: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    root = path.join(folder.path, 'lamps');
    mkdirSync(root);
    user = gitClient(root);
    home = path.join(root, '.home');
    await user.succeed('init', '--quiet');
  });
  afterEach(() => folder[Symbol.dispose]());

  /** Git with the configuration of the user in this folder. */
  const git: RunGit = async (at, args) => {
    const env = { GIT_CONFIG_GLOBAL: path.join(home, '.gitconfig') };
    const { code, stdout, stderr } = await user.runWith({ env }, '-C', at, ...args);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const noSsh: RunSsh = async () => {
    throw new Error('no ssh');
  };
  const urls = async (ssh: RunSsh = noSsh): Promise<readonly string[]> => (await resolveRemotes(git, ssh, root)).urls;

  it('follow insteadOf in the configuration of the user, which an included file can have', async () => {
    writeFileSync(path.join(home, '.gitconfig'), '[include]\n\tpath = aliases\n');
    writeFileSync(path.join(home, 'aliases'), '[url "https://gitlab.example.com/"]\n\tinsteadOf = gl:\n');
    await user.succeed('config', 'remote.origin.url', 'gl:sea/lamps.git');
    const { urls: found, files } = await resolveRemotes(git, noSsh, root);
    assert.deepEqual(found, ['https://gitlab.example.com/sea/lamps.git', 'gl:sea/lamps.git']);
    assert.deepEqual(files.toSorted(), [path.join(home, '.gitconfig'), path.join(home, 'aliases')].toSorted());
    assert.equal(found[0], (await git(root, ['remote', 'get-url', 'origin'])).trim());
  });

  it('follow conditions in the configuration of the user', async () => {
    writeFileSync(
      path.join(home, '.gitconfig'),
      `[includeIf "gitdir:${root}/"]\n\tpath = work\n[includeIf "gitdir:/nowhere/"]\n\tpath = other\n`,
    );
    writeFileSync(path.join(home, 'work'), '[url "https://work.example/"]\n\tinsteadOf = gl:\n');
    writeFileSync(path.join(home, 'other'), '[url "https://other.example/"]\n\tinsteadOf = gl:\n');
    await user.succeed('config', 'remote.origin.url', 'gl:sea/lamps.git');
    assert.equal((await urls())[0], 'https://work.example/sea/lamps.git');
  });

  it('are found from a folder of the repository, and in a work tree with a configuration of its own', async () => {
    await user.succeed('config', 'remote.origin.url', 'https://gitlab.example.com/sea/lamps.git');
    mkdirSync(path.join(root, 'src'));
    assert.deepEqual((await resolveRemotes(git, noSsh, path.join(root, 'src'))).urls, [
      'https://gitlab.example.com/sea/lamps.git',
    ]);
    await user.succeed('commit', '--quiet', '--allow-empty', '-m', 'First');
    const tree = path.join(folder.path, 'tree');
    await user.succeed('worktree', 'add', '--quiet', tree);
    await user.succeed('config', 'extensions.worktreeConfig', 'true');
    await user.succeed('-C', tree, 'config', '--worktree', 'url.https://tree.example/.insteadOf', 'https://gitlab.example.com/');
    assert.equal((await resolveRemotes(git, noSsh, tree)).urls[0], 'https://tree.example/sea/lamps.git');
  });

  it('have the host that ssh connects to besides the one that the remote names', async function () {
    const program = programPath('ssh');
    // Only the ssh program knows what its configuration means.
    if (program === undefined) this.skip();
    const configuration = path.join(folder.path, 'ssh');
    writeFileSync(configuration, 'Host work\n\tHostName gitlab.example.com\n\tPort 2222\n');
    const asked: string[][] = [];
    const ssh: RunSsh = async (args) => {
      asked.push([...args]);
      return (await promisify(execFile)(program, ['-F', configuration, ...args], { env: testEnvironment(['ssh']) })).stdout;
    };
    await user.succeed('config', 'remote.origin.url', 'git@work:sea/lamps.git');
    await user.succeed('config', 'remote.fork.url', 'ssh://git@work/ana/lamps.git');
    await user.succeed('config', 'remote.other.url', 'https://work/ana/lamps.git');
    assert.deepEqual(await urls(ssh), [
      'git@work:sea/lamps.git',
      'ssh://gitlab.example.com/sea/lamps.git',
      'ssh://git@work/ana/lamps.git',
      'ssh://gitlab.example.com/ana/lamps.git',
      'https://work/ana/lamps.git',
    ]);
    assert.equal(asked.length, 1);
  });

  it('are those of git if there is no ssh', async () => {
    await user.succeed('config', 'remote.origin.url', 'git@work:sea/lamps.git');
    assert.deepEqual(await urls(), ['git@work:sea/lamps.git']);
  });
});
