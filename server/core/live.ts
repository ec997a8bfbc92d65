import type { Core } from './core.ts';
import { randomBytes } from 'node:crypto';

/** Event of the stream. `data` is sent to listeners and only identifies what changed; the content is read over REST. */
export type Occurrence = {
  readonly data: Readonly<Record<string, string | number>>;
} & (
  | { readonly event: 'activity'; readonly projectId: number; readonly activityId: number }
  | { readonly event: 'error'; readonly projectId: number }
  /** Further events of an error were counted. */
  | { readonly event: 'count'; readonly projectId: number }
  /** A client key was used, or a request with it was refused. */
  | { readonly event: 'key'; readonly projectId: number }
  /** A mail arrived, or the number of unread mails changed. */
  | { readonly event: 'mail'; readonly userId: number }
);

export type NumberedOccurrence = Occurrence & {
  /** ID that increases with each occurrence. Its prefix identifies this run of the server. */
  readonly id: string;
};

export interface Live {
  /** Sends occurrences to all listeners. Also makes them check their credential, even if there are no occurrences. */
  publish(occurrences: readonly Occurrence[]): void;
  /** Calls `listener` with all new occurrences until the returned function is called. */
  follow(listener: Listener): () => void;
  /** Returns the occurrences after this ID, or undefined if the ID is no longer known, so that occurrences may have been missed. */
  since(id: string): readonly NumberedOccurrence[] | undefined;
  /** Number of listeners. */
  readonly listeners: number;
  /** Ends all listeners permanently. */
  end(): void;
  readonly isEnded: boolean;
}

/** The core with live updates for connected clients. */
export interface LiveCore extends Core {
  readonly live: Live;
}

export interface Listener {
  /** Sends the occurrences that the listener can access at this time. The list may be empty. */
  next(occurrences: readonly NumberedOccurrence[]): void;
  end(): void;
}

/** Number of occurrences that are stored for reconnecting listeners. */
const MAX_STORED = 1000;

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
      if (stored.length > 2 * MAX_STORED) stored = stored.slice(-MAX_STORED);
      for (const listener of listeners) listener.next(numbered);
    },
    follow: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    since: (id) => {
      const [runOfId, number] = id.split('-');
      const position = Number(number);
      if (runOfId !== run || !Number.isSafeInteger(position) || position > count) return undefined;
      const missing = count - position;
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
