// Main module of the extension in a VS Code under test, and of the tests inside its extension host: VS Code calls `activate` and
// `deactivate` as it does for every extension, and `run` once. scripts/build-host-suite.ts adds the suites.
import Mocha from 'mocha/lib/mocha.cjs';
import { reset } from './extension.ts';
import { plan, report, reportEnd, type Result } from './outside.ts';

export { activate, deactivate } from './extension.ts';

const loads: (() => void)[] = [];

/** Registers a function that loads the suites. */
export function addSuites(load: () => void): void {
  loads.push(load);
}

export async function run(): Promise<void> {
  try {
    const planned = await plan();
    const options: Mocha.MochaOptions & { readonly failHookAffectedTests: boolean } = {
      ui: 'bdd',
      reporter: Reporter,
      timeout: planned?.timeout ?? 120_000,
      failHookAffectedTests: true,
    };
    ignoreOtherExtensions();
    const mocha = new Mocha(options);
    mocha.suite.emit('pre-require', globalThis, '', mocha);
    for (const load of loads) load();
    for (const suite of mocha.suite.suites) suite.afterAll('reset', reset);
    if (planned !== undefined) keepPlanned(mocha.suite, new Map(planned.titles.map((title, at) => [title, at])));
    const failures = await new Promise<number>((resolve) => mocha.run(resolve));
    await reports;
    await reportEnd(`${failures} failed`);
    if (failures > 0) throw new Error(`${failures} tests inside the extension host failed`);
  } catch (error) {
    await reportEnd(error instanceof Error ? (error.stack ?? error.message) : String(error));
    throw error;
  }
}

/** Extensions that VS Code brings, which run in the same process. */
const OTHER_EXTENSION = /[\\/]lib[\\/]vscode[\\/]extensions[\\/]/;

/** Lets uncaught errors of other extensions fail no test, such as those of git when a repository is removed while it reads it. */
function ignoreOtherExtensions(): void {
  const runner = Mocha.Runner.prototype as Mocha.Runner & { _uncaught(error: unknown): void };
  const { _uncaught: uncaught } = runner;
  if (typeof uncaught !== 'function') throw new Error('mocha has no function for uncaught errors');
  runner._uncaught = function handle(this: Mocha.Runner, error: unknown): void {
    const isOther = error instanceof Error && OTHER_EXTENSION.test(error.stack ?? '');
    if (!isOther) uncaught.call(this, error);
  };
}

/** Removes the tests that are not planned, and brings the others into the planned order. Returns the position of the first. */
function keepPlanned(suite: Mocha.Suite, planned: ReadonlyMap<string, number>): number {
  const place = (test: Mocha.Test): number => planned.get(test.fullTitle()) ?? Number.POSITIVE_INFINITY;
  suite.tests = suite.tests.filter((test) => planned.has(test.fullTitle())).toSorted((one, other) => place(one) - place(other));
  const placed = suite.suites.map((child) => ({ child, at: keepPlanned(child, planned) }));
  suite.suites = placed.toSorted((one, other) => one.at - other.at).map(({ child }) => child);
  const [first] = suite.tests;
  return Math.min(...placed.map(({ at }) => at), first === undefined ? Number.POSITIVE_INFINITY : place(first));
}

let reports: Promise<void> = Promise.resolve();

/** Errors at the end of suites, by the full titles of the suites. */
const broken = new Map<string, string>();

class Reporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('pass', (test) => add({ title: test.fullTitle(), state: 'passed' }));
    runner.on('pending', (test) => add({ title: test.fullTitle(), state: 'skipped' }));
    runner.on('fail', (test, error: unknown) => {
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const [, suite] = /^(.*) "after all" hook\b/.exec(test.fullTitle()) ?? [];
      if (suite !== undefined) broken.set(suite, text);
      else add({ title: test.fullTitle(), state: 'failed', text });
    });
    runner.on('suite end', ({ parent, title }) => {
      if (parent?.root !== true) return;
      const text = [...broken].find(([suite]) => suite === title || suite.startsWith(`${title} `))?.[1];
      add(text === undefined ? { title, state: 'passed' } : { title, state: 'failed', text });
    });
  }
}

function add(result: Result): void {
  reports = reports.then(() => report(result));
}
