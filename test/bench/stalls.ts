import path from 'node:path';
import {
  MAX_BODY_BYTES,
  type LongRequest,
  longRequests,
  makePlace,
  type Fixture,
  type Sent,
  sendTo,
  type Target,
} from '../server/http/longRequests.ts';
import { TEST_ADMIN_TOKEN as token } from '../support/server.ts';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { type Limit, median, type Ratio, ratio, rounded, roundsUntilSure, type Subject } from './harness.ts';
import { type MeasuredTurns, startIdleTurns, startMeasuredTurns } from './measured.ts';
import { slower, slowness } from './slowness.ts';

/** Maximum number of rounds per request. One is enough for a cheap request, a few for one far from the limits. */
const MAX_ROUNDS = 25;
const FEW_ROUNDS = 3;
/** Share of a limit below which a few rounds are enough. */
const CLEAR = 0.7;
/** Processor time in milliseconds below which the growth of a request's cost cannot be measured. */
const NOISE_FLOOR = 40;
/**
 * Processor time in milliseconds that is measured at least on either side where the growth is not clear. The system counts processor time in
 * ticks of some milliseconds, and single garbage collections cost as much as a short request.
 */
const STEADY = 250;
/** Longest turn of the event loop in milliseconds, minus that of an idle process. */
const MAX_WAIT = 100;
const MAX_GROWTH = 2.5;
/** Filters the long requests by a part of their name; unset means all. */
const only = new RegExp(process.env['SIGNALBOX_BENCH_LONG'] ?? '');

type MeasuredServer = Subject & { measured(): Promise<MeasuredTurns> };

interface Result {
  readonly name: string;
  readonly status: number;
  /** Longest turn of the event loop minus that of the idle process, by round. */
  readonly waits: readonly number[];
  /** Processor time of the whole body in milliseconds, by round. */
  readonly processor: readonly number[];
  /** Cost of the whole body / cost of half of it, by round; empty below the noise floor. */
  readonly growths: readonly number[];
}

/**
 * Measures how long other requests wait while a long request is handled, which is the longest turn of the event loop, and how processor
 * time grows when the body doubles. Fails when a response has another status than the long request names.
 */
export async function stalls(): Promise<readonly Ratio[]> {
  using folder = temporaryFolder();
  const server = await startMeasuredTurns([
    ...slower({ requests: '^whole$', factor: Math.max(slowness(0), slowness(1)) }),
    ...[path.join(DIST, 'server.js'), 'serve', '--data', folder.path, '--log-level', 'error'],
  ]);
  const idle = await startIdleTurns();
  const target: Target = { origin: server.origin, token };
  try {
    const location = await makePlace(target);
    const results: Result[] = [];
    for (const long of longRequests.filter(({ name }) => only.test(name))) {
      const result = await measure({ server, idle, target, location }, long);
      results.push(result);
      if (process.env['SIGNALBOX_BENCH_LONG'] !== undefined) console.log(JSON.stringify(summary(result)));
    }
    return [longestWait(results), steepestGrowth(results)];
  } finally {
    await Promise.all([server.stop(), idle.stop()]);
  }
}

function longestWait(results: readonly Result[]): Ratio {
  const byWait = results.toSorted((one, other) => median(other.waits) - median(one.waits));
  const [slowest] = byWait;
  return ratio(
    `longest event loop turn of a long request (${slowest?.name ?? 'none'})`,
    'longest turn in milliseconds, minus that of an idle process',
    slowest?.waits ?? [],
    { atMost: MAX_WAIT },
    {
      requests: results.length,
      over: byWait.filter(({ waits }) => median(waits) > MAX_WAIT).map(summary),
      next: byWait.slice(1, 6).map(summary),
    },
  );
}

function steepestGrowth(results: readonly Result[]): Ratio {
  const byGrowth = results
    .filter(({ growths }) => growths.length > 0)
    .toSorted((one, other) => median(other.growths) - median(one.growths));
  const [steepest] = byGrowth;
  return ratio(
    `cost growth when a body doubles (${steepest?.name ?? 'none'})`,
    `processor time, ${MAX_BODY_BYTES} bytes / half as many`,
    steepest?.growths ?? [0],
    { atMost: MAX_GROWTH },
    {
      requests: byGrowth.length,
      over: byGrowth.filter(({ growths }) => median(growths) > MAX_GROWTH).map(summary),
      next: byGrowth.slice(1, 6).map(summary),
    },
  );
}

