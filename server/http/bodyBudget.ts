/** There is no room for a body, and waiting longer would not help. Answered with 503 and `Retry-After`. */
export class BodyBudgetExceeded extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'BodyBudgetExceeded';
  }
}

export interface BodyBudgetLimits {
  /** Bytes that all bodies may hold together. One body may exceed it, so that the largest legal body always fits. */
  readonly total: number;
  /** The part of `total` that only small bodies may use, so that large bodies cannot keep them out. */
  readonly reservedForSmall: number;
  /** A body that holds more bytes than this is a large one. */
  readonly small: number;
  /** Requests that may wait for room at once. */
  readonly waiting: number;
  /** Milliseconds between two checks while requests wait. */
  readonly checkInterval: number;
  /** A request that has waited for this number of checks is refused. */
  readonly checksWaited: number;
  /** While requests wait, a body of which fewer bytes arrive between two checks is refused, because it keeps the others waiting. */
  readonly arrivingPerCheck: number;
}

const MEBIBYTE = 1024 * 1024;

export const bodyBudgetLimits: BodyBudgetLimits = {
  total: 64 * MEBIBYTE,
  reservedForSmall: 16 * MEBIBYTE,
  small: 64 * 1024,
  waiting: 256,
  checkInterval: 2000,
  checksWaited: 5,
  arrivingPerCheck: 128 * 1024,
};

/** Calls `run` at an interval until the returned function is called. */
export type Repeat = (milliseconds: number, run: () => void) => () => void;

/** The bytes of one request's body and of what is made of it. */
export interface BodyLease {
  /**
   * Adds bytes that are already in memory or about to be. Returns undefined where there is room; otherwise a promise that resolves when
   * there is, and rejects with `BodyBudgetExceeded`. Throws `BodyBudgetExceeded` where too many requests wait already. One call at a time.
   */
  add(bytes: number): Promise<void> | undefined;
  /** From here on the body arrives from the client. `refuse` is called when it arrives too slowly while others wait for room. */
  beginReceiving(refuse: (error: BodyBudgetExceeded) => void): void;
  endReceiving(): void;
  /** Ends a wait, because the client is gone. */
  cancel(): void;
  /** Gives everything back, also a place in the queue. */
  release(): void;
}

export interface BodyBudget {
  open(): BodyLease;
  /** Bytes that bodies hold now. */
  readonly used: number;
  /** The most that bodies have held. */
  readonly peak: number;
  /** Requests that wait for room. */
  readonly waiting: number;
}

interface Waiter {
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: BodyBudgetExceeded) => void;
  checks: number;
}

interface Lease extends BodyLease {
  held: number;
  waiter: Waiter | undefined;
  refuse: ((error: BodyBudgetExceeded) => void) | undefined;
  /** Bytes that have arrived since the last check. */
  arrived: number;
  /** Whether the body has been arriving for the whole time since the last check. */
  wasChecked: boolean;
}

const every: Repeat = (milliseconds, run) => {
  const timer = setInterval(run, milliseconds).unref();
  return () => clearInterval(timer);
};

/**
 * Limits the memory of all request bodies together: what has arrived, what was decompressed, and what is being parsed. Bytes are counted
 * when they arrive and not when they are announced, so that announcing a large body costs others nothing. Bytes that do not fit wait in
 * the order in which they came.
 *
 * Requests cannot block each other forever. The first request that does not fit may exceed the total and never waits; only one may at a
 * time, until it is answered. So whenever requests wait, one is at work that waits for none of them. It cannot stall either: while
 * requests wait, bodies that arrive too slowly are refused.
 */
