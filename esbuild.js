// Builds dist/, which is the installable extension and the command line server in one folder.
//
//   node esbuild.js              build for this platform; scripts/package.ts makes packages for others
//   node esbuild.js --watch      rebuild on every change, without minifying
//   node esbuild.js --no-minify  readable output
//   node esbuild.js --check      bundle in memory, write nothing, and fail if THIRD_PARTY_NOTICES is outdated
//
// demo.data is the demo data, generated once and loaded by every server that starts with it (scripts/demoData.ts). It is generated again
// when a source of the server or the day has changed.
//
// Bundles that are loaded on demand: extension.js is what a new window waits for; app.js, the rest of the extension, is loaded on first
// use. undici takes a tenth of a second to load, so it is a separate bundle: every import of src/api/undici.ts from elsewhere in src/
// (written as `await import('./undici.ts')`) becomes `require('./undici.js')` at run time, in the folder of extension.js. The same applies
// to every bundle of `lazyNames`: parts of the extension that not every window needs, and parts of the server for seed files, queries of
// GraphQL and mail. reader.js, sourceMapReader.js and policyReader.js are programs of threads that server.js starts: for slow queries,
// source maps and policy files.
// Metafiles go to .cache/meta/<bundle>.json; the tests of the start bundle read them.
import { isAscii } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import * as esbuild from 'esbuild';
import { builtDemoData } from './scripts/demoData.ts';
import { openApiOfRoutes, routeTableJson } from './scripts/openApi.ts';
import { OPEN_API_FILE, packOpenApi } from './server/openApi/file.ts';
import { DEMO_ARCHIVE } from './server/seeds/demoArchive.ts';
import { seedJsonSchema } from './server/seeds/format.ts';
import { thirdPartyNotices } from './scripts/notices.ts';
import { withoutPackages } from './scripts/sourceMap.ts';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const { values: options } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    minify: { type: 'boolean' },
    watch: { type: 'boolean', default: false },
  },
  allowNegative: true,
});
const minify = options.minify ?? !options.watch;
const manifest = readJson('package.json');

const bundles = [
  { name: 'extension', entry: 'src/extension.ts', external: ['vscode'], banner: '' },
  { name: 'app', entry: 'src/app.ts', external: ['vscode'], banner: '' },
  { name: 'undici', entry: 'src/api/undici.ts', external: [], banner: '', isLibrary: true },
  { name: 'qrCode', entry: 'src/auth/qrCode.ts', external: [], banner: '' },
  { name: 'renderedPage', entry: 'src/activity/renderedPage.ts', external: [], banner: '', isLibrary: true },
  { name: 'deprecations', entry: 'src/deprecations/deprecations.ts', external: ['vscode'], banner: '' },
  { name: 'oauthFlows', entry: 'src/oauthFlows/oauthFlows.ts', external: ['vscode'], banner: '' },
  { name: 'diagnostics', entry: 'src/diagnostics/diagnostics.ts', external: ['vscode'], banner: '' },
  { name: 'errorPanel', entry: 'src/errorPanel/errorPanel.ts', external: ['vscode'], banner: '' },
  { name: 'errorActions', entry: 'src/errorActions/errorActions.ts', external: ['vscode'], banner: '' },
  { name: 'errorMarks', entry: 'src/errorMarks/errorMarks.ts', external: ['vscode'], banner: '' },
  { name: 'errorReplay', entry: 'src/errorReplay/errorReplay.ts', external: ['vscode'], banner: '' },
  { name: 'languageModelTools', entry: 'src/languageModelTools/languageModelTools.ts', external: ['vscode'], banner: '' },
  { name: 'clientKeys', entry: 'src/clientKeys/clientKeys.ts', external: ['vscode'], banner: '' },
  { name: 'notificationDialogs', entry: 'src/notifications/notificationDialogs.ts', external: ['vscode'], banner: '' },
  { name: 'instanceActions', entry: 'src/instances/instanceActions.ts', external: ['vscode'], banner: '' },
  { name: 'serverDetails', entry: 'src/instances/serverDetails.ts', external: ['vscode'], banner: '' },
  { name: 'stream', entry: 'src/stream/stream.ts', external: ['vscode'], banner: '' },
  { name: 'whyMailed', entry: 'src/whyMailed/whyMailed.ts', external: ['vscode'], banner: '' },
  { name: 'dsn', entry: 'src/dsn/dsn.ts', external: ['vscode'], banner: '' },
  { name: 'errorPanelPage', entry: 'src/errorPanel/page.web.ts', external: [], banner: '', isPage: true },
  { name: 'yaml', entry: 'server/support/yaml.ts', external: [], banner: '', isLibrary: true },
  { name: 'graphql', entry: 'server/graphql/graphql.ts', external: [], banner: '' },
  { name: 'nodemailer', entry: 'server/features/mail/nodemailer.ts', external: [], banner: '', isLibrary: true },
  { name: 'reader', entry: 'server/store/reader.ts', external: [], banner: '' },
  { name: 'sourceMapReader', entry: 'server/features/errorTracking/sourceMaps/sourceMapReader.ts', external: [], banner: '' },
  { name: 'policyReader', entry: 'server/features/securityPolicies/policyReader.ts', external: [], banner: '' },
  { name: 'running', entry: 'server/process/running.ts', external: [], banner: '' },
  { name: 'server', entry: 'server/main.ts', external: [], banner: '#!/usr/bin/env node' },
];

