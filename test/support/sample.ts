// Samples of sets that are too wide for `npm test`. The complete sets run in `npm run test:wide`.
import { randomOf } from './seed.ts';

/**
 * Returns `count` of the items, chosen by the seed of the run, in their original order. A set that is smaller is returned whole.
 *
 * @param name Name of the set. Sets with different names are sampled independently of each other.
 */
export function sampleOf<T>(name: string, items: readonly T[], count: number): readonly T[] {
  const random = randomOf(name);
  return items
    .map((item, index) => ({ item, index, draw: random.next() }))
    .sort((one, other) => one.draw - other.draw)
    .slice(0, count)
    .sort((one, other) => one.index - other.index)
    .map(({ item }) => item);
}
