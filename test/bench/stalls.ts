import { Agent } from 'node:http';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type LongRequest, longRequests, makePlace, type Place, type Sent, sendTo, type Target } from '../http/longRequests.ts';
import { TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { median, type Ratio, ratio, rounded, type Subject } from './harness.ts';
import { type Measuring, startMeasured } from './measured.ts';

const ROUNDS = 5;
const SIZES = { half: 500_000, whole: 990_000 } as const;
/** Milliseconds between requests of the others. */
const PAUSE = 2;
/** Milliseconds of processor time; a request below is too cheap to tell how its cost grows. */
const NOISE_FLOOR = 25;
const MOST_WAIT = 100;
const MOST_GROWTH = 2.5;
/** Long requests by a part of their name; all when it is not set. */
const only = new RegExp(process.env['SIGNALBOX_BENCH_LONG'] ?? '');

interface Result {
  readonly name: string;
  /** Status of the longer one. */
  readonly status: number;
  /** Milliseconds that others waited at most, round by round. */
  readonly waits: readonly number[];
  /** Milliseconds of processor time by size. */
  readonly half: readonly number[];
  readonly whole: readonly number[];
}

/** How long others wait while a long request is answered, and what a body of double the length costs more. */
export async function stalls(): Promise<readonly Ratio[]> {
  using folder = temporaryFolder();
  const server = await startMeasured([path.join(DIST, 'server.js'), 'serve', '--data', folder.path, '--log-level', 'error']);
  using agent = disposableAgent();
  const target: Target = { origin: server.origin, token, agent: agent.agent };
  try {
    const place = await makePlace(target);
    const idle: number[] = [];
    const results: Result[] = [];
    for (const long of longRequests.filter(({ name }) => only.test(name))) {
      idle.push(await longestWait(target, () => pause(100)));
      const result = await measure(server, target, place, long);
      results.push(result);
      if (process.env['SIGNALBOX_BENCH_LONG'] !== undefined) console.log(JSON.stringify(summary(result, 0)));
    }
    const quiet = median(idle);
    const byWait = results.toSorted((one, other) => median(other.waits) - median(one.waits));
    const byGrowth = results.filter(isCostly).toSorted((one, other) => growthOf(other) - growthOf(one));
    const [slowest] = byWait;
    const [steepest] = byGrowth;
    return [
      ratio(
        `others wait while a long request is answered (${slowest?.name ?? 'none'})`,
        'milliseconds at most, minus those without it',
        (slowest?.waits ?? []).map((wait) => Math.max(0, wait - quiet)),
        { atMost: MOST_WAIT },
        {
          requests: results.length,
          idle: rounded(quiet),
          over: byWait.filter(({ waits }) => median(waits) - quiet > MOST_WAIT).map((result) => summary(result, quiet)),
          next: byWait.slice(1, 6).map((result) => summary(result, quiet)),
        },
      ),
      ratio(
        `cost of double the body (${steepest?.name ?? 'none'})`,
        'processor time of 1 MB / of 0.5 MB',
        steepest === undefined ? [0] : [growthOf(steepest)],
        { atMost: MOST_GROWTH },
        {
          over: byGrowth.filter((result) => growthOf(result) > MOST_GROWTH).map((result) => summary(result, quiet)),
          next: byGrowth.slice(1, 6).map((result) => summary(result, quiet)),
        },
      ),
    ];
  } finally {
    await server.stop();
  }
}

async function measure(server: Subject & Measuring, target: Target, place: Place, long: LongRequest): Promise<Result> {
  const waits: number[] = [];
  const costs: { half: number[]; whole: number[] } = { half: [], whole: [] };
  let status = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const size of ['half', 'whole'] as const) {
      const sent = await long.prepare(place, SIZES[size]);
      await server.measured();
      status = await mustAnswer(target, long, sent);
      costs[size].push((await server.measured()).processor);
    }
    const sent = await long.prepare(place, SIZES.whole);
    waits.push(await longestWait(target, () => mustAnswer(target, long, sent)));
  }
  return { name: long.name, status, waits, ...costs };
}

async function mustAnswer(target: Target, { name }: LongRequest, sent: Sent): Promise<number> {
  const { status, text } = await sendTo(target, sent);
  if (status >= 500) throw new Error(`${name} was answered ${status}: ${text.slice(0, 200)}`);
  return status;
}

/** The longest that one of the cheap requests took, which somebody else sends until `work` is done. */
async function longestWait(target: Target, work: () => Promise<unknown>): Promise<number> {
  const done = new AbortController();
  let longest = 0;
  const probe = { method: 'GET', path: '/_local/health', headers: { 'PRIVATE-TOKEN': '' } };
  const probing = (async () => {
    while (!done.signal.aborted) {
      const started = performance.now();
      await sendTo(target, probe);
      longest = Math.max(longest, performance.now() - started);
      await pause(PAUSE);
    }
  })();
  await pause(2 * PAUSE);
  await work();
  done.abort();
  await probing;
  return longest;
}

function isCostly({ whole }: Result): boolean {
  return median(whole) >= NOISE_FLOOR;
}

/** A half that costs next to nothing counts as the noise floor would: only a real cost can have grown. */
function growthOf({ half, whole }: Result): number {
  return median(whole) / Math.max(median(half), NOISE_FLOOR / MOST_GROWTH);
}

function summary(result: Result, quiet: number): object {
  return {
    name: result.name,
    status: result.status,
    wait: rounded(median(result.waits) - quiet),
    half: rounded(median(result.half)),
    whole: rounded(median(result.whole)),
  };
}

function disposableAgent(): { readonly agent: Agent } & Disposable {
  const agent = new Agent({ keepAlive: false });
  return { agent, [Symbol.dispose]: () => agent.destroy() };
}
