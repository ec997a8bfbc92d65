import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { activation } from './activation.ts';
import { bodyMemory } from './bodyMemory.ts';
import { coldStart } from './coldStart.ts';
import { demoStart } from './demoStart.ts';
import { devicePolls } from './devicePolls.ts';
import { errors } from './errors.ts';
import { events, issue } from './events.ts';
import { files } from './files.ts';
import { git } from './git.ts';
import { gitMemory } from './gitMemory.ts';
import { machine, type Ratio, rounded } from './harness.ts';
import { markedTyping } from './markedTyping.ts';
import { firstRow } from './firstRow.ts';
import { durability, inbox, ingest, million, reading } from './ingest.ts';
import { newcomers } from './newcomers.ts';
import { notifications } from './notifications.ts';
import { packages } from './packages.ts';
import { reads } from './reads.ts';
import { refresh } from './refresh.ts';
import { routes } from './routes.ts';
import { scale } from './scale.ts';
import { setSlowness, slowness, twiceTheMargin } from './slowness.ts';
import { stalls } from './stalls.ts';
import { wrongPasswords } from './wrongPasswords.ts';

// npm run bench -- [NAME …]                  runs paired measurements; exits with 1 if a ratio is outside its limit
// npm run bench -- [NAME …] --slow           then repeats each with the product slowed by twice its margin; exits with 1 unless each limit
//                                            notices
// npm run bench -- [NAME …] --slow=FACTOR    runs only slowed measurements, in which the product takes FACTOR times as long
//
// Writes the results to .cache/bench.json.
type Bench = () => Promise<Ratio | readonly Ratio[]>;
const all: Readonly<Record<string, Bench>> = {
  coldStart,
  demoStart,
  errors,
  events,
  issue,
  reads,
  markedTyping,
  routes,
  files,
  firstRow,
  git,
  gitMemory,
  activation,
  refresh,
  devicePolls,
  wrongPasswords,
  ingest,
  bodyMemory,
  durability,
  inbox,
  reading,
  million,
  newcomers,
  notifications,
  packages,
  scale,
  stalls,
};
const args = process.argv.slice(2);
const slow = args.find((arg) => /^--slow(=|$)/.test(arg));
const wanted = args.filter((arg) => arg !== slow);
const unknown = wanted.filter((name) => !(name in all));
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Available: ${Object.keys(all).join(', ')}.`);
  process.exit(2);
}
const factor = slow?.includes('=') === true ? Number(slow.slice('--slow='.length)) : undefined;
if (factor !== undefined && !(factor > 1)) {
  console.error('--slow=FACTOR needs a number above 1.');
  process.exit(2);
}

const about = machine();
console.log(
  `${String(about['cpu'])}, ${String(about['cores'])} cores, Node ${String(about['node'])}, disk flush ${String(about['flushMilliseconds'])} ms`,
);
const results: Ratio[] = [];
const slowed: { readonly name: string; readonly factor: number; readonly result: Ratio }[] = [];
for (const [name, bench] of Object.entries(all)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (factor !== undefined) {
    await runSlowly(name, bench, factor);
    continue;
  }
  setSlowness(1);
  const own = [await bench()].flat();
  for (const result of own) print(result, result.holds ? 'ok  ' : 'FAIL');
  results.push(...own);
  if (slow !== undefined && own.every((result) => result.holds)) await runSlowly(name, bench, own.map(twiceTheMargin));
}
const folder = path.join(import.meta.dirname, '../../.cache');
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'bench.json'), `${JSON.stringify({ machine: about, results, slowed }, undefined, 2)}\n`);
process.exitCode = [...results.map((result) => result.holds), ...slowed.map(({ result }) => !result.holds)].every(Boolean)
  ? 0
  : 1;

/** Runs a benchmark with a slower product, and prints whether each of its limits notices. */
async function runSlowly(name: string, bench: Bench, factors: readonly number[] | number): Promise<void> {
  setSlowness(factors);
  for (const [position, result] of [await bench()].flat().entries()) {
    slowed.push({ name, factor: slowness(position), result });
    const verdict = result.holds ? 'ok, which is a defect of the benchmark' : 'FAIL, as it should';
    print(result, `${verdict} (product slowed ${rounded(slowness(position))} times)`);
  }
}

function print(result: Ratio, verdict: string): void {
  const limit = 'atLeast' in result.limit ? `at least ${result.limit.atLeast}` : `at most ${result.limit.atMost}`;
  console.log(`${verdict}  ${result.name}: ${result.median} (limit: ${limit}); ${result.of}`);
  console.log(
    `       rounds ${result.rounds.join(' ')}; probability by chance ${result.chance}; ${JSON.stringify(result.details)}`,
  );
}
