import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ErrorDetail } from '../../../src/contract/errorDetail.ts';
import { commitOfRelease, type EventRelease } from '../../../src/errorCode/releaseCommits.ts';
import { type StackLine, suspectOf } from '../../../src/errorCode/suspectOf.ts';
import { createGit } from '../../../src/workspace/runGit.ts';
import { type GitClient, gitClient } from '../../support/gitClient.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { errorDetail, errorEvent } from '../errorPanel/details.ts';

const git = createGit('git');
const release = (version: string) => ({ version, commit: null });

describe('the suspect commit of an error', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let root: string;
  let user: GitClient;
  let day = 0;
  beforeEach(async () => {
    folder = temporaryFolder();
    root = path.join(folder.path, 'lamps');
    mkdirSync(root);
    user = gitClient(root);
    await user.succeed('init', '--quiet');
    await commit('Begin', { 'greet.js': 'one\ntwo\nthree\nfour\n', 'gate.js': 'open\nclose\n' }, '1.0.0');
    await commit('Break the greeting', { 'greet.js': 'one\nBROKEN\nthree\nfour\n' });
    await commit('Paint the gate', { 'gate.js': 'open\nclose\npaint\n' }, '1.1.0');
    await commit('Explain', { 'greet.js': 'new\none\nBROKEN\nthree\nfour\n' }, '1.2.0');
  });
  afterEach(() => folder[Symbol.dispose]());

  it('is the newest one between the last good and the first bad release that wrote a line of the stack', async () => {
    const { commit: found, text } = await suspect([
      ['greet.js', 3],
      ['gate.js', 1],
    ]);
    assert.equal(found?.title, 'Break the greeting');
    assert.equal(found?.author, 'Ada Example');
    assert.equal(text, 'It wrote line 3 of greet.js. Release 1.1.0 has it, 1.0.0 does not.');
  });

  it('is the newest one that changed a file of the stack if none wrote a line of it', async () => {
    const { commit: found, text } = await suspect([['gate.js', 1]]);
    assert.equal(found?.title, 'Paint the gate');
    assert.equal(text, 'It changed gate.js. Release 1.1.0 has it, 1.0.0 does not.');
  });

  it('is found between releases that have reported, or after the tag before', async () => {
    const { text } = await suspect([['greet.js', 3]], {}, ['nothing', '1.1.0', '1.0.0']);
    assert.match(text, /1\.0\.0 does not/);
    assert.match((await suspect([['greet.js', 3]], {}, [])).text, /1\.0\.0 does not/);
  });

  it('is found without the programs that the configuration of the repository names', async () => {
    const trace = path.join(folder.path, 'ran');
    const program = path.join(folder.path, 'program');
    writeFileSync(program, `#!/bin/sh\ntouch ${trace}\ncat "$1"\n`, { mode: 0o755 });
    for (const name of ['diff.external', 'core.fsmonitor', 'core.pager', 'gpg.program', 'diff.js.textconv', 'diff.js.command'])
      await user.succeed('config', name, program);
    for (const name of ['log.showSignature', 'diff.js.cachetextconv']) await user.succeed('config', name, 'true');
    mkdirSync(path.join(root, '.git', 'info'), { recursive: true });
    writeFileSync(path.join(root, '.git', 'info', 'attributes'), '*.js diff=js\n');
    const { commit: found } = await suspect([
      ['greet.js', 3],
      ['gate.js', 1],
    ]);
    assert.equal(found?.title, 'Break the greeting');
    assert.ok(!existsSync(trace), 'a program ran');
  });

  it('is missing for a reason that is said', async () => {
    const why = async (...args: Parameters<typeof suspect>): Promise<string> => {
      const { commit: found, text } = await suspect(...args);
      assert.equal(found, null);
      return text;
    };
    const lines: Parameters<typeof suspect>[0] = [['greet.js', 3]];
    assert.match(await why([]), /no frame of the program is in a Git repository/);
    assert.match(await why(lines, { firstRelease: null }), /the first event names no release/);
    assert.match(await why(lines, { firstRelease: release('9') }), /release 9 is neither a commit nor a tag/);
    const unknown = { version: '9', commit: { id: 'e'.repeat(40), title: '', url: null } };
    assert.match(await why(lines, { firstRelease: unknown }), /does not have the commit of release 9/);
    assert.match(await why(lines, { firstRelease: release('1.0.0') }), /no release before 1\.0\.0 is known/);
    assert.match(await why([['other.js', 3]]), /does not have the files of the stack/);
    assert.match(
      await why([['gate.js', 1]], { firstRelease: release('1.2.0') }, ['1.1.0']),
      /no commit between 1\.1\.0 and 1\.2\.0/,
    );
  });

  it('does not depend on lines where the release has other code than the event', async () => {
    const written = async (code: string | undefined) => (await suspect([['greet.js', 3, code]])).text;
    assert.match(await written('  BROKEN'), /^It wrote line 3 of greet\.js\./);
    assert.match(await written(undefined), /^It wrote line 3 of greet\.js\./);
    assert.match(await written('other'), /^It changed greet\.js\./);
  });

  it('does not depend on lines that the release does not have', async () => {
    assert.equal((await suspect([['greet.js', 900]])).commit?.title, 'Break the greeting');
  });

  function suspect(
    lines: readonly (readonly [path: string, line: number, code?: string | undefined])[],
    more: Partial<ErrorDetail> = {},
    before: readonly string[] = ['1.0.0'],
  ) {
    const event = { ...errorEvent('a'), release: '1.2.0' };
    const { signal } = new AbortController();
    return suspectOf(
      {
        git,
        commitOf: (at: string, of: EventRelease) =>
          commitOfRelease({ git, commitOfTag: () => Promise.resolve(undefined) }, at, of, signal),
        releasesBefore: () => Promise.resolve(before),
      },
      errorDetail({ firstRelease: release('1.1.0'), lastRelease: release('1.2.0'), ...more }),
      event,
      lines.map(([file, line, code]): StackLine => ({ file: { root, path: file }, line, code })),
      signal,
    );
  }

  async function commit(message: string, files: Readonly<Record<string, string>>, tag?: string): Promise<void> {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
    day += 1;
    const date = `2026-03-${String(day).padStart(2, '0')}T12:00:00Z`;
    await user.succeed('add', ...Object.keys(files));
    const env = { GIT_COMMITTER_DATE: date, GIT_AUTHOR_DATE: date };
    const { code, stderr } = await user.runWith({ env }, ...['-c', 'commit.gpgSign=false', 'commit', '--quiet', '-m', message]);
    assert.equal(code, 0, stderr);
    if (tag !== undefined) await user.succeed('tag', tag);
  }
});
