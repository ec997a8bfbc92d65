// Requirements of the build for dist/: small, self-contained, and only what is needed is loaded at start.
import assert from 'node:assert/strict';
import { isAscii } from 'node:buffer';
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { documentProblems } from '../../scripts/check-docs.ts';
import { testEnvironment } from '../support/environment.ts';

const root = path.resolve(import.meta.dirname, '../..');
const dist = path.join(root, 'dist');

interface Metafile {
  readonly inputs: Readonly<Record<string, { readonly bytes: number }>>;
  readonly outputs: Readonly<
    Record<string, { readonly imports: readonly { readonly path: string; readonly external?: boolean }[] }>
  >;
}

const metafile = (bundle: string) =>
  JSON.parse(readFileSync(path.join(root, '.cache/meta', `${bundle}.json`), 'utf8')) as Metafile;
const manifest = () => JSON.parse(readFileSync(path.join(dist, 'package.json'), 'utf8')) as Readonly<Record<string, unknown>>;

function outside(bundle: string): string[] {
  const imports = Object.values(metafile(bundle).outputs).flatMap((output) => output.imports);
  const builtin = (name: string) => name.startsWith('node:') || process.getBuiltinModule(name) !== undefined;
  return [...new Set(imports.map((one) => one.path))].filter((name) => !builtin(name)).sort();
}

