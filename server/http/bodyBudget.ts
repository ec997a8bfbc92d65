/** Thrown if there is no memory for a body and waiting longer would not help. The response is 503 with `Retry-After`. */
export class BodyBudgetExceeded extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'BodyBudgetExceeded';
  }
}

export interface BodyBudgetLimits {
  /** Total bytes of all bodies. One body may exceed it, so that the largest allowed body always fits. */
  readonly total: number;
  /** Part of `total` that is reserved for small bodies, so that large bodies cannot block them. */
  readonly reservedForSmall: number;
  /** Maximum size of a small body, in bytes. */
  readonly small: number;
  /** Maximum number of requests that wait for memory at the same time. */
  readonly waiting: number;
  /** Interval of the checks while requests wait, in milliseconds. */
  readonly checkInterval: number;
  /** Number of checks after which a waiting request is refused. */
  readonly checksWaited: number;
  /** Minimum bytes that a body must receive between two checks while requests wait. A slower one is refused, because it blocks the others. */
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

/** Memory of one request: its body and the data parsed from it. */
export interface BodyLease {
  /**
   * Adds bytes that are in memory already or will be soon. Returns undefined if they fit; otherwise a promise that resolves once they fit,
   * or rejects with `BodyBudgetExceeded`. Throws `BodyBudgetExceeded` if too many requests wait already. One call at a time.
   */
  add(bytes: number): Promise<void> | undefined;
  /** Starts the measurement of the receiving speed. `refuse` is called if the body arrives too slowly while other requests wait. */
  beginReceiving(refuse: (error: BodyBudgetExceeded) => void): void;
  endReceiving(): void;
  /** Ends a wait, because the client disconnected. */
  cancel(): void;
  /** Releases all bytes and leaves the queue. */
  release(): void;
}

export interface BodyBudget {
  open(): BodyLease;
  /** Bytes in use. */
  readonly used: number;
  /** Highest number of bytes in use so far. */
  readonly peak: number;
  /** Number of requests that wait for memory. */
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
  /** Bytes received since the last check. */
  arrived: number;
  /** True if the body has been received for the whole time since the last check. */
  wasChecked: boolean;
}

const every: Repeat = (milliseconds, run) => {
  const timer = setInterval(run, milliseconds).unref();
  return () => clearInterval(timer);
};

/**
 * Limits the total memory of all request bodies: received, decompressed and parsed data. Bytes are counted when they arrive and not when
 * they are announced, so announcing a large body does not affect others. Bytes that do not fit wait in the order of their arrival.
 *
 * Requests cannot block each other forever. The first request that does not fit may exceed the total and never waits. Only one request may
 * do so at a time, until its response is sent. So whenever requests wait, another one makes progress that waits for none of them. It cannot
 * stall either, because bodies that arrive too slowly are refused while requests wait.
 */
export function createBodyBudget(limits: BodyBudgetLimits = bodyBudgetLimits, repeat: Repeat = every): BodyBudget {
  let used = 0;
  let peak = 0;
  /** The only request that may exceed the total. */
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
    // The time spent waiting does not count against the client's speed.
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
  /** Admits waiting requests that fit now: large bodies in their order, while small ones may overtake them. */
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
