import type { Core } from '../../core/core.ts';
import { DAY } from '../../core/clock.ts';
import { retentionWork } from '../../core/retention.ts';
import { attempt } from './attempt.ts';
import { deleteDeliveriesUntil, deleteWaiting, hooksThatWait, nextDelivery, oldestDelivery } from './deliveryStore.ts';
import { alertStatus } from './failures.ts';
import type { HookCore } from './hookCore.ts';
import type { Outcome } from './sendRequest.ts';
import { hookById, type OwnedHook } from './store.ts';
import { createTurns, type Limits, type Turn } from './turns.ts';

// Sending of deliveries, at least once: a delivery is recorded with its change, and one whose result was not recorded is sent again with
// the same Idempotency-Key.

/**
 * Maximum number of hooks that are called at the same time: in total, of one project or group, and of those whose last delivery got no
 * response. The deliveries of one hook are sent one after the other.
 */
const MAX_CALLS: Limits = { total: 64, ofOwner: 4, slow: 16 };
/** Time that deliveries are kept, in milliseconds. */
const RETENTION = 7 * DAY;
/** Number of deliveries that are deleted at a time. */
const MAX_DELETIONS = 500;

/** A delivery that a request waits for. */
interface Requested {
  readonly id: number;
  readonly outcome: PromiseWithResolvers<Outcome | undefined>;
}

interface Sender {
  /** Sends what waits for these hooks. */
  start(hooks: readonly OwnedHook[]): void;
  /** Sends one delivery before others of the project or group. Returns undefined if the server shuts down meanwhile. */
  send(hook: OwnedHook, id: number): Promise<Outcome | undefined>;
  /** True if a delivery could not be recorded. Its hook is called again after `retry`. */
  readonly hasFailed: boolean;
  retry(): void;
}

const senders = new WeakMap<Core, Sender>();

/** Sends deliveries of hooks that wait, after the current transaction. */
export function wakeSender(core: Core, hooks: readonly OwnedHook[]): void {
  setImmediate(() => senders.get(core)?.start(hooks));
}

/** Sends all deliveries that wait, as after a start. Does nothing before the server listens, because payloads contain its address. */
export function sendWaiting(core: Core): void {
  senders.get(core)?.start(hooksThatWait(core.store));
}

/** Sends a delivery at once and returns its outcome. Returns undefined if the server shuts down meanwhile. */
export async function sendNow(core: Core, hook: OwnedHook, id: number): Promise<Outcome | undefined> {
  return senders.get(core)?.send(hook, id);
}

/** Schedules the sending of deliveries, and their deletion. */
export function scheduleDeliveries(core: HookCore): void {
  const { store, clock, schedule } = core;
  const sender = createSender(core);
  senders.set(core, sender);
  schedule.add({
    name: 'deliveries of hooks',
    next: () => (sender.hasFailed ? clock.now() : null),
    run: () => {
      sender.retry();
      return false;
    },
  });
  schedule.add(
    retentionWork({
      name: 'old deliveries of hooks',
      period: RETENTION,
      oldest: () => oldestDelivery(store),
      deleteUntil: (time) => deleteDeliveriesUntil(store, time, MAX_DELETIONS) === MAX_DELETIONS,
    }),
  );
}

function createSender(core: HookCore): Sender {
  const { store, live, log, origin } = core;
  const turns = createTurns(MAX_CALLS);
  /** Deliveries that requests wait for, by hook. */
  const requested = new Map<number, Requested[]>();
  /** Hooks whose last delivery got no response. */
  const unresponsive = new Set<number>();
  /** Hooks whose delivery could not be recorded. */
  const failed: Turn[] = [];
  const isReady = (): boolean => !live.isEnded && origin.value !== '';

  const send = async (hookId: number, id: number): Promise<Outcome | undefined> => {
    const outcome = await attempt(core, id);
    if (outcome?.kind === 'failed') unresponsive.add(hookId);
    else unresponsive.delete(hookId);
    return outcome;
  };
  /** Sends the next delivery of a hook. Returns true if more of them wait. */
  const sendNext = async (hookId: number): Promise<boolean> => {
    const requests = requested.get(hookId) ?? [];
    const request = requests.shift();
    if (requests.length === 0) requested.delete(hookId);
    const id = request?.id ?? nextFor(core, hookId);
    if (id !== undefined) {
      const sent = send(hookId, id);
      await (request === undefined ? sent : sent.then(request.outcome.resolve, request.outcome.reject));
    }
    return isReady() && (requested.has(hookId) || nextDelivery(store, hookId) !== undefined);
  };
  const takeTurn = async (turn: Turn): Promise<void> => {
    try {
      const hasMore = await sendNext(turn.item);
      turns.end(turn);
      if (hasMore) turns.add(turn, requested.has(turn.item) ? 'first' : 'last');
    } catch (error) {
      turns.end(turn);
      failed.push(turn);
      log.error(`a delivery of hook ${turn.item} could not be sent`, error);
    }
    setImmediate(startTurns);
  };
  const startTurns = (): void => {
    while (isReady()) {
      const turn = turns.take((hookId) => unresponsive.has(hookId));
      if (turn === undefined) return;
      void takeTurn(turn);
    }
  };
  return {
    start: (hooks) => {
      for (const hook of hooks) turns.add(turnOf(hook));
      startTurns();
    },
    send: async (hook, id) => {
      if (!isReady()) return undefined;
      const outcome = Promise.withResolvers<Outcome | undefined>();
      const unfollow = live.follow({ next: () => undefined, end: () => outcome.resolve(undefined) });
      requested.set(hook.id, [...(requested.get(hook.id) ?? []), { id, outcome }]);
      turns.add(turnOf(hook), 'first');
      startTurns();
      try {
        return await outcome.promise;
      } finally {
        unfollow();
      }
    },
    get hasFailed() {
      return failed.length > 0;
    },
    retry: () => {
      for (const turn of failed.splice(0)) turns.add(turn);
      startTurns();
    },
  };
}

/** Returns the next delivery to a hook. Deliveries to a disabled hook are given up. */
function nextFor({ store, clock }: HookCore, hookId: number): number | undefined {
  const hook = hookById(store, hookId);
  if (hook === undefined || alertStatus(hook, clock.now()) === 'executable') return nextDelivery(store, hookId);
  deleteWaiting(store, hookId, MAX_DELETIONS);
  return undefined;
}

function turnOf({ id, project_id: projectId, group_id: groupId }: OwnedHook): Turn {
  return { owner: projectId === null ? `group ${groupId}` : `project ${projectId}`, item: id };
}
