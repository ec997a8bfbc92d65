/** An owner of work and the part of it whose turn it is. */
export interface Turn {
  readonly owner: string;
  readonly item: number;
}

/** Limits on the items that are under way at the same time. */
export interface Limits {
  readonly total: number;
  /** Those of one owner, so that work that takes long delays only what has the same owner. */
  readonly ofOwner: number;
  /** Those that are expected to take long, so that many owners of such work do not delay the others. */
  readonly slow: number;
}

/** Order of work of several owners. */
export interface Turns {
  /** Adds an item that waits, unless it does already: behind those of its owner, or before them. */
  add(turn: Turn, position?: 'first' | 'last'): void;
  /** Removes the item whose turn it is and returns it, or undefined while the limits are reached. It is under way until `end` is called. */
  take(isSlow?: (item: number) => boolean): Turn | undefined;
  end(turn: Turn): void;
}

/** Creates an order in which owners take turns, and so do the items of each owner. An item is under way only once. */
export function createTurns(limits: Limits): Turns {
  /** Items by owner. The next ones are first. */
  const waiting = new Map<string, Set<number>>();
  const underWay = new Map<string, Set<number>>();
  const slow = new Set<number>();
  let count = 0;

  return {
    add: ({ owner, item }, position = 'last') => {
      const items = waiting.get(owner) ?? new Set();
      waiting.set(owner, position === 'first' ? new Set([item, ...items]) : items.add(item));
    },
    take: (isSlow = () => false) => {
      if (count >= limits.total) return undefined;
      const canBeSlow = slow.size < limits.slow;
      for (const [owner, items] of waiting) {
        const busy = underWay.get(owner) ?? new Set();
        if (busy.size >= limits.ofOwner) continue;
        const item = [...items].find((one) => !busy.has(one) && (canBeSlow || !isSlow(one)));
        if (item === undefined) continue;
        waiting.delete(owner);
        items.delete(item);
        if (items.size > 0) waiting.set(owner, items);
        underWay.set(owner, busy.add(item));
        if (isSlow(item)) slow.add(item);
        count += 1;
        return { owner, item };
      }
      return undefined;
    },
    end: ({ owner, item }) => {
      const busy = underWay.get(owner);
      if (busy?.delete(item) !== true) return;
      slow.delete(item);
      count -= 1;
      if (busy.size === 0) underWay.delete(owner);
      // The owner has had its turn, and so has the item if it was added again meanwhile: both go to the end.
      const items = waiting.get(owner);
      if (items === undefined) return;
      if (items.delete(item)) items.add(item);
      waiting.delete(owner);
      waiting.set(owner, items);
    },
  };
}
