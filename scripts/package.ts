// `npm run package` makes the package (VSIX) of the extension for this platform.
//
//   node scripts/package.ts --all          for every platform
//   node scripts/package.ts --target NAME  for one platform
//   node scripts/package.ts --out FOLDER   writes to this folder instead of the root of the repository
//   node scripts/package.ts --no-build     uses dist/ as it is
//   node scripts/package.ts --from FOLDER  uses this folder instead of dist/, as it is
//
// dist/ has the SQLite binary of this platform. The npm package of better-sqlite3 contains those of all others.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createVSIX } from '@vscode/vsce';
import { packDemoAgain } from '../server/seeds/demoArchive.ts';
import {
  DEVELOPER_PAGE,
  isPackageTarget,
  PACKAGE_TARGETS,
  packageProblems,
  type PackageTarget,
  targetOfMachine,
} from './packageContents.ts';
import { readZip } from './zip.ts';

const root = path.dirname(import.meta.dirname);

/** Names that `@vscode/vsce` gives the documents that the marketplace shows. */
const RENAMED: Readonly<Record<string, string>> = {
  'README.md': 'readme.md',
  'CHANGELOG.md': 'changelog.md',
  LICENSE: 'LICENSE.txt',
};

/** A link to one of them, as the documents write it. */
const LINK_TO_RENAMED = /(\]\((?:\.\.\/)?)(README\.md|CHANGELOG\.md|LICENSE)(?=[)#])/g;
const SCREENSHOT = 'media/screenshot.png';
const LINE_ABOUT_SOURCES = /^\* \[Contributing\]\(docs\/contributing\.md\).*\n/m;
const IMAGE_OF_SCREENSHOT = /!\[[^\]]*\]\(media\/screenshot\.png\)\n\n/;

/** Makes the package of a target from dist/. Returns its file. Throws if the package is too large or its contents are wrong. */
async function makePackage(target: PackageTarget, version: string, out: string): Promise<string> {
  const staged = path.join(root, '.cache/package', target);
  rmSync(staged, { recursive: true, force: true });
  cpSync(dist, staged, { recursive: true, filter: belongsToPackage });
  writeFileSync(path.join(staged, 'demo.data'), await demoData);
  const binary = `${PACKAGE_TARGETS[target]}.node`;
  cpSync(path.join(root, 'node_modules/better-sqlite3/prebuilds', binary), path.join(staged, 'native', binary));
  for (const name of globSync(['README.md', 'CHANGELOG.md', 'docs/*.md'], { cwd: staged })) {
    const file = path.join(staged, name);
    writeFileSync(file, packagedDocument(readFileSync(file, 'utf8')));
  }
  rmSync(path.join(staged, SCREENSHOT));
  const file = path.join(out, `signalbox-${target}-${version}.vsix`);
  mkdirSync(out, { recursive: true });
  await createVSIX({
    cwd: staged,
    packagePath: file,
    target,
    dependencies: false,
    rewriteRelativeLinks: false,
    allowMissingRepository: true,
  });
  rmSync(staged, { recursive: true, force: true });
  const archive = readFileSync(file);
  const problems = packageProblems(readZip(archive), archive.length, target);
  if (problems.length > 0) throw new Error(`The package for ${target} is wrong:\n${problems.join('\n')}`);
  return file;
}

function belongsToPackage(file: string): boolean {
  const name = path.relative(dist, file).replaceAll(path.sep, '/');
  return name !== 'native' && !name.endsWith('.map') && !DEVELOPER_PAGE.test(name);
}

/**
 * Adapts the relative links of a document to the names of the files in the package, and leaves out what the package does not have: the
 * line that links to the pages about the sources, and the screenshot, because VS Code shows only images from HTTPS addresses.
 */
function packagedDocument(text: string): string {
  return text
    .replaceAll(LINK_TO_RENAMED, (_, before: string, name: string) => `${before}${RENAMED[name]}`)
    .replace(IMAGE_OF_SCREENSHOT, '')
    .replace(LINE_ABOUT_SOURCES, '');
}

function versionOf(manifest: unknown): string {
  const version: unknown = typeof manifest === 'object' && manifest !== null ? Reflect.get(manifest, 'version') : undefined;
  if (typeof version !== 'string') throw new Error('dist/package.json has no version.');
  return version;
}

function fail(message: string): never {
  console.error(message);
  process.exit(1);
}

const { values: options } = parseArgs({
  options: {
    all: { type: 'boolean', default: false },
    build: { type: 'boolean', default: true },
    from: { type: 'string' },
    out: { type: 'string', default: root },
    target: { type: 'string' },
  },
  allowNegative: true,
});
const dist = path.resolve(options.from ?? path.join(root, 'dist'));
const named = options.target ?? targetOfMachine() ?? '';
if (!options.all && !isPackageTarget(named))
  fail(`There is no package for this platform. Choose one with --target: ${Object.keys(PACKAGE_TARGETS).join(', ')}.`);
const targets = Object.keys(PACKAGE_TARGETS)
  .filter((target) => isPackageTarget(target))
  .filter((target) => options.all || target === named);
if (
  options.build &&
  options.from === undefined &&
  spawnSync(process.execPath, ['esbuild.js'], { cwd: root, stdio: 'inherit' }).status !== 0
)
  process.exit(1);
if (!existsSync(path.join(dist, 'package.json'))) fail('There is no built extension. Run `npm run build`.');
const version = versionOf(JSON.parse(readFileSync(path.join(dist, 'package.json'), 'utf8')));
/** Compressed once for all targets. */
const demoData = packDemoAgain(readFileSync(path.join(dist, 'demo.data')));
const made: string[] = [];
try {
  for (const target of targets) made.push(await makePackage(target, version, path.resolve(options.out)));
} catch (error) {
  fail(error instanceof Error ? error.message : String(error));
}
for (const file of made) console.log(file);
