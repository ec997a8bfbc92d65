// `npm test` runs the checks and all layers except `wide` and `soak`, in three parallel lanes. `npm run test:unit` runs one layer; after `--`
// it accepts mocha's options (`npm run test:unit -- -g NAME`) and test files to run instead of the whole layer. `npm run test:wide` runs
// the complete sets of which `npm test` runs samples.
// The last line is `N passed, N failed, N skipped`; the exit code is 1 if something failed.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Counts, parseCounts, type Recorded } from '../test/support/counts.ts';
import { mochaEnvironment } from '../test/support/environment.ts';
import { randomOf, seed } from '../test/support/seed.ts';
import { filesWithTitle, grepOf, testModulesOf } from '../test/support/titles.ts';
import { runChecks } from './check.ts';
import { spawnGuarded } from './guarded.ts';

const root = path.dirname(import.meta.dirname);
/** Expected duration of a complete run on two cores, and the time after which a run is stopped. */
const budgetMinutes = 15;
const limitMinutes = 60;
const soakMinutes = 240;
/** Suites run inside the extension hosts of the VS Codes that these test files start: half of them in each, or all that are named in the first. */
const suiteEnding = '.suite.ts';
const insideFile = 'test/extension/inside.host.test.ts';
const insideSecondFile = 'test/extension/insideSecond.host.test.ts';
/** Number of files with the longest durations that a complete run prints. */
const slowestFiles = 10;

interface Layer {
  readonly name: string;
  readonly files: string;
  /** True if the tests use dist/. */
  readonly built: boolean;
  /** Timeout of a test in milliseconds. By default that of package.json. */
  readonly timeout?: number;
  /** Number of mocha processes among which the files are divided; 1 by default. */
  readonly processes?: number;
  /** Arguments of Node. */
  readonly node?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Number of processes that run in parallel when nothing else runs; 1 by default. */
  readonly sideBySide?: number;
  /** Files that take longest. They start first, so that the run does not end with one of them alone. */
  readonly longest?: RegExp;
}

const layers = {
  unit: { name: 'unit', files: 'test/**/*.unit.test.ts', built: false },
  api: {
    name: 'api',
    files: 'test/**/*.api.test.ts',
    built: false,
    processes: 8,
    // Thousands of git processes are started. Each start copies the page tables of this process, so a smaller process starts them faster.
    node: ['--max-semi-space-size=4'],
    env: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '1000000', GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1' },
  },
  process: { name: 'process', files: 'test/**/*.process.test.ts', built: true },
  clients: { name: 'clients', files: 'test/**/*.clients.test.ts', built: true },
  host: {
    name: 'host',
    files: 'test/**/*.host.test.ts',
    built: true,
    // The tests of a process share a VS Code. With more processes than lanes, both lanes end at about the same time.
    processes: 6,
    sideBySide: 2,
    longest: /(?:inside|insideSecond|web\/pages)\.host/,
  },
  wide: {
    name: 'wide',
    files: 'test/**/*.wide.test.ts',
    built: true,
    timeout: 1_800_000,
    processes: Number.POSITIVE_INFINITY,
    sideBySide: 2,
  },
  soak: { name: 'soak', files: 'test/**/*.soak.test.ts', built: true, timeout: 10_800_000 },
} as const satisfies Record<string, Layer>;

interface Step extends Counts {
  readonly name: string;
  readonly seconds: number;
  /** Text in place of the counts if no test ran. */
  readonly text?: string;
}

const steps: Step[] = [];
const started = performance.now();
/** Folder with values that the test processes of this run share (test/support/onceARun.ts). */
const runFolder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-run-'));
process.on('exit', () => rmSync(runFolder, { recursive: true, force: true }));
/** Milliseconds by test file. */
const durations = new Map<string, number>();

const [chosen, ...mochaOptions] = process.argv.slice(2);
if (chosen === undefined) await everything();
else if (isLayer(chosen)) await oneLayer(layers[chosen], mochaOptions);
else {
  console.error(`Unknown layer "${chosen}". Layers: ${Object.keys(layers).join(', ')}.`);
  process.exit(2);
}
summary();