export function createBodyBudget(limits: BodyBudgetLimits = bodyBudgetLimits, repeat: Repeat = every): BodyBudget {
  let used = 0;
  let peak = 0;
  /** The one request that may exceed the total. */
  let exceeding: Lease | undefined;
  const queue = new Set<Lease>();
  const receiving = new Set<Lease>();
  let stopChecks: (() => void) | undefined;

  const fits = (lease: Lease, bytes: number): boolean => {
    const reserved = lease.held + bytes <= limits.small ? 0 : limits.reservedForSmall;
    return used + bytes <= limits.total - reserved;
  };
  const isSmall = (lease: Lease, bytes: number): boolean => lease.held + bytes <= limits.small;
  const take = (lease: Lease, bytes: number): void => {
    lease.held += bytes;
    used += bytes;
    if (used > peak) peak = used;
  };

  const leaveQueue = (lease: Lease): Waiter | undefined => {
    const { waiter } = lease;
    if (waiter === undefined) return undefined;
    lease.waiter = undefined;
    // The wait was no fault of the client.
    lease.wasChecked = false;
    queue.delete(lease);
    if (queue.size === 0) {
      stopChecks?.();
      stopChecks = undefined;
    }
    return waiter;
  };
  const admit = (lease: Lease, bytes: number): void => {
    const waiter = leaveQueue(lease);
    take(lease, bytes);
    waiter?.resolve();
  };
  /** Admits who fits now: large bodies in their order, small ones also past them. */
  const admitWaiting = (): void => {
    let isBlocked = false;
    for (const lease of queue) {
      const bytes = lease.waiter?.bytes ?? 0;
      if (isBlocked && !isSmall(lease, bytes)) continue;
      if (fits(lease, bytes)) admit(lease, bytes);
      else if (exceeding === undefined) {
        exceeding = lease;
        admit(lease, bytes);
      } else isBlocked = true;
    }
  };

  const check = (): void => {
    for (const lease of receiving) {
      if (lease.waiter !== undefined) continue;
      const isSlow = lease.wasChecked && lease.held > 0 && lease.arrived < limits.arrivingPerCheck;
      lease.wasChecked = true;
      lease.arrived = 0;
      if (isSlow) lease.refuse?.(new BodyBudgetExceeded('the body arrived too slowly while other requests waited for memory'));
    }
    for (const lease of queue) {
      const { waiter } = lease;
      if (waiter === undefined) continue;
      waiter.checks += 1;
      if (waiter.checks < limits.checksWaited) continue;
      leaveQueue(lease);
      waiter.reject(new BodyBudgetExceeded('timed out waiting for memory for the body'));
    }
    admitWaiting();
  };

  const open = (): BodyLease => {
    const lease: Lease = {
      held: 0,
      waiter: undefined,
      refuse: undefined,
      arrived: 0,
      wasChecked: false,
      add: (bytes) => {
        lease.arrived += bytes;
        const mayPass = queue.size === 0 || isSmall(lease, bytes);
        if (lease === exceeding || (mayPass && fits(lease, bytes))) {
          take(lease, bytes);
          return undefined;
        }
        if (exceeding === undefined) {
          exceeding = lease;
          take(lease, bytes);
          return undefined;
        }
        if (queue.size >= limits.waiting)
          throw new BodyBudgetExceeded('too many requests are waiting for memory for their bodies');
        return new Promise((resolve, reject) => {
          lease.waiter = { bytes, resolve, reject, checks: 0 };
          queue.add(lease);
          stopChecks ??= repeat(limits.checkInterval, check);
        });
      },
      beginReceiving: (refuse) => {
        lease.refuse = refuse;
        receiving.add(lease);
      },
      endReceiving: () => {
        lease.refuse = undefined;
        receiving.delete(lease);
      },
      cancel: () => {
        leaveQueue(lease)?.reject(new BodyBudgetExceeded('the client closed the connection'));
        if (queue.size > 0) admitWaiting();
      },
      release: () => {
        used -= lease.held;
        lease.held = 0;
        if (lease === exceeding) exceeding = undefined;
        lease.endReceiving();
        lease.cancel();
      },
    };
    return lease;
  };

  return {
    open,
    get used() {
      return used;
    },
    get peak() {
      return peak;
    },
    get waiting() {
      return queue.size;
    },
  };
}
