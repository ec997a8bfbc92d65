import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isJsonObject } from '../../src/contract/json.ts';
import { checkSameWork, type Ratio, ratio, rounded, startSubject } from './harness.ts';
import { slower, slowness } from './slowness.ts';
import { measureNewcomers } from '../server/process/newcomers.ts';

const TOKEN = 'bench-newcomers-token-0123456789';
const ROUNDS = 5;
const NEWCOMERS = 16;
/** Number of new connections that each of them opens, one after the other. */
const REQUESTS = 13;

/**
 * Measures how long a new connection waits for its response while 24 open connections write, compared with how long those wait in the same
 * seconds.
 */
export async function newcomers(): Promise<Ratio> {
  const rounds: number[] = [];
  const details: Record<string, unknown>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-bench-'));
    const slow = slower({ requests: '^/api/v4/version$', factor: slowness(), by: 'waiting' });
    const program = path.join(import.meta.dirname, '../../dist/server.js');
    const subject = await startSubject([...slow, program, 'serve', '--data', folder, '--log-level', 'error'], {
      SIGNALBOX_ADMIN_TOKEN: TOKEN,
    });
    try {
      const created = await fetch(`${subject.origin}/api/v4/projects`, {
        method: 'POST',
        headers: { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' },
        body: '{"name":"Harbour"}',
      });
      if (created.status !== 201) throw new Error(`creating the project returned ${created.status}: ${await created.text()}`);
      const { open, fresh } = await measureNewcomers(subject, TOKEN, { writers: 24, newcomers: NEWCOMERS, rounds: REQUESTS });
      checkSameWork('requests of new connections', fresh.length, NEWCOMERS * REQUESTS);
      checkSameWork('issues that the open connections created', await createdIssues(subject.origin), open.length);
      const [openP99, freshP99] = [p99(open), p99(fresh)];
      rounds.push(freshP99 / openP99);
      details.push({
        open: open.length,
        newcomers: fresh.length,
        openP99: rounded(openP99),
        newcomerP99: rounded(freshP99),
      });
    } finally {
      await subject.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return ratio(
    'waiting time of new connections',
    'p99 of new connections / p99 of 24 open connections that write',
    rounds,
    { atMost: 3 },
    { rounds: details },
  );
}

async function createdIssues(origin: string): Promise<number> {
  const response = await fetch(`${origin}/api/v4/projects/1`, { headers: { 'PRIVATE-TOKEN': TOKEN } });
  const project: unknown = await response.json();
  return Number(isJsonObject(project) ? project['open_issues_count'] : Number.NaN);
}

function p99(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)] ?? Number.NaN;
}