describe('the bundles of the extension', () => {
  it('contain neither undici nor zod nor server code', () => {
    const heavy = [
      'extension',
      'app',
      'deprecations',
      'oauthFlows',
      'diagnostics',
      'errorPanel',
      'errorActions',
      'errorMarks',
      'clientKeys',
      'instanceActions',
      'notificationDialogs',
      'serverDetails',
      'stream',
      'whyMailed',
      'dsn',
      'languageModelTools',
    ]
      .flatMap((bundle) => Object.keys(metafile(bundle).inputs))
      .filter((input) => /node_modules\/(undici|uqr|zod)\/|^server\//.test(input));
    assert.deepEqual(heavy, []);
  });

  it('have at most 400 KB together, and at most 20 KB are loaded when a window opens', () => {
    const [start, app] = ['extension.js', 'app.js'].map((name) => statSync(path.join(dist, name)).size);
    assert.ok(start !== undefined && start <= 20 * 1024, `extension.js has ${start} bytes`);
    assert.ok(app !== undefined && start + app <= 400 * 1024, `app.js has ${app} bytes`);
  });

  it('import vscode from their host and the large parts from separate bundles', () => {
    assert.deepEqual(outside('extension'), ['./app.js', 'vscode']);
    assert.deepEqual(outside('app'), [
      './clientKeys.js',
      './deprecations.js',
      './diagnostics.js',
      './dsn.js',
      './errorActions.js',
      './errorMarks.js',
      './errorPanel.js',
      './errorReplay.js',
      './instanceActions.js',
      './languageModelTools.js',
      './notificationDialogs.js',
      './oauthFlows.js',
      './qrCode.js',
      './renderedPage.js',
      './serverDetails.js',
      './stream.js',
      './undici.js',
      './whyMailed.js',
      'vscode',
    ]);
  });
});

describe('the server bundle', () => {
  it('needs only Node and the bundles for seed files, GraphQL and mail', () => {
    assert.deepEqual(
      [outside('server'), outside('running')],
      [['./running.js'], ['./graphql.js', './nodemailer.js', './yaml.js']],
    );
    const separate = ['yaml', 'graphql', 'nodemailer', 'reader', 'sourceMapReader'];
    assert.deepEqual(separate.map(outside), [[], [], [], [], []]);
    assert.deepEqual(outside('policyReader'), ['./yaml.js']);
  });

  it('does not contain the source map library, which only its worker needs', () => {
    const holds = (bundle: string) => Object.keys(metafile(bundle).inputs).some((input) => input.includes('/@jridgewell/'));
    assert.deepEqual([holds('server'), holds('running'), holds('sourceMapReader')], [false, false, true]);
  });

  it('contains only the media types that are served, in every copy of the table', () => {
    const tables = Object.entries(metafile('running').inputs).filter(([input]) => input.endsWith('mime-db/db.json'));
    assert.ok(tables.length > 0);
    for (const [input, { bytes }] of tables) assert.ok(bytes < 2000, `${input} has ${bytes} bytes`);
  });

  it('does not contain libraries that only cost time at the start', () => {
    const inputs = Object.keys(metafile('running').inputs);
    const held = ['debug', 'depd', 'deep-equal', 'side-channel'].filter((name) =>
      inputs.some((input) => input.includes(`/node_modules/${name}/`) || input.startsWith(`node_modules/${name}/`)),
    );
    assert.deepEqual(held, []);
  });

  it('has only ASCII characters, which Node reads twice as fast', () => {
    assert.ok(isAscii(readFileSync(path.join(dist, 'running.js'))));
  });

  it('is loaded without language data of Intl, which takes longer than the rest', () => {
    const trap = 'globalThis.Intl = new Proxy({}, { get: (_, name) => { throw new Error(`Intl.${String(name)} at load`); } });';
    const load = `${trap} require(${JSON.stringify(path.join(dist, 'running.js'))});`;
    const { status, stderr } = spawnSync(process.execPath, ['--input-type=commonjs', '-e', load], {
      encoding: 'utf8',
      env: testEnvironment(),
    });
    assert.equal(status, 0, stderr);
  });

  it('starts with a small bundle, so that the compiled code of the rest can be cached', () => {
    assert.ok(statSync(path.join(dist, 'server.js')).size <= 24 * 1024);
  });

  it('is executable', () => {
    assert.ok(readFileSync(path.join(dist, 'server.js'), 'utf8').startsWith('#!/usr/bin/env node\n'));
  });

  it('has the native binary of this operating system next to it', () => {
    assert.ok(globSync(`native/${process.platform}*-${process.arch}.node`, { cwd: dist }).length > 0);
  });
});

describe('the folder dist/', () => {
  it('has at most 12 MB without the native binaries, and at most 1.5 MB of prepared demo data', () => {
    const { files } = manifest();
    assert.ok(Array.isArray(files) && files.includes('demo.data'));
    assert.ok(statSync(path.join(dist, 'demo.data')).size <= 1.5 * 1024 * 1024);
    const sizes = globSync('**/*', { cwd: dist, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.node'))
      .map((entry) => statSync(path.join(entry.parentPath, entry.name)).size);
    assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= 12 * 1024 * 1024);
  });

  it('has every file that README.md links to', () => {
    const pages = globSync(['README.md', 'docs/*.md'], { cwd: dist });
    assert.ok(pages.length > 1);
    const problems = documentProblems(
      Object.fromEntries(pages.map((file) => [file.replaceAll('\\', '/'), readFileSync(path.join(dist, file), 'utf8')])),
      (file) => existsSync(path.join(dist, file)),
      new Set(),
    );
    assert.deepEqual(
      problems.filter((problem) => problem.startsWith('README.md')),
      [],
    );
  });
});

describe('the built manifest', () => {
  it('lists only existing files', () => {
    const { files } = manifest();
    assert.ok(Array.isArray(files));
    for (const pattern of files) {
      assert.ok(
        typeof pattern === 'string' && globSync(pattern, { cwd: dist }).length > 0,
        `nothing is called ${String(pattern)}`,
      );
    }
  });

  it('lists every bundle that the extension loads', () => {
    const { files } = manifest();
    assert.ok(Array.isArray(files));
    const bundles = [...outside('extension'), ...outside('app')].filter((name) => name.startsWith('./'));
    assert.deepEqual(
      bundles.filter((name) => !files.includes(name.slice('./'.length))),
      [],
    );
  });

  it('starts the built program without npm', () => {
    const { main, bin, type, scripts, dependencies, devDependencies, optionalDependencies } = manifest();
    assert.ok(existsSync(path.join(dist, String(main))) && existsSync(path.join(dist, String(bin))));
    assert.deepEqual([type, scripts, dependencies, devDependencies, optionalDependencies], Array(5).fill(undefined));
  });
});
