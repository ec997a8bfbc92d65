// Tests what every test run relies on: the shuffled order, the counts, and that a run fails if it leaves something open.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { mochaEnvironment, testEnvironment } from '../support/environment.ts';
import { parseCounts } from '../support/counts.ts';

const root = path.resolve(import.meta.dirname, '../..');

describe('a mocha run', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-mocha-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  async function run(code: string, seed: number, others: readonly string[] = []) {
    const file = path.join(folder, 'a.test.ts');
    const countsFile = path.join(folder, 'counts.json');
    writeFileSync(file, code);
    rmSync(countsFile, { force: true });
    const mocha = spawn(process.execPath, [path.join(root, 'node_modules/mocha/bin/mocha.js'), file, ...others], {
      cwd: root,
      // Its own process group, as scripts/test.ts gives to a run.
      detached: process.platform !== 'win32',
      env: mochaEnvironment({
        SIGNALBOX_TEST_SEED: String(seed),
        SIGNALBOX_TEST_COUNTS: countsFile,
        SIGNALBOX_TEST_BRIEF: '',
        SIGNALBOX_TEST_ENDS_WITHIN_MS: '2000',
      }),
    });
    let output = '';
    mocha.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await once(mocha, 'close');
    const recorded = existsSync(countsFile) ? parseCounts(readFileSync(countsFile, 'utf8')) : undefined;
    const { files = {}, ...counts } = recorded ?? {};
    return { output, files, counts, order: [...output.matchAll(/[✓✗-] (?:\d+\) )?(t\d+)/g)].map((match) => match[1]).join(' ') };
  }

  /** Returns the order of the tests of each group that `tenTests` declares. */
  const groupsOf = (output: string) =>
    ['a', 'b'].map((group) => new RegExp(`^  ${group}\\n((?:    . t\\d+\\n)+)`, 'm').exec(output)?.[1]);

  const tenTests = `for (const suite of ['a', 'b']) describe(suite, () => { for (let n = 0; n < 5; n++) it('t' + n, () => {}); });`;

  it('has the same order for the same seed and another one for another seed', async () => {
    const [first, again, other] = [await run(tenTests, 1), await run(tenTests, 1), await run(tenTests, 2)];
    assert.match(first.output, /SIGNALBOX_TEST_SEED=1$/m);
    assert.equal(first.order.split(' ').length, 10);
    assert.equal(again.order, first.order);
    assert.notEqual(other.order, first.order);
  });

  it('counts what passed, failed and was skipped', async () => {
    const { counts } = await run(`it('t1', () => {}); it.skip('t2', () => {}); it('t3', () => { throw new Error('no'); });`, 1);
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 1 });
  });

  it('keeps the order inside a file for the same seed when other files run with it', async () => {
    const alone = await run(tenTests, 1);
    const other = path.join(folder, 'b.test.ts');
    writeFileSync(other, "for (let n = 0; n < 9; n++) describe('c' + n, () => { it('other', () => {}); });");
    const together = await run(tenTests, 1, [other]);
    assert.equal(together.order.split(' ').length, 10);
    const groups = groupsOf(alone.output);
    assert.ok(
      groups.every((group) => group?.includes('t4')),
      alone.output,
    );
    assert.deepEqual(groupsOf(together.output), groups);
  });

  it('reports how long each file took', async () => {
    const { files } = await run(`it('t1', (done) => { setImmediate(done); });`, 1);
    assert.deepEqual(
      Object.keys(files).map((file) => path.basename(file)),
      ['a.test.ts'],
    );
    assert.ok(Object.values(files).every((milliseconds) => milliseconds > 0));
  });

  it('prints the command that repeats the tests of a file after a failure', async () => {
    const { output } = await run(`it('t1', () => { throw new Error('no'); });`, 7);
    assert.match(output, /^To repeat: SIGNALBOX_TEST_SEED=7 npm run test:clients -- \S+a\.test\.ts$/m);
  });

  it('counts the tests that a failed hook kept from running', async () => {
    const { counts } = await run(`before(() => { throw new Error('no'); }); it('t1', () => {}); it('t2', () => {});`, 1);
    assert.deepEqual(counts, { passed: 0, failed: 3, skipped: 0 });
  });

  it('fails when a process that a test started keeps running, and names it', async function () {
    if (process.platform !== 'linux') return this.skip();
    const program = 'setTimeout(() => {}, 60_000)';
    const start = `import { spawn } from 'node:child_process';
      it('t1', () => { spawn(process.execPath, ['-e', ${JSON.stringify(program)}], { stdio: 'ignore' }).unref(); });`;
    const { counts, output } = await run(start, 1);
    const [, pid] = /processes that they started are still running:\n(\d+) .*60_000/.exec(output) ?? [];
    assert.ok(pid !== undefined, output);
    process.kill(Number(pid), 'SIGKILL');
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
  });

  it('fails when something keeps the process alive', async () => {
    const { counts, output } = await run(`it('t1', () => { setInterval(() => {}, 1000); });`, 1);
    assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
    assert.match(output, /did not exit\. Open resources: .*Timeout/);
  });

  it('fails when no test of a layer matches -g, and says so', async () => {
    const file = path.join(folder, 'a.unit.test.ts');
    writeFileSync(file, "it('t1', () => {});");
    const test = spawn(process.execPath, ['scripts/test.ts', 'unit', file, '-g', 'nothing like it'], {
      cwd: root,
      env: testEnvironment(),
    });
    let output = '';
    test.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await once(test, 'close');
    assert.match(output, /no test has a title that matches \/nothing like it\/\n0 passed, 1 failed, 0 skipped\n$/);
    assert.equal(test.exitCode, 1);
  });
});