async function everything(): Promise<void> {
  // Third-party software is installed while other layers run. Layers that need dist/ wait for the build.
  const hostIsReady = prepareHost(layers.host);
  const checks = check();
  const build = checks.then(buildDist);
  // Tests of clients and processes often wait for other programs, so three lanes use two cores. All lanes share the api layer, which is the
  // longest one in few processes. The host layer is last and has two lanes only, because VS Code and its browser use more than one core.
  const api = beginLayer(layers.api);
  const host = beginLayer(layers.host);
  const hostLane = async () => {
    if ((await hostIsReady) && (await build)) await host.lane();
  };
  const ownLayers = async () => {
    await checks;
    await runLayer(layers.unit);
    await api.lane();
    await hostLane();
  };
  const processLayer = async () => {
    if (await build) await runLayer(layers.process);
    await api.lane();
  };
  const clientsLayer = async () => {
    await hostIsReady;
    if (await build) await runLayer(layers.clients, { nice: true });
    await api.lane();
    await hostLane();
  };
  await Promise.all([ownLayers(), processLayer(), clientsLayer()]);
  api.end();
  if ((await hostIsReady) && (await build)) host.end();
}

async function oneLayer(layer: Layer, options: readonly string[]): Promise<void> {
  if (layer.built && !(await buildDist())) return;
  const files = filesOf(layer, options);
  if (files.some(usesVsCode) && !(await prepareHost(layer))) return;
  // The files of these layers run in processes of their own, unless one file or test is wanted.
  const isWhole = layer.name === 'wide' && options.length === 0;
  await runLayer(layer, { options, isVerbose: !isWhole });
  const pattern = grepOf(options);
  const { passed, failed, skipped } = sum(steps.filter(({ name }) => name === layer.name));
  if (pattern !== undefined && passed + failed + skipped === 0)
    finish({
      name: 'pattern',
      seconds: 0,
      passed: 0,
      failed: 1,
      skipped: 0,
      text: `no test has a title that matches ${String(pattern)}`,
    });
}

/** Returns the test files that the options name, or else those of the layer that may have a wanted test. */
function filesOf(layer: Layer, options: readonly string[]): readonly string[] {
  const named = options.filter(isFile).flatMap((file) => {
    if (file.endsWith(suiteEnding)) return [insideFile];
    return file === insideFile ? [insideFile, insideSecondFile] : [file];
  });
  const all = named.length > 0 ? [...new Set(named)] : globSync(layer.files, { cwd: root }).toSorted();
  const pattern = grepOf(options);
  return pattern === undefined ? all : filesWithTitle(all, pattern);
}

function isFile(option: string): boolean {
  return option.endsWith('.test.ts') || option.endsWith(suiteEnding);
}

function usesVsCode(file: string): boolean {
  return testModulesOf(file).has(path.join(root, 'test/support/host/installation.ts'));
}

async function check(): Promise<void> {
  const begin = performance.now();
  const checks = await runChecks();
  const failed = checks.filter((tool) => !tool.ok);
  for (const tool of failed) console.log(`\n${tool.name}:\n${tool.output}`);
  finish({ name: 'check', seconds: since(begin), passed: checks.length - failed.length, failed: failed.length, skipped: 0 });
}

async function buildDist(): Promise<boolean> {
  const begin = performance.now();
  const { code, output } = await run([process.execPath, 'esbuild.js'], {});
  if (code !== 0) console.log(`\nbuild:\n${output}`);
  const ok = code === 0;
  finish({ name: 'build', seconds: since(begin), passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0 });
  return ok;
}

/**
 * Installs the VS Code that the tests of a layer use; `wide` also uses the oldest supported one. If this fails, for example offline, it
 * counts as one skipped test, in CI as a failed one.
 */
async function prepareHost(layer: Layer): Promise<boolean> {
  const begin = performance.now();
  const option = layer.name === 'wide' ? [] : ['--current'];
  const { code, output } = await run([process.execPath, 'scripts/vscode-host.ts', '--prepare', ...option], { nice: true });
  if (code === 0) {
    finish({ name: 'VS Code', seconds: since(begin), passed: 0, failed: 0, skipped: 0, text: 'installed' });
    return true;
  }
  console.log(`\nVS Code for the host tests could not be installed, so they are not run:\n${output}`);
  const isCi = process.env['CI'] === 'true';
  finish({ name: 'host set-up', seconds: since(begin), passed: 0, failed: isCi ? 1 : 0, skipped: isCi ? 0 : 1 });
  return false;
}

