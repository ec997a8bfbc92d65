import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { type Limit, median, type Ratio, ratio, rounded, roundsUntilSure, waitedForProcessor } from './harness.ts';

const MOST_ROUNDS = 61;
const WARM_UP = 2;
const LIMIT: Limit = { atMost: 2 };
const token = 'bench-token-0123456789abcdef';

/**
 * From spawning the process on a new folder, as the extension does, to the end of the first authenticated answer: with demo data against
 * an empty database. The time for which the process was ready to run but other programs had the processors is left out on both sides.
 */
export async function demoStart(): Promise<Ratio> {
  // What is compiled is kept there for the next start.
  using home = temporaryFolder();
  const timeToAnswer = (seed: 'demo' | 'none'): Promise<number> => timeOfStart(seed, home.path);
  const filled: number[] = [];
  const empty: number[] = [];
  const pair = async (index: number): Promise<number> => {
    const both = [async () => filled.push(await timeToAnswer('demo')), async () => empty.push(await timeToAnswer('none'))];
    for (const one of index % 2 === 0 ? both : both.toReversed()) await one();
    return (filled.at(-1) ?? Number.NaN) / (empty.at(-1) ?? Number.NaN);
  };
  for (let index = 0; index < WARM_UP; index += 1) await pair(index);
  filled.length = 0;
  empty.length = 0;
  const rounds = await roundsUntilSure(LIMIT, MOST_ROUNDS, pair);
  return ratio('first start', 'time to the first authenticated answer on a new folder, demo data / empty', rounds, LIMIT, {
    demoMilliseconds: rounded(median(filled)),
    emptyMilliseconds: rounded(median(empty)),
  });
}

async function timeOfStart(seed: 'demo' | 'none', home: string): Promise<number> {
  using folder = temporaryFolder();
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [path.join(DIST, 'server.js'), 'serve', '--data', folder.path, '--seed', seed, '--stdin-handshake'],
    { env: { PATH: process.env['PATH'] ?? '', HOME: home }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  child.stdin.write(`${JSON.stringify({ adminToken: token })}\n`);
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const { origin } = JSON.parse(line) as { origin: string };
  const answer = await fetch(`${origin}/api/v4/projects?per_page=1`, { headers: { 'PRIVATE-TOKEN': token } });
  const projects = (await answer.json()) as readonly unknown[];
  const elapsed = performance.now() - started - waitedForProcessor(child.pid);
  if (projects.length !== (seed === 'demo' ? 1 : 0)) throw new Error(`the start with ${seed} has ${projects.length} projects`);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  return elapsed;
}
