/** Runs requests in the order in which they were added, a few at once. */
export interface RequestQueue {
  readonly add: <T>(request: () => Promise<T>) => Promise<T>;
}

/** Creates a queue that runs at most `limit` requests at once. */
export function createRequestQueue(limit: number): RequestQueue {
  const waiting: (() => void)[] = [];
  let running = 0;

  return {
    add: async (request) => {
      if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else running += 1;
      try {
        return await request();
      } finally {
        // The place passes to the next request.
        const next = waiting.shift();
        if (next === undefined) running -= 1;
        else next();
      }
    },
  };
}
