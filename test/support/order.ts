// Shuffles suites and tests so that a test that depends on another one is found. The seed is printed; SIGNALBOX_TEST_SEED=<seed> repeats an
// order. Loaded by mocha before the test files (package.json, mocha.require).
import type { Context, Suite } from 'mocha';
import { randomOf, seed } from './seed.ts';

// Child processes and modules that read the variable use the same seed.
process.env['SIGNALBOX_TEST_SEED'] = String(seed);

export const mochaHooks = {
  beforeAll(this: Context): void {
    const root = this.test?.parent;
    if (root === undefined) return;
    shuffleSuite(root);
    console.log(`Test order: SIGNALBOX_TEST_SEED=${seed}`);
  },
};

/** Shuffles a suite by the seed and its title. The order inside a file is therefore the same whichever other files are loaded. */
function shuffleSuite(suite: Suite): void {
  const { next } = randomOf(`order of ${suite.fullTitle()}`);
  shuffle(suite.tests, next);
  shuffle(suite.suites, next);
  for (const child of suite.suites) shuffleSuite(child);
}

function shuffle(items: unknown[], random: () => number): void {
  for (let end = items.length - 1; end > 0; end--) {
    const other = Math.floor(random() * (end + 1));
    [items[end], items[other]] = [items[other], items[end]];
  }
}
