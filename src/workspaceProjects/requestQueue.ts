/** Returns a function that runs at most `limit` pieces of work at a time. The others wait in the order of the calls. */
export function createRequestQueue(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running < limit) running += 1;
    // Whoever ends leaves its place to the first one that waits.
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