/**
 * Media types of the server's responses. The full table, which is included twice, makes up three quarters of Koa's size (mime-db/db.json).
 */
const servedTypes = [
  'application/json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'image/png',
  'image/svg+xml',
  'text/css',
  'text/event-stream',
  'text/html',
  'text/javascript',
  'text/plain',
];

const slimMimeTable = {
  name: 'slim-mime-table',
  setup(build) {
    build.onLoad({ filter: /[\\/]mime-db[\\/]db\.json$/ }, ({ path: file }) => {
      const all = JSON.parse(readFileSync(file, 'utf8'));
      return { contents: JSON.stringify(Object.fromEntries(servedTypes.map((type) => [type, all[type]]))), loader: 'json' };
    });
  },
};

/** The server validates in English only. zod's messages in all other languages make up a sixth of its code. */
const slimLocales = {
  name: 'slim-locales',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js';",
    }));
  },
};

/**
 * Libraries that other libraries load for features that are never used here. Each costs milliseconds of every start: depd captures a stack
 * trace for each potential deprecation, debug checks if the output supports colors, and the other two copy all built-in functions.
 */
const substitutes = {
  debug: 'module.exports = () => Object.assign(() => {}, { enabled: false });',
  depd: 'module.exports = () => Object.assign(() => {}, { function: (wrapped) => wrapped, property: () => {} });',
  'deep-equal': "module.exports = require('node:util').isDeepStrictEqual;",
  'side-channel': 'module.exports = () => new WeakMap();',
};

const slimLibraries = {
  name: 'slim-libraries',
  setup(build) {
    const filter = new RegExp(`^(?:${Object.keys(substitutes).join('|')})$`);
    build.onResolve({ filter }, ({ path: library }) => ({ path: library, namespace: 'substitute' }));
    build.onLoad({ filter: /./, namespace: 'substitute' }, ({ path: library }) => ({ contents: substitutes[library] }));
  },
};

/**
 * Escapes all characters outside ASCII, including those in templates and regular expressions, which esbuild does not change. With a single
 * one, V8 stores the whole source with two bytes per character, and Node has to decode and hash it at every start.
 */
