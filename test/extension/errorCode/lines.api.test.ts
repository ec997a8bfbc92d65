import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { changeBetween } from '../../../src/errorCode/diffHunks.ts';
import { createCommitLines, lineNow, traceLine } from '../../../src/errorCode/lines.ts';
import type { EventRelease } from '../../../src/errorCode/releaseCommits.ts';
import { createGit, type RunGit } from '../../../src/workspace/runGit.ts';
import { type GitClient, gitClient } from '../../support/gitClient.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

const TEXT = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
const FILE = 'src/greet.js';

describe('lines of a release', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let root: string;
  let user: GitClient;
  let first: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    root = path.join(folder.path, 'lamps');
    mkdirSync(path.join(root, 'src'), { recursive: true });
    user = gitClient(root);
    await user.succeed('init', '--quiet');
    write(TEXT);
    first = await commit('Greet');
    await user.succeed('tag', 'v1.0.0');
  });
  afterEach(() => folder[Symbol.dispose]());

  it('are moved by commits and by changes that are not committed', async () => {
    write(['new', ...TEXT]);
    await commit('Add a line');
    write(['newer', 'new', ...TEXT.slice(0, 9), 'changed', ...TEXT.slice(10)]);
    const { at } = subject();
    assert.deepEqual(await at(3, release('1.0.0')), { kind: 'same', line: 5 });
    assert.deepEqual(await at(10, release('1.0.0')), { kind: 'changed', line: 12 });
    assert.deepEqual(await at(20, release('1.0.0')), { kind: 'same', line: 22 });
  });

  it('are moved by edits that are not saved', async () => {
    write(['new', ...TEXT]);
    const { at } = subject();
    const unsaved = changeBetween(['new', ...TEXT], ['new', 'unsaved', ...TEXT]);
    assert.deepEqual(await at(3, release(first), unsaved), { kind: 'same', line: 5 });
  });

  it('come with which other lines are new since the release, in commits and in edits that are not saved', async () => {
    write(['new', ...TEXT.slice(0, 9), 'changed', ...TEXT.slice(10)]);
    await commit('Change a line');
    const { lines } = subject();
    const change = await lines.changeSince({ root, path: FILE }, release('1.0.0'), '');
    const saved = ['new', ...TEXT.slice(0, 9), 'changed', ...TEXT.slice(10)];
    const { now, isNew } = traceLine(change, 10, changeBetween(saved, ['unsaved', ...saved]));
    assert.deepEqual(now, { kind: 'changed', line: 12 });
    assert.deepEqual(
      [1, 2, 3, 11, 12, 13].map((line) => isNew?.(line)),
      [true, true, false, false, true, false],
    );
    assert.equal(traceLine('noRelease', 10).isNew, undefined);
  });

  it('are found by hash, by a name with a hash, by a tag, and by the commit that the instance names', async () => {
    write(['new', ...TEXT]);
    await commit('Add a line');
    const { at } = subject({ v7: first });
    const names = [release(first), release(first.slice(0, 8)), release(`lamps@${first}`), release('lamps@1.0.0')];
    for (const one of [...names, release('v1.0.0'), release('7'), { version: 'x', commit: first }])
      assert.deepEqual(await at(3, one), { kind: 'same', line: 4 }, one.version);
  });

  it('follow a file that was renamed', async () => {
    mkdirSync(path.join(root, 'lib'));
    renameSync(path.join(root, FILE), path.join(root, 'lib/greet.js'));
    writeFileSync(path.join(root, 'lib/greet.js'), ['new', ...TEXT, ''].join('\n'));
    await commit('Move the file');
    assert.deepEqual(await subject().at(3, release(first), undefined, 'lib/greet.js'), { kind: 'same', line: 4 });
  });

  it('are unknown, with the reason', async () => {
    const { at } = subject({ v9: 'f'.repeat(40) });
    const why = async (named: EventRelease | undefined, file = FILE) => {
      const now = await at(3, named, undefined, file);
      return now.kind === 'unknown' ? now.why : now.kind;
    };
    assert.equal(await why(undefined), 'noRelease');
    assert.equal(await why(release('2.0.0')), 'unknownRelease');
    assert.equal(await why(release('--all')), 'unknownRelease');
    assert.equal(await why(release('9')), 'missingCommit');
    assert.equal(await why({ version: '9', commit: 'e'.repeat(40) }), 'missingCommit');
    writeFileSync(path.join(root, 'other.js'), 'x');
    assert.equal(await why(release(first), 'other.js'), 'missingFile');
    assert.equal(await why(release('broken')), 'failed');
    const { lines } = subject();
    assert.equal(await lines.changeSince(undefined, release(first), ''), 'noRepository');
  });

  it('are requested once for each file, commit and state, and a problem again after something was fetched', async () => {
    const { at, lines, runs } = subject();
    await Promise.all([at(3, release(first)), at(4, release(first)), at(5, release(first))]);
    const once = runs.length;
    await at(6, release(first));
    assert.equal(runs.length, once);
    write(['new', ...TEXT]);
    assert.deepEqual(await at(6, release(first)), { kind: 'same', line: 7 });
    assert.equal((await at(6, release('2.0.0'))).kind, 'unknown');
    await user.succeed('tag', '2.0.0');
    assert.equal((await at(6, release('2.0.0'))).kind, 'unknown');
    lines.forgetProblems();
    await new Promise(setImmediate);
    assert.equal((await at(6, release('2.0.0'))).kind, 'same');
  });

  it('do not run programs that the configuration of the repository names', async () => {
    const trace = path.join(folder.path, 'ran');
    const program = path.join(folder.path, 'program');
    writeFileSync(program, `#!/bin/sh\ntouch ${trace}\n`, { mode: 0o755 });
    for (const name of ['diff.external', 'core.fsmonitor', 'diff.js.textconv', 'core.pager', 'diff.js.command'])
      await user.succeed('config', name, program);
    writeFileSync(path.join(root, '.gitattributes'), '*.js diff=js\n');
    write(['new', ...TEXT]);
    assert.deepEqual(await subject().at(3, release(first)), { kind: 'same', line: 4 });
    assert.throws(() => readFileSync(trace), 'no program ran');
  });

  it('are no longer requested when they are canceled', async () => {
    let running: AbortSignal | undefined;
    const lines = createCommitLines({
      git: (_folder, _args, options) =>
        new Promise((_resolve, reject) => {
          running = options?.signal;
          running?.addEventListener('abort', () => reject(new Error('canceled')));
        }),
      commitOfTag: () => Promise.resolve(undefined),
      warn: () => assert.fail('nothing to warn of'),
    });
    const change = lines.changeSince({ root, path: FILE }, release(first), '');
    lines.clear();
    assert.equal(await change, 'failed');
    assert.equal(running?.aborted, true);
  });

  function write(text: readonly string[]): void {
    writeFileSync(path.join(root, FILE), [...text, ''].join('\n'));
  }

  async function commit(message: string): Promise<string> {
    await user.succeed('add', '--all');
    await user.succeed('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', message);
    return (await user.succeed('rev-parse', 'HEAD')).trim();
  }

  function release(version: string): EventRelease {
    return { version, commit: undefined };
  }

  /** Lines with tags that the instance knows. */
  function subject(tags: Readonly<Record<string, string>> = {}) {
    const runs: string[] = [];
    const git = createGit('git');
    const counted: RunGit = (at, args, options) => {
      runs.push(args.join(' '));
      return git(at, args, options);
    };
    const lines = createCommitLines({
      git: counted,
      commitOfTag: (tag) => (tag === 'broken' ? Promise.reject(new Error('no answer')) : Promise.resolve(tags[tag])),
      warn: () => undefined,
    });
    const at = async (line: number, of: EventRelease | undefined, unsaved?: Parameters<typeof lineNow>[2], file = FILE) => {
      const { mtimeMs, size } = statSync(path.join(root, file));
      return lineNow(await lines.changeSince({ root, path: file }, of, `${mtimeMs} ${size}`), line, unsaved);
    };
    return { at, lines, runs };
  }
});