interface Surroundings {
  readonly server: MeasuredServer;
  readonly idle: MeasuredServer;
  readonly target: Target;
  readonly location: Fixture;
}

async function measure({ server, idle, target, location }: Surroundings, long: LongRequest): Promise<Result> {
  const send = async (bytes: number): Promise<{ readonly wait: number; readonly processor: number }> => {
    const sent = await long.prepare(location, bytes);
    await Promise.all([server.measured(), idle.measured()]);
    const headers = { ...sent.headers, 'X-Bench': bytes === MAX_BODY_BYTES ? 'whole' : 'half' };
    await mustAnswer(target, long, { ...sent, headers });
    if (long.settledBy !== undefined) await mustAnswer(target, { name: long.name, status: 200 }, long.settledBy(location));
    const [{ longestTurn, processor }, control] = await Promise.all([server.measured(), idle.measured()]);
    return { wait: Math.max(0, longestTurn - control.longestTurn), processor };
  };
  // The first request compiles code and opens the pages of the database.
  await send(MAX_BODY_BYTES);
  const first = await send(MAX_BODY_BYTES);
  const waits = [first.wait];
  const processor = [first.processor];
  const growths: number[] = [];
  if (first.wait > CLEAR * MAX_WAIT) {
    const more = async (): Promise<number> => {
      const { wait } = await send(MAX_BODY_BYTES);
      return wait;
    };
    waits.splice(0, 1, ...(await enoughRounds({ atMost: MAX_WAIT }, more)));
  }
  if (first.processor >= NOISE_FLOOR) {
    const costOf = async (bytes: number, times: number): Promise<number> => {
      let sum = 0;
      for (let time = 0; time < times; time += 1) sum += (await send(bytes)).processor;
      return sum / times;
    };
    const more = async (index: number, times: number): Promise<number> => {
      const sizes = [MAX_BODY_BYTES / 2, MAX_BODY_BYTES];
      const costs = new Map<number, number>();
      for (const size of index % 2 === 0 ? sizes : sizes.toReversed()) costs.set(size, await costOf(size, times));
      const whole = costs.get(MAX_BODY_BYTES) ?? Number.NaN;
      processor.push(whole);
      // A half that costs next to nothing counts as a share of the noise floor, so that only a measurable cost can grow.
      return whole / Math.max(costs.get(MAX_BODY_BYTES / 2) ?? Number.NaN, NOISE_FLOOR / MAX_GROWTH);
    };
    const times = Math.ceil(STEADY / first.processor);
    growths.push(
      ...(await enoughRounds(
        { atMost: MAX_GROWTH },
        (index) => more(index, 1),
        (index) => more(index, times),
      )),
    );
  }
  return { name: long.name, status: long.status, waits, processor, growths };
}

/** Runs a few quick rounds if all of them are far below the limit, otherwise as many rounds as it takes to be sure. */
async function enoughRounds(
  limit: Limit & { readonly atMost: number },
  quickRound: (index: number) => Promise<number>,
  round = quickRound,
): Promise<number[]> {
  const few: number[] = [];
  while (few.length < FEW_ROUNDS) few.push(await quickRound(few.length));
  if (few.every((value) => value <= CLEAR * limit.atMost)) return few;
  return roundsUntilSure(limit, MAX_ROUNDS, round);
}

async function mustAnswer(
  target: Target,
  { name, status: expected }: Pick<LongRequest, 'name' | 'status'>,
  sent: Sent,
): Promise<void> {
  const { status, text } = await sendTo(target, sent);
  if (status !== expected) throw new Error(`${name} returned ${status} instead of ${expected}: ${text.slice(0, 200)}`);
}

function summary({ name, status, waits, processor, growths }: Result): object {
  return {
    name,
    status,
    wait: rounded(median(waits)),
    processor: rounded(median(processor)),
    ...(growths.length === 0 ? {} : { growth: rounded(median(growths)), rounds: growths.length }),
  };
}