const asciiSources = {
  name: 'ascii-sources',
  setup(build) {
    build.onLoad({ filter: /\.(?:ts|js|mjs|cjs)$/, namespace: 'file' }, async ({ path: file }) => {
      const source = await readFile(file);
      if (isAscii(source)) return undefined;
      const text = source.toString('utf8');
      if (/\\[^\0-\x7f]/.test(text))
        return { errors: [{ text: 'A backslash before a character outside ASCII cannot be escaped.' }] };
      const contents = text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
      return { contents, loader: file.endsWith('.ts') ? 'ts' : 'js' };
    });
  },
};

/** Modules of Node that the server needs only for some requests. Each is loaded on first use. */
const lazyBuiltins = ['node:child_process', 'node:fs/promises', 'node:vm', 'node:worker_threads'];

const builtinsOnUse = {
  name: 'builtins-on-use',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path: builtin, namespace }) =>
      namespace !== 'builtin-on-use' && lazyBuiltins.includes(builtin)
        ? { path: builtin, namespace: 'builtin-on-use' }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'builtin-on-use' }, async ({ path: builtin }) => {
      const names = Object.keys(await import(builtin)).filter((name) => name !== 'default');
      const getters = names.map((name) => `get ${name}() { return require('${builtin}').${name}; }`);
      return { contents: `module.exports = {\n${getters.join(',\n')}\n};` };
    });
  },
};

const lazyNames = [
  'app',
  'undici',
  'qrCode',
  'renderedPage',
  'deprecations',
  'oauthFlows',
  'diagnostics',
  'errorPanel',
  'errorActions',
  'errorMarks',
  'errorReplay',
  'languageModelTools',
  'clientKeys',
  'instanceActions',
  'notificationDialogs',
  'serverDetails',
  'stream',
  'whyMailed',
  'dsn',
  'yaml',
  'graphql',
  'nodemailer',
  'running',
];
const lazyBundles = bundles.filter(({ name }) => lazyNames.includes(name));

const lazyParts = {
  name: 'lazy-parts',
  setup(build) {
    const filter = new RegExp(`(^|/)(${lazyNames.join('|')})\\.ts$`);
    build.onResolve({ filter }, ({ path: specifier, importer, resolveDir, kind }) => {
      const file = path.relative(root, path.resolve(resolveDir, specifier)).replaceAll('\\', '/');
      const bundle = lazyBundles.find(({ entry }) => entry === file);
      if (kind === 'entry-point' || bundle === undefined) return undefined;
      if (kind !== 'dynamic-import') {
        return {
          errors: [
            { text: `${path.relative(root, importer)} must load ${specifier} by import(), or it is loaded at every start.` },
          ],
        };
      }
      return { path: `./${bundle.name}.js`, external: true };
    });
  },
};

function settings({ name, entry, external, banner, isPage, isLibrary }) {
  return {
    entryPoints: { [name]: path.join(root, entry) },
    absWorkingDir: root,
    outdir: dist,
    bundle: true,
    write: false,
    metafile: true,
    // A page runs in the browser of VS Code.
    ...(isPage
      ? { platform: 'browser', format: 'iife', target: 'chrome130' }
      : { platform: 'node', format: 'cjs', target: 'node22' }),
    // In a CommonJS bundle, import() of an external file is a require: the extension host may hook only that.
    supported: { 'dynamic-import': false },
    external,
    banner: banner === '' ? {} : { js: banner },
    minify,
    legalComments: 'none',
    // A map of a bundle that is nearly all a library would be larger than the bundle and help nobody.
    sourcemap: isLibrary ? false : 'linked',
    sourcesContent: false,
    define: {
      __SIGNALBOX_VERSION__: JSON.stringify(manifest.version),
      // With --watch, changed sources may have other routes, so the server computes the table at its start.
      ...(name === 'running' && !options.watch ? { __SIGNALBOX_ROUTES__: routeTableJson(manifest.version) } : {}),
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
    },
    plugins: [slimMimeTable, slimLocales, slimLibraries, ...(name === 'running' ? [asciiSources, builtinsOnUse] : []), lazyParts],
    logLevel: 'warning',
  };
}