interface LayerRun {
  readonly options?: readonly string[];
  readonly nice?: boolean;
  /** True to print every test when it ends instead of only failed and skipped tests at the end. */
  readonly isVerbose?: boolean;
}

async function runLayer(layer: Layer, run: LayerRun = {}): Promise<void> {
  const layerRun = beginLayer(layer, run);
  await Promise.all(Array.from({ length: layer.sideBySide ?? 1 }, layerRun.lane));
  layerRun.end();
}

/** Queues the files of a layer. Every lane runs the next ones until the queue is empty. */
function beginLayer(layer: Layer, layerRun: LayerRun = {}): { readonly lane: () => Promise<void>; readonly end: () => void } {
  const { options = [], isVerbose = false } = layerRun;
  const files = filesOf(layer, options);
  let begin: number | undefined;
  let ended: number | undefined;
  const sets = setsOf(files, isVerbose ? 1 : (layer.processes ?? 1));
  const waiting = layer.longest === undefined || isVerbose ? sets : longestFirst(sets, layer.longest);
  const counted: Counts[] = [];
  return {
    lane: async () => {
      if (waiting.length > 0) begin ??= performance.now();
      for (let set = waiting.shift(); set !== undefined; set = waiting.shift()) {
        counted.push(await runFiles(layer, set, layerRun));
        ended = performance.now();
      }
    },
    end: () =>
      finish({
        name: layer.name,
        seconds: ((ended ?? 0) - (begin ?? 0)) / 1000,
        ...sum(counted),
        ...(files.length === 0 ? { text: 'no tests' } : {}),
      }),
  };
}

/** Divides files at random into sets of about the same size. */
function setsOf(files: readonly string[], count: number): string[][] {
  if (count === 1) return files.length === 0 ? [] : [[...files]];
  const sets = Array.from({ length: Math.min(count, files.length) }, (): string[] => []);
  for (const [index, file] of shuffled(files).entries()) sets[index % sets.length]?.push(file);
  return sets;
}

/** Sorts sets of files by the time that they are expected to take: those with a `longest` file first, then by the size of the sources. */
function longestFirst(sets: readonly string[][], longest: RegExp): string[][] {
  const weightOf = (file: string): number => statSync(path.join(root, file)).size + (longest.test(file) ? 1e9 : 0);
  return sets
    .map((set) => ({ set, weight: set.reduce((total, file) => total + weightOf(file), 0) }))
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ set }) => set);
}

/** Runs test files in one mocha process and prints failed and skipped tests. */
async function runFiles(
  layer: Layer,
  files: readonly string[],
  { options = [], nice = false, isVerbose = false }: LayerRun,
): Promise<Counts> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-test-'));
  const countsFile = path.join(folder, 'counts.json');
  const mocha = [
    ...(layer.node ?? []),
    path.join(root, 'node_modules/mocha/bin/mocha.js'),
    ...(layer.timeout === undefined ? [] : ['--timeout', String(layer.timeout)]),
    ...(process.env['CI'] === 'true' ? ['--forbid-only'] : []),
    ...options.filter((option) => !isFile(option)),
    ...files,
  ];
  const env = mochaEnvironment({
    SIGNALBOX_TEST_COUNTS: countsFile,
    SIGNALBOX_TEST_SEED: String(seed),
    SIGNALBOX_TEST_RUN: runFolder,
    SIGNALBOX_TEST_SUITES: options.filter((option) => option.endsWith(suiteEnding)).join(','),
    // Cache of compiled sources, shared by the processes.
    NODE_COMPILE_CACHE: path.join(root, '.cache', 'compiled'),
    ...layer.env,
    ...(isVerbose ? {} : { SIGNALBOX_TEST_BRIEF: '1' }),
  });
  const { code, output, ended } = await run([process.execPath, ...mocha], { nice, isVerbose, env });
  const counts: Recorded = existsSync(countsFile)
    ? parseCounts(readFileSync(countsFile, 'utf8'))
    : { passed: 0, failed: 0, skipped: 0, files: {} };
  rmSync(folder, { recursive: true, force: true });
  for (const [file, milliseconds] of Object.entries(counts.files)) durations.set(file, (durations.get(file) ?? 0) + milliseconds);
  // Mocha does not count files that cannot be loaded, nor a run that was stopped.
  const unaccounted = code !== 0 && counts.failed === 0;
  const failed = counts.failed + (unaccounted ? 1 : 0);
  if (!isVerbose && failed + counts.skipped > 0) console.log(`\n${layer.name}:\n${output}`);
  if (unaccounted)
    console.log(`${layer.name}: mocha ended with ${ended ? 'the time limit' : (code ?? 'a signal')}, but without a failed test.`);
  return { ...counts, failed };
}

