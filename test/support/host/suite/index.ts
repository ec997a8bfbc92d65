// Runs tests inside the extension host with mocha. VS Code calls `run()` and uses its promise as the result, on the desktop and in the
// browser; every test also logs one line to the console for runners that only see the console.
import Mocha from 'mocha/lib/mocha.cjs';

/** Prefix of the console lines for the runner; JSON follows. */
const MARK = '[in-host]';

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', reporter: LineReporter, timeout: 30_000 });
  mocha.suite.emit('pre-require', globalThis, '', mocha);
  await import('./activation.suite.ts');
  await import('./dispatcher.suite.ts');
  await import('./redirect.suite.ts');
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  say({ event: 'end', failures });
  if (failures > 0) throw new Error(`${failures} tests inside the extension host failed`);
}

class LineReporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('pass', (test) => say({ event: 'pass', title: test.fullTitle() }));
    runner.on('pending', (test) => say({ event: 'pending', title: test.fullTitle() }));
    runner.on('fail', (test, error: unknown) => {
      say({
        event: 'fail',
        title: test.fullTitle(),
        text: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    });
  }
}

function say(line: Readonly<Record<string, unknown>>): void {
  console.log(`${MARK} ${JSON.stringify(line)}`);
}
