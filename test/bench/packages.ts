import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { MAX_PACKAGE_BYTES, PACKAGE_TARGETS } from '../../scripts/packageContents.ts';
import { testEnvironment } from '../support/environment.ts';
import { type Ratio, ratio } from './harness.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Makes the packages of all platforms, and compares their sizes with the largest that is allowed. */
export async function packages(): Promise<Ratio> {
  const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-packages-'));
  try {
    const script = path.join(ROOT, 'scripts/package.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--all', '--out', folder], {
      encoding: 'utf8',
      env: testEnvironment(),
    });
    if (status !== 0) throw new Error(`The packages could not be made:\n${stdout}${stderr}`);
    const files = globSync('*.vsix', { cwd: folder }).toSorted();
    const targets = Object.keys(PACKAGE_TARGETS);
    if (files.length !== targets.length) throw new Error(`There are ${files.length} packages for ${targets.length} platforms.`);
    const sizes = Object.fromEntries(files.map((name) => [name, statSync(path.join(folder, name)).size]));
    const largest = Math.max(...Object.values(sizes)) / MAX_PACKAGE_BYTES;
    return ratio('packages of all platforms', 'size, the largest package / the limit', [largest], { atMost: 1 }, sizes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
