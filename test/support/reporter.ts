// Mocha reporter of scripts/test.ts: the tree of tests (or, with SIGNALBOX_TEST_BRIEF=1, only what did not pass), every failure in
// full at the end, and the counts as JSON in the file SIGNALBOX_TEST_COUNTS.
import { writeFileSync } from 'node:fs';
import Mocha from 'mocha';
import type { Counts } from './counts.ts';
import { leftBehind } from './leftBehind.ts';

/** How long the process may live after the last test: a server, a socket or a child that nobody closed keeps it. */
const endsWithinMs = 20_000;
/** How long processes that were told to end may take. */
const goneWithinMs = 10_000;

class Reporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    const brief = process.env['SIGNALBOX_TEST_BRIEF'] === '1';
    const file = process.env['SIGNALBOX_TEST_COUNTS'];
    const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
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
    const write = () => file !== undefined && writeFileSync(file, JSON.stringify(counts));
    runner.on('end', () => {
      if (this.failures.length > 0) Mocha.reporters.Base.list(this.failures);
      // What failed first, and what closing its server then found.
      for (const { err, title } of this.failures) {
        if (!(err instanceof SuppressedError)) continue;
        for (const [when, error] of Object.entries({ first: err.suppressed as unknown, second: err.error as unknown })) {
          console.log(`${title}, ${when}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        }
      }
      if (file === undefined) console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
      write();
      if (file !== undefined) lookForProcesses(performance.now() + goneWithinMs);
      // Fires only when something else keeps the process alive.
      setTimeout(() => {
        counts.failed++;
        write();
        console.log(
          `The tests are over, but the process does not end. Left open: ${process.getActiveResourcesInfo().join(', ')}`,
        );
        process.exit(1);
      }, endsWithinMs).unref();
    });

    /** Only `scripts/test.ts`, which names a file, gives a run a process group to itself. */
    function lookForProcesses(deadline: number): void {
      const left = leftBehind();
      if (left.length === 0) return;
      if (performance.now() < deadline) {
        setTimeout(() => lookForProcesses(deadline), 50);
        return;
      }
      counts.failed++;
      write();
      console.log(`The tests are over, but processes that they started go on:\n${left.join('\n')}`);
      process.exit(1);
    }
  }
}

// Mocha loads a reporter with require() and calls what it gets.
export { Reporter as 'module.exports' };