/** Shuffles files; the order depends only on the seed. */
function shuffled(files: readonly string[]): string[] {
  const random = randomOf('order of the files');
  return files
    .map((file) => [random.next(), file] as const)
    .sort(([one], [other]) => one - other)
    .map(([, file]) => file);
}

function sum(all: readonly Counts[]): Counts {
  const total = (count: (counts: Counts) => number) => all.reduce((before, counts) => before + count(counts), 0);
  return { passed: total((one) => one.passed), failed: total((one) => one.failed), skipped: total((one) => one.skipped) };
}

interface RunOptions {
  readonly nice?: boolean;
  readonly isVerbose?: boolean;
  /** Complete environment; that of this process by default. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Runs a program in the root folder until it ends or the time limit is reached. Returns its complete output. */
async function run(command: readonly string[], { nice = false, isVerbose = false, env = process.env }: RunOptions) {
  const [program = process.execPath, ...args] = nice && process.platform !== 'win32' ? ['nice', '-n', '10', ...command] : command;
  const color = isVerbose && process.stdout.isTTY ? { FORCE_COLOR: '1' } : {};
  const running = spawnGuarded(program, args, { cwd: root, env: { ...env, ...color } });
  let output = '';
  for (const stream of [running.stdout, running.stderr]) {
    stream.on('data', (chunk: string) => {
      if (isVerbose) process.stdout.write(chunk);
      else output += chunk;
    });
  }
  let ended = false;
  const timer = setTimeout(
    () => {
      ended = true;
      void running.stop();
    },
    Math.max(0, (chosen === 'soak' ? soakMinutes : limitMinutes) * 60_000 - (performance.now() - started)),
  );
  const code = await running.exited;
  clearTimeout(timer);
  return { code, output, ended };
}

function finish(step: Step): void {
  steps.push(step);
  const { name, seconds, passed, failed, skipped } = step;
  const text = step.text ?? `${passed} ok${failed > 0 ? `, ${failed} FAILED` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
  console.log(`${name.padEnd(12)} ${seconds.toFixed(1).padStart(6)} s   ${text}`);
}

function summary(): void {
  const minutes = since(started) / 60;
  const isWhole = chosen === undefined || (chosen === 'wide' && mochaOptions.length === 0);
  if (isWhole) printSlowest();
  if (isWhole) console.log(`${'total'.padEnd(12)} ${(minutes * 60).toFixed(1).padStart(6)} s   SIGNALBOX_TEST_SEED=${seed}`);
  if (chosen === undefined && minutes > budgetMinutes)
    console.log(`The run took more than the expected ${budgetMinutes} minutes.`);
  const { passed, failed, skipped } = sum(steps);
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function printSlowest(): void {
  console.log('\nSlowest files:');
  const slowest = [...durations].toSorted(([, one], [, other]) => other - one).slice(0, slowestFiles);
  for (const [file, milliseconds] of slowest) console.log(`${(milliseconds / 1000).toFixed(1).padStart(19)} s   ${file}`);
  console.log();
}

function since(begin: number): number {
  return (performance.now() - begin) / 1000;
}

function isLayer(name: string): name is keyof typeof layers {
  return Object.hasOwn(layers, name);
}