/** Manifest of the installed extension: what VS Code and npm read at run time, and the list of files to package. */
function builtManifest() {
  const {
    type: _type,
    private: _private,
    scripts: _scripts,
    dependencies: _dependencies,
    devDependencies: _devDependencies,
    optionalDependencies: _optionalDependencies,
    overrides: _overrides,
    allowScripts: _allowScripts,
    mocha: _mocha,
    ...published
  } = manifest;
  return {
    ...published,
    // better-sqlite3 13 requires Node-API 10. Node 20 crashes in it.
    engines: { ...manifest.engines, node: '>=22.14' },
    main: './extension.js',
    bin: 'server.js',
    files: [
      'extension.js',
      'app.js',
      'server.js',
      'running.js',
      'undici.js',
      'qrCode.js',
      'renderedPage.js',
      'deprecations.js',
      'oauthFlows.js',
      'diagnostics.js',
      'errorPanel.js',
      'errorActions.js',
      'errorMarks.js',
      'errorReplay.js',
      'languageModelTools.js',
      'stream.js',
      'whyMailed.js',
      'clientKeys.js',
      'instanceActions.js',
      'notificationDialogs.js',
      'serverDetails.js',
      'dsn.js',
      'errorPanelPage.js',
      'yaml.js',
      'graphql.js',
      'nodemailer.js',
      'reader.js',
      'sourceMapReader.js',
      'policyReader.js',
      OPEN_API_FILE,
      'seed.schema.json',
      DEMO_ARCHIVE,
      'native/',
      'media/',
      'docs/',
      'package.nls*.json',
      'README.md',
      'CHANGELOG.md',
      'LICENSE',
      'THIRD_PARTY_NOTICES',
    ],
  };
}

/** Returns the name that better-sqlite3 gives the binary of this machine. Alpine has musl instead of glibc. */
function thisPlatform() {
  const isMusl = process.platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `${isMusl ? 'linuxmusl' : process.platform}-${process.arch}`;
}

/** Returns the files of dist/ that are not bundled: name in dist/ → bytes. */
function staticFiles(notices, demoData) {
  const files = new Map();
  files.set('package.json', Buffer.from(`${JSON.stringify(builtManifest(), null, 2)}\n`));
  files.set('THIRD_PARTY_NOTICES', Buffer.from(notices));
  files.set(DEMO_ARCHIVE, demoData);
  files.set(OPEN_API_FILE, packOpenApi(openApiOfRoutes(manifest.version)));
  files.set('seed.schema.json', Buffer.from(JSON.stringify(seedJsonSchema(), null, 2)));
  // README.md, which VS Code shows as the page of the extension, links to docs/.
  const documents = ['README.md', 'CHANGELOG.md', 'LICENSE', ...globSync('docs/*.md', { cwd: root })];
  for (const name of [...documents, ...globSync('package.nls*.json', { cwd: root })]) {
    if (existsSync(path.join(root, name))) files.set(name, readFileSync(path.join(root, name)));
  }
  for (const entry of readdirSync(path.join(root, 'media'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, file);
    // Only `npm start` opens the workspace of the demo.
    if (!name.startsWith(path.join('media', 'demo-workspace'))) files.set(name, readFileSync(file));
  }
  const prebuilds = path.join(root, 'node_modules/better-sqlite3/prebuilds');
  const name = `${thisPlatform()}.node`;
  const file = path.join(prebuilds, name);
  if (!existsSync(file))
    fail(`better-sqlite3 has no binary for this platform (${name}). It has: ${readdirSync(prebuilds).join(', ')}.`);
  files.set(path.join('native', name), readFileSync(file));
  return files;
}

/** Writes files atomically, and only changed ones, so that a server that starts meanwhile never reads a partial bundle. */
function put(file, contents) {
  if (existsSync(file) && readFileSync(file).equals(contents)) return;
  const draft = path.join(root, '.cache/draft', randomUUID());
  mkdirSync(path.dirname(draft), { recursive: true });
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(draft, contents);
  renameSync(draft, file);
}

function removeOthers(keep) {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && !keep.has(path.relative(dist, file))) rmSync(file, { force: true });
  }
  for (const folder of readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .reverse()) {
    const name = path.join(folder.parentPath, folder.name);
    if (readdirSync(name).length === 0) rmdirSync(name);
  }
}

