import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DIST, spawnServer, temporaryFolder } from '../support/serverProcess.ts';
import { type Limit, median, type Ratio, ratio, rounded, roundsUntilSure, waitedForProcessor } from './harness.ts';

const MOST_ROUNDS = 61;
const WARM_UP = 2;
const LIMIT: Limit = { atMost: 2 };
const token = 'bench-token-0123456789abcdef';
const bare = path.join(import.meta.dirname, 'bareStart.mjs');

/**
 * From spawning the process to the end of the first authenticated answer, against a bare node:http process doing no work. The time for
 * which a process was ready to run but other programs had the processors is left out on both sides.
 */
export async function coldStart(): Promise<Ratio> {
  using folder = temporaryFolder();
  const args = [path.join(DIST, 'server.js'), 'serve', '--data', folder.path, '--log-level', 'error'];
  const filled = await spawnServer(['serve', '--data', folder.path, '--seed', 'demo', '--stdin-handshake'], {
    handshake: JSON.stringify({ adminToken: token }),
  });
  if (filled.line['event'] !== 'listening') throw new Error(`the server did not start: ${JSON.stringify(filled.line)}`);
  // As in use, a server that has answered requests and ended in order has cached its compiled code.
  await (await fetch(`${filled.origin}/api/v4/user`, { headers: { 'PRIVATE-TOKEN': token } })).arrayBuffer();
  filled.child.kill('SIGTERM');
  await filled.ended;

  const server: number[] = [];
  const base: number[] = [];
  const pair = async (index: number): Promise<number> => {
    const both = [
      async () => server.push(await timeToAnswer(args, '/api/v4/user')),
      async () => base.push(await timeToAnswer([bare], '/')),
    ];
    for (const one of index % 2 === 0 ? both : both.toReversed()) await one();
    return (server.at(-1) ?? Number.NaN) / (base.at(-1) ?? Number.NaN);
  };
  for (let index = 0; index < WARM_UP; index += 1) await pair(index);
  server.length = 0;
  base.length = 0;
  const rounds = await roundsUntilSure(LIMIT, MOST_ROUNDS, pair);
  return ratio('cold start', 'time to the first authenticated answer, server / bare node process', rounds, LIMIT, {
    serverMilliseconds: rounded(median(server)),
    bareMilliseconds: rounded(median(base)),
  });
}

async function timeToAnswer(args: readonly string[], target: string): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [...args], {
    env: { PATH: process.env['PATH'] ?? '', SIGNALBOX_ADMIN_TOKEN: token },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const { origin } = JSON.parse(line) as { origin: string };
  const answer = await fetch(`${origin}${target}`, { headers: { 'PRIVATE-TOKEN': token } });
  await answer.arrayBuffer();
  const elapsed = performance.now() - started - waitedForProcessor(child.pid);
  if (answer.status !== 200) throw new Error(`${target} answered ${answer.status}`);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  return elapsed;
}
