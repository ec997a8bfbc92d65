// Runs oxlint. What its rules say about a file depends on the file, on what it imports and on the configuration, so files that passed are
// linted again only when one of these has changed. A fresh clone lints everything. Other arguments, such as --fix, are passed on.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Configuration, and types that files see without an import. */
const COMMON = ['.oxlintrc.json', 'package-lock.json', '{.,server,src,src/contract,scripts}/tsconfig*.json', '**/*.d.ts'];
const RULES = ['scripts/lint-rules.ts', 'scripts/serverFolders.ts'];

/**
 * Returns a digest for each file, which changes with the file, with any file that it imports directly or through others, and with `common`.
 *
 * @param files Paths relative to the root, with `/`, and their sources.
 * @param common Text on which the results of all files depend.
 */
export function digestsOf(files: Readonly<Record<string, string>>, common: string): ReadonlyMap<string, string> {
  const digests = new Map<string, string>();
  const digestOf = (file: string): string => {
    const known = digests.get(file);
    if (known !== undefined) return known;
    // Import cycles are an error of a rule; until it is repaired, the digest of a file in one stands for its own text only.
    digests.set(file, file);
    const source = files[file] ?? '';
    const hash = createHash('sha256').update(common).update(source);
    for (const imported of importsOf(file, source)) if (Object.hasOwn(files, imported)) hash.update(digestOf(imported));
    const digest = hash.digest('hex');
    digests.set(file, digest);
    return digest;
  };
  for (const file of Object.keys(files)) digestOf(file);
  return digests;
}

function importsOf(file: string, source: string): readonly string[] {
  return [...source.matchAll(/(?:\bfrom |\bimport |\bimport\()'(\.{1,2}\/[^']+)'/g)].map(([, specifier = '']) =>
    path.posix.join(path.posix.dirname(file), specifier),
  );
}

if (import.meta.main) {
  const root = path.dirname(import.meta.dirname);
  const cache = path.join(root, '.cache', 'rules.json');
  const exclude = ['node_modules/**', 'dist/**', '.cache/**', '.vscode-test/**'];
  const find = (patterns: readonly string[]): readonly string[] =>
    globSync(patterns, { cwd: root, exclude }).map((file) => file.replaceAll(path.sep, '/'));
  const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
  const files = Object.fromEntries(find(['**/*.{ts,mts,cts,js,mjs,cjs}']).map((file) => [file, read(file)]));
  const common = find([...COMMON, ...RULES])
    .toSorted()
    .map(read)
    .join('\0');
  const digests = digestsOf(files, common);
  const passed = passedDigests(cache);
  const waiting = Object.keys(files).filter((file) => !passed.has(digests.get(file) ?? ''));
  const options = process.argv.slice(2);
  const isWhole = waiting.length === Object.keys(files).length;
  if (waiting.length > 0) {
    const oxlint = ['node_modules/oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...options];
    const { status } = spawnSync(process.execPath, [...oxlint, ...(isWhole ? [] : waiting)], { cwd: root, stdio: 'inherit' });
    if (status !== 0) process.exit(status ?? 1);
  }
  mkdirSync(path.dirname(cache), { recursive: true });
  writeFileSync(cache, JSON.stringify([...digests.values()]));
}

/** Returns the digests of the files that passed at the last run. */
function passedDigests(cache: string): ReadonlySet<unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(cache, 'utf8'));
    return new Set(Array.isArray(value) ? value : []);
  } catch {
    return new Set();
  }
}
