/** Who uses a slot, and for which repository. */
export interface SlotUser {
  /** A user or, without one, an address. Undefined for work of the server itself, which has no share. */
  readonly caller: string | undefined;
  readonly repository: string | undefined;
}

/** Maximum numbers of slots in use. */
export interface SlotLimits {
  readonly total: number;
  readonly perCaller: number;
  readonly perRepository: number;
}

export interface Slots {
  /**
   * Waits for a slot. The function that it returns releases the slot, once. Rejected with the reason of the signal if it is aborted first.
   */
  take(user: SlotUser, signal?: AbortSignal): Promise<() => void>;
  /** Returns true while somebody waits. */
  hasWaiting(): boolean;
}

interface Waiter {
  readonly user: SlotUser;
  readonly admit: () => void;
}

/**
 * Creates slots of which no caller and no repository can have more than its share. A released slot goes to the caller who uses the fewest, and
 * among those with equally many to the one who has waited longest.
 */
export function createSlots({ total, perCaller, perRepository }: SlotLimits): Slots {
  const used = new Set<SlotUser>();
  const waiting = new Set<Waiter>();

  const count = (part: keyof SlotUser, value: string | undefined): number =>
    value === undefined ? 0 : [...used].filter((user) => user[part] === value).length;
  const fits = ({ caller, repository }: SlotUser): boolean =>
    used.size < total && count('caller', caller) < perCaller && count('repository', repository) < perRepository;
  const admitNext = (): void => {
    const possible = [...waiting].filter(({ user }) => fits(user));
    const [next] = possible.toSorted((one, other) => count('caller', one.user.caller) - count('caller', other.user.caller));
    next?.admit();
  };
  const hold = (user: SlotUser): (() => void) => {
    const own = { ...user };
    used.add(own);
    return () => {
      if (used.delete(own)) admitNext();
    };
  };

  return {
    hasWaiting: () => waiting.size > 0,
    take: (user, signal) => {
      if (fits(user)) return Promise.resolve(hold(user));
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(waiter);
          reject(signal?.reason);
        };
        const waiter: Waiter = {
          user,
          admit: () => {
            waiting.delete(waiter);
            signal?.removeEventListener('abort', leave);
            resolve(hold(user));
          },
        };
        waiting.add(waiter);
        signal?.addEventListener('abort', leave, { once: true });
        if (signal?.aborted === true) leave();
      });
    },
  };
}
