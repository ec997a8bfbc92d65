// Mocha reporter of scripts/test.ts. Prints the tree of tests (with SIGNALBOX_TEST_BRIEF=1 only skipped and failed tests), every failure in
// full at the end, and writes the counts as JSON to the file SIGNALBOX_TEST_COUNTS.
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import Mocha from 'mocha';
import type { Counts } from './counts.ts';
import { remainingProcesses } from './remainingProcesses.ts';
import { seed } from './seed.ts';
import { recordTitles } from './titles.ts';

const root = path.dirname(path.dirname(import.meta.dirname));

/** Time limit for the process to exit after the last test. A server, socket or child process left open keeps it alive. */
const endsWithinMs = Number(process.env['SIGNALBOX_TEST_ENDS_WITHIN_MS'] ?? 20_000);
/** Time limit for child processes to exit after they were told to. */
const goneWithinMs = endsWithinMs / 2;

class Reporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const brief = process.env['SIGNALBOX_TEST_BRIEF'] === '1';
    const file = process.env['SIGNALBOX_TEST_COUNTS'];
    const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
    if (file !== undefined) recordAllTitles(runner.suite);
    const files: Record<string, number> = {};
    let depth = 0;
    const line = (text: string) => console.log(`${'  '.repeat(depth)}${text}`);

    runner.on('suite', (suite: Mocha.Suite) => {
      if (!brief && !suite.root) line(suite.title);
      depth++;
    });
    runner.on('suite end', () => {
      depth--;
    });
    runner.on('pass', (test: Mocha.Test) => {
      counts.passed++;
      if (!brief) line(`✓ ${test.title}${test.speed === 'fast' ? '' : ` (${test.duration} ms)`}`);
    });
    runner.on('pending', (test: Mocha.Test) => {
      counts.skipped++;
      if (brief) console.log(`- skipped: ${test.fullTitle()}`);
      else line(`- ${test.title}`);
    });
    runner.on('fail', (test: Mocha.Test) => {
      counts.failed++;
      if (!brief) line(`✗ ${counts.failed}) ${test.title}`);
    });
    let last = performance.now();
    const spend = ({ file: spender }: Mocha.Runnable): void => {
      const now = performance.now();
      if (spender !== undefined) files[nameOf(spender)] = (files[nameOf(spender)] ?? 0) + now - last;
      last = now;
    };
    runner.on('test end', spend);
    runner.on('hook end', spend);
    const write = () => file !== undefined && writeFileSync(file, JSON.stringify({ ...counts, files }));
    runner.on('end', () => {
      if (this.failures.length > 0) Mocha.reporters.Base.list(this.failures);
      // The test failed first, then closing its server failed: both errors are printed.
      for (const { err, title } of this.failures) {
        if (!(err instanceof SuppressedError)) continue;
        for (const [when, error] of Object.entries({ first: err.suppressed as unknown, second: err.error as unknown })) {
          console.log(`${title}, ${when}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        }
      }
      for (const command of repeatCommands(this.failures)) console.log(command);
      if (file === undefined) console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
      write();
      if (file !== undefined) lookForProcesses(performance.now() + goneWithinMs);
      // Fires only when something else keeps the process alive.
      setTimeout(() => {
        counts.failed++;
        write();
        console.log(
          `The tests have finished, but the process did not exit. Open resources: ${process.getActiveResourcesInfo().join(', ')}`,
        );
        process.exit(1);
      }, endsWithinMs).unref();
    });

    /**
     * Fails the run if processes are left behind. Only `scripts/test.ts`, which sets the counts file, starts a run in its own process
     * group.
     */
    function lookForProcesses(deadline: number): void {
      const left = remainingProcesses();
      if (left.length === 0) return;
      if (performance.now() < deadline) {
        setTimeout(() => lookForProcesses(deadline), 50);
        return;
      }
      counts.failed++;
      write();
      console.log(`The tests have finished, but processes that they started are still running:\n${left.join('\n')}`);
      process.exit(1);
    }
  }
}

/** Returns the commands that run the files of failed tests again, with the same order, samples and random values. */
function repeatCommands(failures: readonly Mocha.Test[]): string[] {
  const files = new Set(failures.flatMap(({ file }) => (file === undefined ? [] : [nameOf(file)])));
  return [...files].map((file) => `To repeat: SIGNALBOX_TEST_SEED=${seed} npm run test:${layerOf(file)} -- ${file}`);
}

/** Returns the layer of a test file. The layer `clients` has its own folder instead of a part of the name. */
function layerOf(file: string): string {
  return /\.(unit|api|process|host|soak|wide)\.test\.ts$/.exec(file)?.[1] ?? 'clients';
}

function nameOf(file: string): string {
  return path.relative(root, file).replaceAll(path.sep, '/');
}

/** Stores the titles of all loaded files, also of the tests that `-g` leaves out. */
function recordAllTitles(suite: Mocha.Suite): void {
  const titles = new Map<string, string[]>();
  suite.eachTest((test) => {
    if (test.file === undefined) return;
    const ofFile = titles.get(test.file) ?? [];
    ofFile.push(test.fullTitle());
    titles.set(test.file, ofFile);
  });
  for (const [file, all] of titles) recordTitles(file, all);
}

// Mocha loads a reporter with require() and calls the exported value.
export { Reporter as 'module.exports' };
