import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { spawnGuarded } from '../../scripts/guarded.ts';
import { testEnvironment } from '../support/environment.ts';
import { until } from '../support/until.ts';

const GUARDED = path.resolve(import.meta.dirname, '../../scripts/guarded.ts');
/** A program with a child process; both keep running until they are killed and ignore SIGTERM. Prints both process ids. */
const FAMILY = `
  process.on('SIGTERM', () => {});
  if (process.argv[1] !== 'child') {
    const child = require('node:child_process').spawn(process.execPath, ['-e', process.env.FAMILY, 'child'], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout.once('data', () => console.log(process.pid + ' ' + child.pid));
  } else console.log('up');
  setInterval(() => {}, 60_000);
`;

describe('a guarded program', () => {
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
  });

  it('is stopped with all its descendants', async () => {
    const program = spawnGuarded(process.execPath, ['-e', FAMILY], { env: testEnvironment([], { FAMILY }) });
    const pids = await pidsOf(program.stdout);
    await program.stop();
    await untilGone(pids);
  });

  it('exits with all its descendants when its parent is killed', async () => {
    const starter = `
      const { spawnGuarded } = await import(${JSON.stringify(GUARDED)});
      spawnGuarded(process.execPath, ['-e', process.env.FAMILY], { env: process.env }).stdout.pipe(process.stdout);
    `;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', starter], {
      env: testEnvironment([], { FAMILY }),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(parent);
    const pids = await pidsOf(parent.stdout);
    parent.kill('SIGKILL');
    await untilGone(pids);
  });

  it('returns the exit code of a program that exits on its own', async () => {
    const program = spawnGuarded(process.execPath, ['-e', 'process.exit(7)'], { env: testEnvironment() });
    assert.equal(await program.exited, 7);
  });
});

async function pidsOf(output: NodeJS.ReadableStream): Promise<readonly number[]> {
  const [line] = await once(createInterface({ input: output }), 'line');
  const pids = String(line).split(' ').map(Number);
  assert.equal(pids.length, 2, String(line));
  return pids;
}

function untilGone(pids: readonly number[]): Promise<unknown> {
  return until(
    () => pids.filter(isAlive),
    (alive) => alive.length === 0,
    'every process has ended',
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie process still has its id (proc(5), state Z).
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
