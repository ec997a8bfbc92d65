import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createAnswerCache } from '../../src/activity/cache.ts';
import { readActivityEvent } from '../../src/contract/activity.ts';
import { temporaryFolder } from '../support/serverProcess.ts';
import { median, type Ratio, ratio, rounded } from './harness.ts';

const ROUNDS = 15;
const EVENTS = 10_000;
/** Rows that fill a tall side bar. */
const SCREEN = 60;
const SCRIPT = path.join(import.meta.dirname, 'paintOnce.ts');
const silent = (): void => undefined;

/**
 * What an activity view does before its first rows can be painted, with 10,000 events kept on disk and with none: a fresh Node loads the
 * model, reads what is kept, and makes the rows. The time is that of the whole process, as a window that opens pays for the modules, too;
 * what lies between is in the details. The painting itself is the editor's and not in it.
 */
export async function paintRows(): Promise<Ratio> {
  using folder = temporaryFolder();
  const cache = createAnswerCache(folder.path, { debug: silent, info: silent, warn: silent, error: silent });
  const now = Date.now();
  const events = Array.from({ length: EVENTS }, (_, at) => readActivityEvent(wireEvent(EVENTS - at, now - at * 60_000)));
  await cache.write('full', 'mine', { at: now, events: events.filter((event) => event !== undefined), next: undefined }, []);
  const rounds: { readonly full: Opening; readonly empty: Opening }[] = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const pair = { full: await opening(folder.path, 'full'), empty: await opening(folder.path, 'empty') };
    if (pair.full.eventRows < SCREEN || pair.empty.eventRows !== 0)
      throw new Error(`expected at least ${SCREEN} rows and none, got ${pair.full.eventRows} and ${pair.empty.eventRows}`);
    // The first one only warms the file system.
    if (round >= 0) rounds.push(pair);
  }
  return ratio(
    'first rows of 10,000 kept events',
    'time of a process that makes the first rows of an activity view, 10,000 events kept / none kept; without the painting',
    rounds.map(({ full, empty }) => full.whole / empty.whole),
    { atMost: 1.5 },
    {
      fullMilliseconds: rounded(median(rounds.map(({ full }) => full.whole))),
      emptyMilliseconds: rounded(median(rounds.map(({ empty }) => empty.whole))),
      fullOwnMilliseconds: rounded(median(rounds.map(({ full }) => full.own))),
      emptyOwnMilliseconds: rounded(median(rounds.map(({ empty }) => empty.own))),
    },
  );
}

interface Opening {
  /** Milliseconds of the process. */
  readonly whole: number;
  /** Milliseconds from the opening to the rows. */
  readonly own: number;
  readonly eventRows: number;
}

async function opening(folder: string, account: string): Promise<Opening> {
  const started = performance.now();
  const child = spawn(process.execPath, [SCRIPT, folder, account, 'mine'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(child, 'close');
  const whole = performance.now() - started;
  const line: unknown = JSON.parse(text);
  if (typeof line !== 'object' || line === null || !('milliseconds' in line) || !('eventRows' in line)) throw new Error(text);
  return { whole, own: Number(line.milliseconds), eventRows: Number(line.eventRows) };
}

function wireEvent(id: number, at: number): Readonly<Record<string, unknown>> {
  const author = {
    id: 7,
    username: 'ana',
    name: 'Ana Novak',
    state: 'active',
    avatar_url: null,
    web_url: 'https://x.example/ana',
  };
  return {
    id,
    title: null,
    project_id: id % 12,
    action_name: 'commented on',
    target_id: id,
    target_iid: id,
    target_type: 'Note',
    author_id: 7,
    target_title: `Relay ${id} flickers when the lamp is warm`,
    created_at: new Date(at).toISOString(),
    author,
    author_username: 'ana',
    note: { id, body: `Seen at signal ${id}. `.repeat(8), author, system: false, noteable_type: 'Issue', noteable_iid: id % 300 },
  };
}
