import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MAX_PACKAGE_BYTES, PACKAGE_TARGETS } from '../../scripts/packageContents.ts';
import { testEnvironment } from '../support/environment.ts';
import { type Ratio, ratio } from './harness.ts';
import { slowness } from './slowness.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Makes the packages of all platforms, and compares their sizes with the largest that is allowed. */
export async function packages(): Promise<Ratio> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-packages-'));
  try {
    const isLarger = slowness() !== 1;
    const { status, stdout, stderr } = run(
      'scripts/package.ts',
      '--all',
      '--out',
      folder,
      ...(isLarger ? largerExtension(folder) : []),
    );
    // The script ends at the first package that is too large.
    if (status !== 0 && !isLarger) throw new Error(`The packages could not be made:\n${stdout}${stderr}`);
    const files = globSync('*.vsix', { cwd: folder }).toSorted();
    const targets = isLarger ? files.slice(0, 1) : Object.keys(PACKAGE_TARGETS);
    if (files.length === 0 || files.length !== targets.length)
      throw new Error(`There are ${files.length} packages for ${targets.length} platforms:\n${stdout}${stderr}`);
    const sizes = Object.fromEntries(files.map((name) => [name, statSync(path.join(folder, name)).size]));
    const largest = Math.max(...Object.values(sizes)) / MAX_PACKAGE_BYTES;
    return ratio('packages of all platforms', 'size, the largest package / the limit', [largest], { atMost: 1 }, sizes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds the extension, and returns the arguments of the script for a copy whose package has as many times its size as is wanted. */
function largerExtension(folder: string): readonly string[] {
  const own = run('scripts/package.ts', '--out', path.join(folder, 'own'));
  const [file] = globSync('own/*.vsix', { cwd: folder });
  if (file === undefined) throw new Error(`The package could not be made:\n${own.stdout}${own.stderr}`);
  const copy = path.join(folder, 'extension');
  cpSync(path.join(ROOT, 'dist'), copy, { recursive: true });
  const bytes = Math.ceil(statSync(path.join(folder, file)).size * (slowness() - 1));
  appendFileSync(path.join(copy, 'running.js'), `\n// ${randomBytes(bytes).toString('base64')}\n`);
  return ['--from', copy];
}

function run(script: string, ...args: readonly string[]) {
  return spawnSync(process.execPath, [path.join(ROOT, script), ...args], { encoding: 'utf8', env: testEnvironment() });
}
