import type { Middleware } from 'koa';

/** Counts the requests that are being handled. */
export interface Handlers {
  readonly middleware: Middleware;
  /** Resolves when no request is being handled, or after `limit` milliseconds. */
  idle(limit: number): Promise<void>;
}

export function createHandlers(): Handlers {
  let running = 0;
  let onIdle = (): void => undefined;
  return {
    middleware: async (_, next) => {
      running += 1;
      try {
        await next();
      } finally {
        running -= 1;
        if (running === 0) onIdle();
      }
    },
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
