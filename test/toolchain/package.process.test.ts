import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Context } from 'mocha';
import { packageProblems, targetOfMachine } from '../../scripts/packageContents.ts';
import { readZip } from '../../scripts/zip.ts';
import { testEnvironment } from '../support/environment.ts';
import { spawnServer, temporaryFolder } from '../support/serverProcess.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('the package of this platform', () => {
  it('the package of this platform is small, has exactly what belongs into it, and its server starts from it', async function (this: Context) {
    const target = targetOfMachine();
    if (target === undefined) return this.skip();
    using folder = temporaryFolder();
    const script = path.join(ROOT, 'scripts/package.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--no-build', '--out', folder.path], {
      encoding: 'utf8',
      env: testEnvironment(),
    });
    assert.equal(status, 0, stdout + stderr);
    const [name = '', ...others] = readdirSync(folder.path);
    assert.deepEqual(others, []);
    assert.match(name, new RegExp(`^signalbox-${target}-\\d+\\.\\d+\\.\\d+\\.vsix$`));
    const archive = readFileSync(path.join(folder.path, name));
    const files = readZip(archive);
    assert.deepEqual(packageProblems(files, archive.length, target), []);
    // VS Code shows no image of the package on the page of the extension.
    assert.doesNotMatch(files.get('extension/readme.md')?.toString() ?? '', /!\[/);

    const installed = path.join(folder.path, 'installed');
    for (const [file, bytes] of files) {
      mkdirSync(path.dirname(path.join(installed, file)), { recursive: true });
      writeFileSync(path.join(installed, file), bytes);
    }
    const program = path.join(installed, 'extension/server.js');
    chmodSync(program, 0o755);
    await using server = await spawnServer(['serve', '--memory', '--seed', 'demo'], { program });
    assert.equal(server.line['event'], 'listening', server.stderr());
  });
});
