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
import { machine, type Ratio } from './harness.ts';
import { markedTyping } from './markedTyping.ts';
import { firstRow } from './firstRow.ts';
import { durability, inbox, ingest, million, reading } from './ingest.ts';
import { newcomers } from './newcomers.ts';
import { notifications } from './notifications.ts';
import { packages } from './packages.ts';
import { refresh } from './refresh.ts';
import { routes } from './routes.ts';
import { scale } from './scale.ts';
import { stalls } from './stalls.ts';
import { wrongPasswords } from './wrongPasswords.ts';

// npm run bench [name …]: runs paired measurements. Exits with 1 if a ratio is outside its limit. Writes the results to .cache/bench.json.
const all: Readonly<Record<string, () => Promise<Ratio | readonly Ratio[]>>> = {
  coldStart,
  demoStart,
  errors,
  events,
  issue,
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
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in all));
if (unknown.length > 0) {
  console.error(`Unknown benchmark: ${unknown.join(', ')}. Available: ${Object.keys(all).join(', ')}.`);
  process.exit(2);
}

const about = machine();
console.log(
  `${String(about['cpu'])}, ${String(about['cores'])} cores, Node ${String(about['node'])}, disk flush ${String(about['flushMilliseconds'])} ms`,
);
const results: Ratio[] = [];
for (const [name, bench] of Object.entries(all)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const result of [await bench()].flat()) {
    results.push(result);
    const limit = 'atLeast' in result.limit ? `at least ${result.limit.atLeast}` : `at most ${result.limit.atMost}`;
    console.log(`${result.holds ? 'ok  ' : 'FAIL'}  ${result.name}: ${result.median} (limit: ${limit}); ${result.of}`);
    console.log(
      `       rounds ${result.rounds.join(' ')}; probability by chance ${result.chance}; ${JSON.stringify(result.details)}`,
    );
  }
}
const folder = path.join(import.meta.dirname, '../../.cache');
mkdirSync(folder, { recursive: true });
writeFileSync(path.join(folder, 'bench.json'), `${JSON.stringify({ machine: about, results }, undefined, 2)}\n`);
process.exitCode = results.every((result) => result.holds) ? 0 : 1;
