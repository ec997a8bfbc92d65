import { randomBytes } from 'node:crypto';

/** Something that has just happened, told to whoever listens at that moment. It says where to look, not what is there. */
export interface Occurrence {
  readonly event: 'activity' | 'error';
  readonly projectId: number;
  /** Needed in the project to hear of it, beside seeing the project. */
  readonly role?: 'reporter' | undefined;
  readonly data: Readonly<Record<string, string | number>>;
}

export interface NumberedOccurrence extends Occurrence {
  /** Grows with each; also says which run of the server it is of. */
  readonly id: string;
}

export interface Live {
  publish(occurrence: Occurrence): void;
  /** Calls `listener` with everything from now on, until the answer is called. */
  follow(listener: Listener): () => void;
  /** What came after the one with this id; undefined when that is not known any more, so that something may have been missed. */
  since(id: string): readonly NumberedOccurrence[] | undefined;
  /** How many listen. */
  readonly listeners: number;
  /** Ends what listens; nothing is told any more. */
  end(): void;
  readonly isEnded: boolean;
}

export interface Listener {
  next(occurrence: NumberedOccurrence): void;
  end(): void;
}

/** So many are kept for those who come back. */
const KEPT = 1000;

export function createLive(): Live {
  const run = randomBytes(6).toString('hex');
  const listeners = new Set<Listener>();
  let kept: NumberedOccurrence[] = [];
  let count = 0;
  let isEnded = false;
  return {
    publish: (occurrence) => {
      count += 1;
      const numbered = { ...occurrence, id: `${run}-${count}` };
      kept.push(numbered);
      if (kept.length > 2 * KEPT) kept = kept.slice(-KEPT);
      for (const listener of listeners) listener.next(numbered);
    },
    follow: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since: (id) => {
      const [ofRun, number] = id.split('-');
      const place = Number(number);
      if (ofRun !== run || !Number.isSafeInteger(place) || place > count) return undefined;
      const missing = count - place;
      if (missing > kept.length) return undefined;
      return missing === 0 ? [] : kept.slice(-missing);
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
