import type { Contributions } from '../../core/contributions.ts';
import { SECOND } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Store } from '../../store/open.ts';
import type { DeprecatedCall } from '../../http/httpParts.ts';
import { addCalls, type CountedCall, deleteCalls } from './store.ts';

/**
 * Counts the calls of deprecated elements by user, client and request. Counts are held in memory and written periodically, so the last
 * second is lost if the process is killed.
 */
export interface DeprecatedCalls {
  add(call: DeprecatedCall): void;
  /** Writes the counts. If writing fails they are kept for the next time. */
  flush(): void;
}

/** Pause before counts are written, in milliseconds. */
const PAUSE = SECOND;
/** Number of different calls after which the counts are written at once. */
const MAX_HELD = 1000;
/** Maximum length of a stored product, in UTF-16 code units. */
const MAX_PRODUCT = 200;

export function createDeprecatedCalls(store: Store, log: Log): DeprecatedCalls {
  let held = new Map<string, CountedCall>();
  let timer: NodeJS.Timeout | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    if (held.size === 0) return;
    try {
      addCalls(store, [...held.values()]);
      held = new Map();
    } catch (error) {
      log.error('the calls of deprecated elements could not be written', error);
      if (held.size > MAX_HELD) held = new Map();
    }
  };
  return {
    flush,
    add: ({ at, userAgent, ...call }) => {
      const product = userAgent.slice(0, MAX_PRODUCT);
      const key = JSON.stringify([call.deprecation, call.username, product, call.oauthTokenId, call.request]);
      const { count = 0, firstAt = at } = held.get(key) ?? {};
      held.set(key, { ...call, userAgent: product, count: count + 1, firstAt, lastAt: at });
      if (held.size > MAX_HELD) flush();
      else timer ??= setTimeout(flush, PAUSE).unref();
    },
  };
}

/** Calls of deprecated elements by deleted accounts, which go with the account. */
export const callContributions: Contributions = {
  handOver: ({ store }, fromUserId) => deleteCalls(store, fromUserId),
  remove: ({ store }, userId) => deleteCalls(store, userId),
};
