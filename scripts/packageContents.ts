// Checks what a package (VSIX) of the extension contains.
import { documentProblems } from './check-docs.ts';

/** Largest size of a package in bytes. */
export const MAX_PACKAGE_BYTES = 4 * 1024 * 1024;

/** Platforms that packages are made for, by their VS Code name: the name of their SQLite binary in better-sqlite3. */
export const PACKAGE_TARGETS = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'darwin-x64',
  'darwin-arm64': 'darwin-arm64',
  'win32-x64': 'win32-x64',
} as const;
export type PackageTarget = keyof typeof PACKAGE_TARGETS;

/** Returns the target whose packages run on this machine; undefined if there is none. */
export function targetOfMachine(): PackageTarget | undefined {
  const name = `${process.platform}-${process.arch}`;
  return isPackageTarget(name) ? name : undefined;
}

export function isPackageTarget(name: string): name is PackageTarget {
  return Object.hasOwn(PACKAGE_TARGETS, name);
}

/** Files of the extension that every package has, besides the bundles and documents. `@vscode/vsce` gives some a name of its own. */
const REQUIRED = [
  'package.json',
  'package.nls.json',
  'package.nls.de.json',
  'readme.md',
  'changelog.md',
  'LICENSE.txt',
  'THIRD_PARTY_NOTICES',
  'extension.js',
  'app.js',
  'server.js',
  'running.js',
  'demo.data',
  'openapi.json.br',
  'seed.schema.json',
  'media/icon.png',
  'media/l10n/bundle.l10n.de.json',
  'docs/extension.md',
  'docs/local-server.md',
] as const;

/** Everything else that may be in a package. Sources, tests, source maps and modules are not. */
const ALLOWED = [
  /^[a-zA-Z]+\.js$/,
  /^package\.nls\.[a-z-]+\.json$/,
  /^docs\/[a-z-]+\.md$/,
  /^media\/(?:icons|pages|panels|walkthrough)\/[\w.-]+\.(?:svg|png|css|js|md|woff)$/,
  /^media\/l10n\/bundle\.l10n\.[a-z-]+\.json$/,
  /^media\/seeds\/[\w-]+\.signalbox\.yaml$/,
] as const;

/** Pages about the sources, which are in the repository only. */
export const DEVELOPER_PAGE = /^docs\/(?:contributing|recipes)\.md$/;

/**
 * @param files path in the archive → bytes
 * @param size of the archive in bytes
 * @returns the problems, one line each; empty if there are none
 */
export function packageProblems(files: ReadonlyMap<string, Buffer>, size: number, target: PackageTarget): readonly string[] {
  const root = 'extension/';
  const names = [...files.keys()].filter((name) => name.startsWith(root)).map((name) => name.slice(root.length));
  const binary = `native/${PACKAGE_TARGETS[target]}.node`;
  const required: readonly string[] = [...REQUIRED, binary];
  const description = files.get('extension.vsixmanifest')?.toString('utf8') ?? '';
  const documents = Object.fromEntries(
    names.filter((name) => name.endsWith('.md')).map((name) => [name, files.get(root + name)?.toString('utf8') ?? '']),
  );
  return [
    ...(size > MAX_PACKAGE_BYTES ? [`the package has ${size} bytes, at most ${MAX_PACKAGE_BYTES} are allowed`] : []),
    ...(description.includes(`TargetPlatform="${target}"`) ? [] : [`the package is not for ${target}`]),
    ...required.filter((name) => !names.includes(name)).map((name) => `${name} is missing`),
    ...names
      .filter((name) => DEVELOPER_PAGE.test(name) || !(required.includes(name) || ALLOWED.some((allowed) => allowed.test(name))))
      .map((name) => `${name} does not belong into the package`),
    ...documentProblems(documents, (file) => names.some((name) => name === file || name.startsWith(`${file}/`)), new Set()),
  ];
}
