/** An owner of work and the part of it whose turn it is. */
export interface Turn {
  readonly owner: string;
  readonly item: number;
}

/** Order of work of several owners. Each owner has a share, so that work which takes long delays only what has the same owner. */
export interface Turns {
  /** Adds an item that waits, unless it does already: behind those of its owner, or before them. */
  add(turn: Turn, position?: 'first' | 'last'): void;
  /** Removes the item whose turn it is and returns it, or undefined if all shares are used. It is under way until `end` is called. */
  take(): Turn | undefined;
  end(turn: Turn): void;
}

/**
 * Creates an order in which owners take turns, and so do the items of each owner. At most `total` items are under way at the same time,
 * `share` of one owner, and each item only once.
 */
export function createTurns(total: number, share: number): Turns {
  /** Items by owner. The next ones are first. */
  const waiting = new Map<string, Set<number>>();
  const underWay = new Map<string, Set<number>>();
  let count = 0;

  const nextOf = (owner: string, items: ReadonlySet<number>): number | undefined => {
    const busy = underWay.get(owner) ?? new Set();
    return busy.size < share ? [...items].find((item) => !busy.has(item)) : undefined;
  };

  return {
    add: ({ owner, item }, position = 'last') => {
      const items = waiting.get(owner) ?? new Set();
      waiting.set(owner, position === 'first' ? new Set([item, ...items]) : items.add(item));
    },
    take: () => {
      if (count >= total) return undefined;
      for (const [owner, items] of waiting) {
        const item = nextOf(owner, items);
        if (item === undefined) continue;
        waiting.delete(owner);
        items.delete(item);
        if (items.size > 0) waiting.set(owner, items);
        underWay.set(owner, (underWay.get(owner) ?? new Set()).add(item));
        count += 1;
        return { owner, item };
      }
      return undefined;
    },
    end: ({ owner, item }) => {
      const busy = underWay.get(owner);
      if (busy?.delete(item) !== true) return;
      count -= 1;
      if (busy.size === 0) underWay.delete(owner);
    },
  };
}
