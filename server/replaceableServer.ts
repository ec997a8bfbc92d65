import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { type App, createHandler, createHttpServer } from './app.ts';
import type { Log } from './core/log.ts';
import type { Handlers } from './http/handlers.ts';
import type { Platform } from './platform.ts';

/** Time for running requests to end before the platform is replaced, in milliseconds. */
const GRACE = 8_000;
/** Time for handlers to end after the last response, in milliseconds. */
const HANDLER_GRACE = 1_000;

/** A server whose platform can be replaced while it listens. */
export interface ReplaceableServer {
  readonly server: Server;
  /** The platform that handles requests now. */
  readonly platform: Platform;
  /**
   * Replaces the platform by the one that `change` returns. Requests that arrive meanwhile wait for it; those that run are finished first,
   * and aborted after some seconds. The request with the body `sender` demands the replacement, and ends after it.
   */
  replace(sender: Readable, change: (former: Platform) => Promise<Platform>): Promise<void>;
  /** Resolves when no replacement is under way. */
  settled(): Promise<void>;
}

interface Settings {
  readonly publicUrl: string | undefined;
  readonly handlers: Handlers;
  readonly log: Log;
}

export function createReplaceableServer(first: Platform, { publicUrl, handlers, log }: Settings): ReplaceableServer {
  let platform = first;
  let app: App = createHandler(first, { publicUrl, handlers });
  let held: (readonly [IncomingMessage, ServerResponse])[] | undefined;
  let replacing: Promise<void> | undefined;
  const running = new Map<IncomingMessage, ServerResponse>();
  let onEnd = (): void => undefined;

  const handle: App['handle'] = (request, response) => {
    if (held !== undefined) {
      held.push([request, response]);
      return;
    }
    running.set(request, response);
    response.once('close', () => {
      running.delete(request);
      onEnd();
    });
    app.handle(request, response);
  };
  const server = createHttpServer(handle);
  first.ownRequests.attach(server);
  server.once('listening', () => app.attach(server));

  /** Ends the requests that run, except that of the sender. */
  const finishRequests = async (sender: Readable): Promise<void> => {
    platform.schedule.stop();
    platform.live.end();
    const others = (): readonly ServerResponse[] =>
      [...running].filter(([request]) => request !== sender).map(([, response]) => response);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, GRACE);
      onEnd = () => {
        if (others().length > 0) return;
        clearTimeout(timer);
        resolve();
      };
      onEnd();
    });
    onEnd = () => undefined;
    const late = others();
    if (late.length > 0)
      log.warn(
        `aborted ${late.length} ${late.length === 1 ? 'request' : 'requests'} that took longer than ${GRACE / 1000} s, because the data is replaced`,
      );
    for (const response of late) response.destroy();
    await handlers.idle(HANDLER_GRACE, 1);
  };

  const replace: ReplaceableServer['replace'] = async (sender, change) => {
    held = [];
    try {
      await finishRequests(sender);
      platform = await change(platform);
      app = createHandler(platform, { publicUrl, handlers });
      app.attach(server);
      platform.schedule.runDue();
    } finally {
      const waiting = held;
      held = undefined;
      for (const [request, response] of waiting) handle(request, response);
    }
  };

  return {
    server,
    get platform() {
      return platform;
    },
    replace: async (sender, change) => {
      replacing = replace(sender, change).finally(() => {
        replacing = undefined;
      });
      await replacing;
    },
    settled: async () => {
      await replacing?.catch(() => undefined);
    },
  };
}
