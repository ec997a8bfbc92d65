import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { codeToShare, type FrameInFile } from '../../../src/errorCode/sharedCode.ts';
import { createGit, type RunGit } from '../../../src/workspace/runGit.ts';
import { type GitClient, gitClient } from '../../support/gitClient.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

/** A file with a function, whose lines a frame names. */
const CODE = [
  "import { harbour } from './harbour.js';",
  '',
  'export function moor(ship) {',
  '  const berth = harbour.find(ship);',
  "  if (berth === undefined) throw new Error('No berth.');",
  '  return berth;',
  '}',
  ...Array.from({ length: 80 }, (_, at) => `// Line ${at + 8}`),
  'export const last = 1;',
];
const FILE = 'src/moor.js';
const LINE = 4;
const TEXT = '  const berth = harbour.find(ship);';

describe('code of the workspace that may leave the machine', () => {
  let temporary: ReturnType<typeof temporaryFolder>;
  let folder: string;
  let user: GitClient;
  beforeEach(async () => {
    temporary = temporaryFolder();
    folder = path.join(realpathSync(temporary.path), 'ships');
    write(FILE, CODE);
    user = gitClient(folder);
    await user.succeed('init', '--quiet');
    await user.succeed('add', '--', FILE);
  });
  afterEach(() => temporary[Symbol.dispose]());

  function write(name: string, lines: readonly string[] = CODE): void {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, lines.join('\n'));
  }

  /** Writes a file and adds it to the repository, also if git ignores it. */
  async function track(name: string, lines: readonly string[] = CODE): Promise<void> {
    write(name, lines);
    await user.succeed('add', '--force', '--', name);
  }

  /** Returns the numbers of the lines that are shared, or the reason for which they are left out. By default, everything about the frame is right. */
  async function share(changed: Partial<FrameInFile> & { readonly name?: string } = {}, git: RunGit = createGit('git')) {
    const { name = FILE, ...others } = changed;
    const frame = {
      folder,
      file: path.join(folder, name),
      line: LINE,
      code: TEXT,
      function: 'moor',
      module: null,
      isOfProject: true,
    };
    const shared = await codeToShare({ ...frame, ...others }, git);
    return shared.kind === 'code' ? shared.lines.map(({ line }) => line) : shared.because;
  }

  const SHARED = [1, 2, 3, 4, 5, 6, 7, 8, 9];
  const NOT_TRACKED = 'git does not track the file';
  const IGNORED = 'git ignores the file';
  const PRIVATE = 'dot files, keys and credentials are never shared';
  const OUTSIDE = 'a symbolic link leads out of the repository or the open folder';
  const OTHER_LINE = 'the file has another line there than the event';
  const OTHER_FUNCTION = 'the function of the frame is not defined near the line';
  const UNPROVEN = 'the event does not have the line, and no folder with a repository belongs to the project';

  it('is shared with the lines around it if the event has the same line, or if the function is near', async () => {
    const shared = await codeToShare(
      { folder, file: path.join(folder, FILE), line: 5, code: CODE[4], function: null, module: null, isOfProject: true },
      createGit('git'),
    );
    assert.deepEqual(shared, { kind: 'code', lines: CODE.slice(0, 10).map((text, at) => ({ line: at + 1, text })) });
    assert.deepEqual(await share(), SHARED);
    assert.deepEqual(await share({ function: null }), SHARED);
    assert.deepEqual(await share({ code: TEXT.trim(), function: 'other', isOfProject: false }), SHARED);
    assert.deepEqual(await share({ code: undefined }), SHARED);
    assert.deepEqual(await share({ code: undefined, function: 'Object.moor' }), SHARED);
  });

  it('is left out where the line of the file is another one, whatever the function is', async () => {
    for (const code of ['const berth = harbour.find(boat);', 'berth', "'{snip} berth {snip}", "'{snip}  {snip}", '{snip}'])
      assert.equal(await share({ code }), OTHER_LINE, code);
    for (const line of [3, 5, 60, 0, -1, 1_000, Number.NaN]) assert.equal(await share({ line }), OTHER_LINE, String(line));
  });

  it('is left out without the line of the event where the function is missing or further away', async () => {
    for (const name of [null, '', '<module>', 'harbour', 'berth', 'unmoor', 'find', 'if'])
      assert.equal(await share({ code: undefined, function: name }), OTHER_FUNCTION, String(name));
    assert.equal(await share({ code: undefined, line: 60 }), OTHER_FUNCTION);
    assert.deepEqual((await share({ code: undefined, line: 53 })).length, 11);
    assert.equal(await share({ code: undefined, isOfProject: false }), UNPROVEN);
  });

  it('is not shared for a line that everybody can guess alone', async () => {
    for (const text of [
      '}',
      '  return;',
      '<?php',
      '#!/bin/sh',
      "'use strict';",
      'import os',
      '<?xml version="1.0"?>',
      'package main',
    ]) {
      await track('guessed.txt', [text, 'password = swordfish']);
      assert.equal(await share({ name: 'guessed.txt', line: 1, code: text }), OTHER_FUNCTION, text);
      assert.equal(await share({ name: 'guessed.txt', line: 1, code: text, isOfProject: false }), UNPROVEN, text);
    }
    assert.deepEqual((await share({ line: 7, code: '}' })).length, 11);
  });

  it('is shared for the part of a long line that SDKs send', async () => {
    const long = `const ships = [${Array.from({ length: 90 }, (_, at) => `"ship ${at}"`).join(', ')}];`;
    await track('long.js', [long]);
    const part = (length: number): string => `'{snip} ${long.slice(200, 200 + length)} {snip}`;
    assert.deepEqual(await share({ name: 'long.js', line: 1, code: part(140) }), [1]);
    assert.equal(await share({ name: 'long.js', line: 1, code: part(20) }), OTHER_LINE);
  });

  it('is left out of files that git does not track, or ignores, also if they were added', async () => {
    write('new.js');
    assert.equal(await share({ name: 'new.js' }), NOT_TRACKED);
    write('.gitignore', ['build/', 'local.js']);
    write('build/moor.js');
    assert.equal(await share({ name: 'build/moor.js' }), NOT_TRACKED);
    await track('local.js');
    assert.equal(await share({ name: 'local.js' }), IGNORED);
    await user.succeed('rm', '--quiet', '--cached', '--', FILE);
    assert.equal(await share(), NOT_TRACKED);
  });

  it('is shared from tracked files with special names, and during a merge', async () => {
    await track('src/[id]/*.js');
    await track('src/:(top)é b.js');
    for (const name of ['src/[id]/*.js', 'src/:(top)é b.js']) assert.deepEqual(await share({ name }), SHARED, name);
    write('src/[id]/a.js');
    assert.equal(await share({ name: 'src/[id]/a.js' }), NOT_TRACKED);
    const hash = (await user.succeed('hash-object', '-w', '--', FILE)).trim();
    const entries = [1, 2, 3].map((stage) => `100644 ${hash} ${stage}\t${FILE}\n`).join('');
    await user.succeed('rm', '--quiet', '--cached', '--', FILE);
    await user.runWith({ input: entries }, 'update-index', '--index-info');
    assert.deepEqual(await share(), SHARED);
  });

  it('is left out of dot files, keys and credentials, also if git tracks them', async () => {
    for (const name of [
      '.env',
      '.env.js',
      'src/.cache/moor.js',
      'id_rsa',
      'tls/server.pem',
      'server.key',
      '.npmrc',
      'terraform.tfstate',
    ]) {
      await track(name);
      assert.equal(await share({ name }), PRIVATE, name);
    }
    assert.equal(await share({ name: '.git/config' }), PRIVATE);
  });

  it('is left out where a symbolic link leads out of the repository, or to what is not shared', async () => {
    mkdirSync(path.join(folder, '../other/src'), { recursive: true });
    write('../other/src/moor.js');
    const other = gitClient(path.join(folder, '../other'));
    await other.succeed('init', '--quiet');
    await other.succeed('add', '--', 'src');
    await track('server.pem');
    write('new.js');
    const links = {
      'file.js': ['../other/src/moor.js', OUTSIDE],
      folder: ['../other', OUTSIDE],
      'source/folder': ['../../other/src', OUTSIDE],
      'key.js': ['server.pem', PRIVATE],
      'named.key': ['src/moor.js', PRIVATE],
      'untracked.js': ['new.js', NOT_TRACKED],
      'missing.js': ['no-such.js', 'the file is missing or too large'],
    } as const;
    mkdirSync(path.join(folder, 'source'));
    for (const [name, [target]] of Object.entries(links)) symlinkSync(target, path.join(folder, name));
    await user.succeed('add', '--', 'file.js', 'folder', 'source/folder', 'key.js', 'named.key', 'untracked.js', 'missing.js');
    const files: Readonly<Record<string, string>> = { folder: 'folder/src/moor.js', 'source/folder': 'source/folder/moor.js' };
    for (const [name, [, reason]] of Object.entries(links))
      assert.equal(await share({ name: files[name] ?? name }), reason, name);
    symlinkSync('moor.js', path.join(folder, 'src/same.js'));
    assert.deepEqual(await share({ name: 'src/same.js' }), SHARED);
  });

  it('is shared from a folder that is opened through a symbolic link, below the repository, or is a repository in another one', async () => {
    const link = path.join(folder, '../opened');
    symlinkSync(folder, link);
    assert.deepEqual(await share({ folder: link, file: path.join(link, FILE) }), SHARED);
    assert.deepEqual(await share({ folder: path.join(folder, 'src') }), SHARED);
    write('inner/src/moor.js');
    const inner = gitClient(path.join(folder, 'inner'));
    await inner.succeed('init', '--quiet');
    assert.equal(await share({ name: 'inner/src/moor.js' }), NOT_TRACKED);
    await inner.succeed('add', '--', 'src');
    assert.deepEqual(await share({ name: 'inner/src/moor.js' }), SHARED);
    symlinkSync('../src/moor.js', path.join(folder, 'inner/outer.js'));
    assert.equal(await share({ name: 'inner/outer.js' }), OUTSIDE);
  });

  it('is left out if git cannot be asked', async () => {
    assert.equal(await share({}, () => Promise.reject(new Error('no git program'))), 'git cannot say whether it tracks the file');
  });

  it('is shared without a repository only if the event has the line', async () => {
    renameSync(path.join(folder, '.git'), path.join(folder, 'git'));
    assert.deepEqual(await share({ isOfProject: false }), SHARED);
    assert.equal(await share({ code: 'const berth = 1;' }), OTHER_LINE);
    assert.equal(await share({ code: undefined }), UNPROVEN);
    for (const name of ['.env', 'id_rsa', 'config/server.key']) {
      write(name);
      assert.equal(await share({ name }), PRIVATE, name);
    }
    write('../elsewhere.js');
    symlinkSync('../elsewhere.js', path.join(folder, 'link.js'));
    assert.equal(await share({ name: 'link.js' }), OUTSIDE);
    symlinkSync('id_rsa', path.join(folder, 'key.js'));
    assert.equal(await share({ name: 'key.js' }), PRIVATE);
  });

  it('is cut in long lines, and left out of large files', async () => {
    await track('wide.js', [TEXT, 'x'.repeat(5_000)]);
    const shared = await codeToShare(
      { folder, file: path.join(folder, 'wide.js'), line: 1, code: TEXT, function: null, module: null, isOfProject: true },
      createGit('git'),
    );
    assert.ok(shared.kind === 'code');
    assert.equal(shared.lines[1]?.text.length, 400);
    await track('large.js', [TEXT, 'x'.repeat(3 * 1024 * 1024)]);
    assert.equal(await share({ name: 'large.js', line: 1 }), 'the file is missing or too large');
  });
});
