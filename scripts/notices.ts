// Creates the text of THIRD_PARTY_NOTICES: every package with code in a bundle or in the native binary, with its licence. Packages that npm
// would run a script of are refused. esbuild.js calls it. The result depends only on package-lock.json and on what the sources import.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Licences that allow bundling under MIT if their text is included. Any other licence is an error. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
]);

/** Parts of better-sqlite3's binary: its headers, and SQLite, which has no licence to quote. */
const inNativeBinary = { package: 'node_modules/node-addon-api', sqlite: 'node_modules/better-sqlite3/deps/sqlite3/sqlite3.h' };

interface Notice {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}

/**
 * @param root folder of the repository
 * @param inputs paths of bundled files relative to it, as the metafiles of esbuild list them
 * @throws Error if a licence is not allowed or has no text, or if a package has an install script
 */
export function thirdPartyNotices(root: string, inputs: readonly string[]): string {
  const folders = new Set(inputs.flatMap((input) => packageFolder(input) ?? []));
  const notices = new Map<string, Notice>();
  const add = (notice: Notice) => notices.set(`${notice.name} ${notice.version}`, notice);
  if (folders.has('node_modules/better-sqlite3')) {
    folders.add(inNativeBinary.package);
    add(sqliteNotice(path.join(root, inNativeBinary.sqlite)));
  }
  for (const folder of folders) add(packageNotice(path.join(root, folder)));

  const sorted = [...notices.values()].sort((a, b) => (heading(a) < heading(b) ? -1 : 1));
  const rule = '-'.repeat(80);
  return [
    'Signalbox contains code of the following packages. Their licences follow in the same order.\n',
    ...sorted.map((notice) => `  ${heading(notice)}`),
    ...sorted.map((notice) => `\n${rule}\n${heading(notice)}\n${rule}\n\n${notice.text}`),
    '',
  ].join('\n');
}

/**
 * Returns the folder of a package, for example `node_modules/a/node_modules/@b/c` for `node_modules/a/node_modules/@b/c/lib/d.js`.
 * Undefined for a file of the project.
 */
export function packageFolder(input: string): string | undefined {
  const match = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(input.replaceAll('\\', '/'));
  return match?.[0];
}

function heading({ name, version, licence }: Notice): string {
  return `${name} ${version} (${licence})`;
}

function packageNotice(folder: string): Notice {
  const manifest: unknown = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const name = text(manifest, 'name') ?? path.basename(folder);
  const version = text(manifest, 'version') ?? '';
  const licence = text(manifest, 'license') ?? 'none stated';
  if (!licence.split(' OR ').some((choice) => allowed.has(choice.replace(/[()]/g, '').trim()))) {
    throw new Error(`The licence of ${name} ${version} (${licence}) does not allow bundling. Use another package.`);
  }
  if (hasInstallScript(folder, manifest)) {
    throw new Error(`npm runs an install script of ${name} ${version}. Use another package: none in the bundles may have one.`);
  }
  return { name, version, licence, text: licenceText(folder, licence) ?? standardText(name, version, licence, author(manifest)) };
}

/** Returns true if npm runs a program when it installs the package. Without a script of its own, `binding.gyp` is built. */
function hasInstallScript(folder: string, manifest: unknown): boolean {
  const scripts = memberOf(manifest, 'scripts');
  if (['preinstall', 'install', 'postinstall'].some((name) => memberOf(scripts, name) !== undefined)) return true;
  return existsSync(path.join(folder, 'binding.gyp')) && memberOf(manifest, 'gypfile') !== false;
}

function licenceText(folder: string, licence: string): string | undefined {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file));
  // With several licence files, such as `LICENSE-MIT` and `LICENSE-APACHE`, all are quoted: the unused one does no harm.
  const texts = files.toSorted().map((file) => clean(readFileSync(path.join(folder, file), 'utf8')));
  if (texts.length > 0) return texts.join('\n\n');
  const readme = path.join(folder, 'README.md');
  if (!existsSync(readme)) return undefined;
  const section = /^#+ *licen[cs]e\s*$([\s\S]*)/im.exec(readFileSync(readme, 'utf8'))?.[1];
  return section !== undefined && section.includes('Permission is hereby granted') && licence === 'MIT'
    ? clean(section)
    : undefined;
}

/** Returns the MIT text for old packages that state MIT in their manifest but include no licence file. */
function standardText(name: string, version: string, licence: string, holder: string): string {
  if (licence !== 'MIT') throw new Error(`${name} ${version} (${licence}) includes no licence text to quote.`);
  return clean(`Copyright (c) ${holder}\n\n${mitText}`);
}

function sqliteNotice(header: string): Notice {
  const version = /#define SQLITE_VERSION\s+"([^"]+)"/.exec(readFileSync(header, 'utf8'))?.[1] ?? '';
  return {
    name: 'SQLite',
    version,
    licence: 'public domain',
    text: 'The authors of SQLite disclaim copyright to its source code: https://sqlite.org/copyright.html',
  };
}

function author(manifest: unknown): string {
  if (typeof manifest !== 'object' || manifest === null || !('author' in manifest)) return 'its authors';
  const { author: stated } = manifest;
  return (typeof stated === 'string' ? stated : text(stated, 'name')) ?? 'its authors';
}

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

function text(value: unknown, key: string): string | undefined {
  const member = memberOf(value, key);
  return typeof member === 'string' ? member : undefined;
}

function clean(licence: string): string {
  return licence
    .replaceAll('\r\n', '\n')
    .replace(/[ \t]+$/gm, '')
    .trim();
}

const mitText = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
