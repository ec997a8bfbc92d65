import { randomBytes } from 'node:crypto';

/** Something that has just happened. `data` is what a listener is sent: it says where to look, not what is there. */
export type Occurrence = {
  readonly projectId: number;
  readonly data: Readonly<Record<string, string | number>>;
} & ({ readonly event: 'activity'; readonly activityId: number } | { readonly event: 'error' });

export type NumberedOccurrence = Occurrence & {
  /** Grows with each occurrence; its prefix names this run of the server. */
  readonly id: string;
};

export interface Live {
  /** Sends occurrences to every listener, and lets listeners whose credential has ended leave, also when there are none. */
  publish(occurrences: readonly Occurrence[]): void;
  /** Calls `listener` with everything from now on, until the returned function is called. */
  follow(listener: Listener): () => void;
  /** What came after the occurrence with this id; undefined when that is not known any more, so that something may have been missed. */
  since(id: string): readonly NumberedOccurrence[] | undefined;
  /** The number of listeners. */
  readonly listeners: number;
  /** Ends all listeners; nothing is sent any more. */
  end(): void;
  readonly isEnded: boolean;
}

export interface Listener {
  /** Looks up what the listener may hear at this moment. May be called with an empty list. */
  next(occurrences: readonly NumberedOccurrence[]): void;
  end(): void;
}

/** Occurrences that are kept for listeners that come back. */
const KEPT = 1000;

export function createLive(): Live {
  const run = randomBytes(6).toString('hex');
  const listeners = new Set<Listener>();
  let stored: NumberedOccurrence[] = [];
  let count = 0;
  let isEnded = false;
  return {
    publish: (occurrences) => {
      const numbered = occurrences.map((occurrence, index) => ({ ...occurrence, id: `${run}-${count + index + 1}` }));
      count += numbered.length;
      stored.push(...numbered);
      if (stored.length > 2 * KEPT) stored = stored.slice(-KEPT);
      for (const listener of listeners) listener.next(numbered);
    },
    follow: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since: (id) => {
      const [ofRun, number] = id.split('-');
      const location = Number(number);
      if (ofRun !== run || !Number.isSafeInteger(location) || location > count) return undefined;
      const missing = count - location;
      if (missing > stored.length) return undefined;
      return missing === 0 ? [] : stored.slice(-missing);
    },
    get listeners() {
      return listeners.size;
    },
    get isEnded() {
      return isEnded;
    },
    end: () => {
      isEnded = true;
      for (const listener of listeners) listener.end();
      listeners.clear();
    },
  };
}
