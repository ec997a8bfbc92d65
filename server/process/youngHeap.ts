import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Maximum size of both halves together, in bytes. Measured: with 16 MB lists do not get slower, but memory is not reduced, because more
 * objects grow old.
 */
const MAX = 32 * 2 ** 20;

/**
 * Limits the space of young objects to 32 MB. V8 doubles it with every burst of large responses, up to 128 MB, and does not shrink it while
 * requests arrive. The flag `--max-semi-space-size` does the same but has to be set by the parent process; the growth factor can be set at
 * any time.
 */
export function boundYoungHeap(): void {
  let isBounded = false;
  new PerformanceObserver(() => {
    const size = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
    if (size >= MAX === isBounded) return;
    isBounded = !isBounded;
    setFlagsFromString(`--semi-space-growth-factor=${isBounded ? 1 : 2}`);
  }).observe({ entryTypes: ['gc'] });
}