function readJson(name) {
  return JSON.parse(readFileSync(path.join(root, name), 'utf8'));
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

function noticesOf(metafiles) {
  try {
    return thirdPartyNotices(
      root,
      metafiles.flatMap((metafile) => Object.keys(metafile.inputs)),
    );
  } catch (error) {
    return fail(error.message);
  }
}

function writeAll(results, demoData) {
  const notices = noticesOf([...results.values()].map((result) => result.metafile));
  const files = staticFiles(notices, demoData);
  for (const [name, result] of results) {
    put(path.join(root, '.cache/meta', `${name}.json`), Buffer.from(JSON.stringify(result.metafile)));
    for (const { path: file, contents } of result.outputFiles) files.set(path.relative(dist, file), written(file, contents));
  }
  for (const [name, contents] of files) put(path.join(dist, name), Buffer.from(contents));
  put(path.join(root, 'THIRD_PARTY_NOTICES'), Buffer.from(notices));
  removeOthers(new Set(files.keys()));
  return files;
}

/** Returns the contents of an output file as they are written. */
function written(file, contents) {
  if (!file.endsWith('.map')) return contents;
  return Buffer.from(JSON.stringify(withoutPackages(JSON.parse(Buffer.from(contents).toString()))));
}

const results = new Map();

if (options.watch) {
  let running = 0;
  // Created once. A server generates the demo data itself if the schema has changed since.
  const demoData = await builtDemoData();
  for (const bundle of bundles) {
    const report = {
      name: 'report',
      setup(build) {
        build.onStart(() => {
          if (running === 0) console.log('[watch] building');
          running++;
        });
        build.onEnd((result) => {
          running--;
          if (result.errors.length === 0) results.set(bundle.name, result);
          else results.delete(bundle.name);
          if (running > 0) return;
          if (results.size === bundles.length) writeAll(results, demoData);
          console.log(results.size === bundles.length ? '[watch] built dist/' : '[watch] failed');
        });
      },
    };
    const { plugins, ...rest } = settings(bundle);
    const context = await esbuild.context({ ...rest, plugins: [...plugins, report] });
    await context.watch();
  }
} else {
  const started = performance.now();
  // Bundling runs in another process, so both run in parallel.
  const preparing = options.check ? undefined : builtDemoData();
  preparing?.catch(() => undefined);
  try {
    await Promise.all(bundles.map(async (bundle) => results.set(bundle.name, await esbuild.build(settings(bundle)))));
  } catch {
    // esbuild has already printed the errors.
    process.exit(1);
  }
  const ordered = new Map(bundles.map(({ name }) => [name, results.get(name)]));
  if (options.check) {
    const notices = noticesOf([...ordered.values()].map((result) => result.metafile));
    const file = path.join(root, 'THIRD_PARTY_NOTICES');
    if (!existsSync(file) || readFileSync(file, 'utf8') !== notices) {
      fail('THIRD_PARTY_NOTICES does not match the contents of the bundles. Run `npm run build` and commit the file.');
    }
  } else {
    const files = writeAll(ordered, await preparing);
    const sizes = [...bundles.map(({ name }) => `${name}.js`), DEMO_ARCHIVE].map(
      (name) => `${name} ${Math.round(files.get(name).length / 1024)} KB`,
    );
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `Built dist/ in ${seconds} s: ${[...sizes, ...[...files.keys()].filter((name) => name.endsWith('.node'))].join(', ')}`,
    );
  }
}
