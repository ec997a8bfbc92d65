import type { Middleware } from 'koa';

/** Counts the requests that are being handled. */
export interface Handlers {
  readonly middleware: Middleware;
  /** Counts a request that bypasses the middleware. */
  count(handled: Promise<unknown>): Promise<void>;
  /** Resolves when no request is being handled, or after `limit` milliseconds. */
  idle(limit: number): Promise<void>;
}

export function createHandlers(): Handlers {
  let running = 0;
  let onIdle = (): void => undefined;
  const count = async (handled: Promise<unknown>): Promise<void> => {
    running += 1;
    try {
      await handled;
    } finally {
      running -= 1;
      if (running === 0) onIdle();
    }
  };
  return {
    middleware: async (_, next) => {
      const handled: Promise<unknown> = next();
      await count(handled);
    },
    count,
    idle: (limit) =>
      new Promise((resolve) => {
        if (running === 0) return resolve();
        const timer = setTimeout(resolve, limit);
        onIdle = () => {
          clearTimeout(timer);
          resolve();
        };
      }),
  };
}
