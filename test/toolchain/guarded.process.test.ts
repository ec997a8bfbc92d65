import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { spawnGuarded } from '../../scripts/guarded.ts';
import { until } from '../support/until.ts';

const GUARDED = path.resolve(import.meta.dirname, '../../scripts/guarded.ts');
/** A program with a child of its own; both stay until they are ended, and shrug at a polite request. Prints both process ids. */
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

  it('ends with everything under it when it is stopped', async () => {
    const program = spawnGuarded(process.execPath, ['-e', FAMILY], { env: { ...process.env, FAMILY } });
    const pids = await pidsOf(program.stdout);
    await program.stop();
    await untilGone(pids);
  });

  it('ends with everything under it when whoever started it is killed', async () => {
    const starter = `
      const { spawnGuarded } = await import(${JSON.stringify(GUARDED)});
      spawnGuarded(process.execPath, ['-e', process.env.FAMILY], { env: process.env }).stdout.pipe(process.stdout);
    `;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', starter], {
      env: { ...process.env, FAMILY },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(parent);
    const pids = await pidsOf(parent.stdout);
    parent.kill('SIGKILL');
    await untilGone(pids);
  });

  it('tells the exit code of a program that ends by itself', async () => {
    const program = spawnGuarded(process.execPath, ['-e', 'process.exit(7)'], { env: { ...process.env } });
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
    // One that has ended and that nobody has asked about still has its number (proc(5), state Z).
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
