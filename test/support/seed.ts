// The seed of a test run. It determines the order of the tests, the samples of wide sets, and random values.
import { createHash } from 'node:crypto';
import { type Random, randomFrom } from './random.ts';

const given = process.env['SIGNALBOX_TEST_SEED'];

/** Seed of this run: SIGNALBOX_TEST_SEED, or a random one. A run with the same seed repeats the same choices. */
export const seed = given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given);
if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
  throw new Error('SIGNALBOX_TEST_SEED must be a whole number from 0 to 4294967295.');
}

/** Returns random numbers that depend only on the seed and on `name`, and so not on what else runs in this process. */
export function randomOf(name: string): Random {
  return randomFrom(createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE());
}
