import type { Middleware } from 'koa';

/** Counts the requests that are being handled. */
export interface Handlers {
  readonly middleware: Middleware;
  /** Counts a request that bypasses the middleware. */
  count(handled: Promise<unknown>): Promise<void>;
  /** Resolves when at most `others` requests are being handled, or after `limit` milliseconds. */
  idle(limit: number, others?: number): Promise<void>;
}

export function createHandlers(): Handlers {
  let running = 0;
  let onEnd = (): void => undefined;
  const count = async (handled: Promise<unknown>): Promise<void> => {
    running += 1;
    try {
      await handled;
    } finally {
      running -= 1;
      onEnd();
    }
  };
  return {
    middleware: async (_, next) => {
      const handled: Promise<unknown> = next();
      await count(handled);
    },
    count,
    idle: (limit, others = 0) =>
      new Promise((resolve) => {
        if (running <= others) return resolve();
        const timer = setTimeout(resolve, limit);
        onEnd = () => {
          if (running > others) return;
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
