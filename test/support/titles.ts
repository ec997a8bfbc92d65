import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

// The titles of the tests of each file, as its last run had them. `npm run test:unit -- -g NAME` loads only files that have a matching
// title; loading all files takes much longer than running one test.

const root = path.dirname(path.dirname(import.meta.dirname));
const usualFolder = path.join(root, '.cache', 'test-titles');

interface Titles {
  /** Digest of the file and of the test modules that it imports. */
  readonly digest: string;
  readonly titles: readonly string[];
}

/** Stores the full titles of all tests of a file. */
export function recordTitles(file: string, titles: readonly string[], folder = usualFolder): void {
  mkdirSync(folder, { recursive: true });
  const recorded: Titles = { digest: digestOf(file), titles };
  writeFileSync(recordOf(file, folder), JSON.stringify(recorded));
}

/**
 * Returns the files that may have a test with a matching title: those with a matching title in their last run, those that were never
 * run, and those that were changed since. Returns all files when none of them matches, because titles may also come from the server's
 * own tables.
 */
export function filesWithTitle(files: readonly string[], pattern: RegExp, folder = usualFolder): readonly string[] {
  const matching = files.filter((file) => {
    const recorded = readTitles(file, folder);
    return recorded?.digest !== digestOf(file) || recorded.titles.some((title) => pattern.test(title));
  });
  return matching.length > 0 ? matching : files;
}

/** Returns the pattern of mocha's options `-g PATTERN` and `--grep PATTERN`, or undefined. */
export function grepOf(options: readonly string[]): RegExp | undefined {
  for (const [index, option] of options.entries()) {
    const [, inline] = /^(?:-g|--grep=)(.+)$/.exec(option) ?? [];
    const text = inline ?? (option === '-g' || option === '--grep' ? options[index + 1] : undefined);
    if (text !== undefined) return patternOf(text);
  }
  return undefined;
}

/** Mocha takes `/…/flags` as a regular expression, and anything else as one without flags. */
function patternOf(text: string): RegExp {
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/.exec(text) ?? [];
  return source === undefined ? new RegExp(text) : new RegExp(source, flags);
}

function readTitles(file: string, folder: string): Titles | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(recordOf(file, folder), 'utf8'));
    return isTitles(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTitles(value: unknown): value is Titles {
  return (
    typeof value === 'object' &&
    value !== null &&
    'digest' in value &&
    typeof value.digest === 'string' &&
    'titles' in value &&
    Array.isArray(value.titles) &&
    value.titles.every((title) => typeof title === 'string')
  );
}

function recordOf(file: string, folder: string): string {
  return path.join(folder, `${path.relative(root, path.resolve(root, file)).replaceAll(/[\\/]/g, '.')}.json`);
}

function digestOf(file: string): string {
  const hash = createHash('sha256');
  const modules = [...testModulesOf(file)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  for (const [, source] of modules) hash.update(source);
  return hash.digest('hex');
}

/** Reads a test file and all modules of test/ that it imports, directly or through others. Returns their sources by absolute path. */
export function testModulesOf(file: string): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  const waiting = [path.resolve(root, file)];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // An import statement in a string literal may name a file that does not exist.
    if (sources.has(next) || !existsSync(next)) continue;
    const source = readFileSync(next, 'utf8');
    sources.set(next, source);
    for (const [, imported = ''] of source.matchAll(/from '(\.{1,2}\/[^']+\.ts)'/g)) {
      const target = path.resolve(path.dirname(next), imported);
      if (target.startsWith(path.join(root, 'test') + path.sep)) waiting.push(target);
    }
  }
  return sources;
}
