// Shuffles suites and tests so that a test that depends on another one is found. The seed is printed; SIGNALBOX_TEST_SEED=<seed> repeats an
// order. Loaded by mocha before the test files (package.json, mocha.require).
import type { Context, Suite } from 'mocha';
import { randomFrom } from '../../server/seeds/random.ts';

const seed = Number(process.env['SIGNALBOX_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 32));
if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
  throw new Error('SIGNALBOX_TEST_SEED must be a whole number from 0 to 4294967295.');
}

export const mochaHooks = {
  beforeAll(this: Context): void {
    const root = this.test?.parent;
    if (root === undefined) return;
    shuffleSuite(root, randomFrom(seed).next);
    console.log(`Test order: SIGNALBOX_TEST_SEED=${seed}`);
  },
};

function shuffleSuite(suite: Suite, random: () => number): void {
  shuffle(suite.tests, random);
  shuffle(suite.suites, random);
  for (const child of suite.suites) shuffleSuite(child, random);
}

function shuffle(items: unknown[], random: () => number): void {
  for (let end = items.length - 1; end > 0; end--) {
    const other = Math.floor(random() * (end + 1));
    [items[end], items[other]] = [items[other], items[end]];
  }
}
