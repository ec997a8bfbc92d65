import { type Changes, createChanges } from '../../../core/changes.ts';
import type { Log } from '../../../core/log.ts';
import type { Store } from '../../../store/open.ts';
import { storageFailureOf } from '../../../store/storageFailure.ts';
import { updateStates } from '../status/errorStatus.ts';
import { type AfterEvents, countInbox } from './countInbox.ts';
import { isInboxEmpty } from './countInboxStore.ts';
import { appendReports, type Report, writeReports } from './writeEvents.ts';

/**
 * Queue of received events. An event is durable once it is in the inbox table, the only table written for each event. Counters
 * are updated later in batches, at the latest when they are read.
 */
export interface Inbox {
  /**
   * Resolves after the commit, so acknowledged events are durable. The result is true if the event was new. Duplicates are not
   * stored.
   */
  add(report: Report): Promise<boolean>;
  /**
   * Counts the events received so far. Must be called outside transactions, before any counted value is read or changed. If the
   * disk is full, readers still see the updated counts. Throws if that is not possible either.
   */
  flush(): void;
  /** Counts a last time, before the database is closed. */
  end(): void;
}

/** Maximum number of events per transaction, so that others do not wait long. */
const MAX_AT_ONCE = 200;
/**
 * Milliseconds. After a pause of this length an event is counted at once. Otherwise it waits for this time, or until the limits
 * below are reached.
 */
const PAUSE = 100;
const MAX_UNCOUNTED = 1000;
const MAX_UNCOUNTED_BYTES = 4 * 1024 * 1024;
/**
 * Maximum number of groups with uncounted events. Counting takes time per group, so a single transaction should not process too
 * many.
 */
const MAX_UNCOUNTED_GROUPS = 150;
const PAUSE_AFTER_FAILURE = 1000;

interface Waiting {
  readonly report: Report;
  readonly resolve: (isNew: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** `pause` replaces the maximum delay before events are counted, in milliseconds. */
export function createInbox(store: Store, log: Log, changes: Changes, pause = PAUSE): Inbox {
  const afterEvents: AfterEvents = (events) => updateStates({ store, changes }, events);
  // Nothing is published about counts that are not committed.
  const afterProvisional: AfterEvents = (events) => updateStates({ store, changes: createChanges() }, events);
  let waiting: Waiting[] = [];
  const uncounted = createUncounted();
  let counting: NodeJS.Immediate | undefined;
  let countedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isStorageFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;

  const scheduleCount = (milliseconds: number): void => {
    if (!isEnded) timer ??= setTimeout(countNow, milliseconds).unref();
  };
  const recordCounted = (): void => {
    uncounted.clear();
    countedAt = performance.now();
  };
  /**
   * Counts again. The check for an empty inbox is inside the transaction, because provisional counts make it look empty from
   * outside.
   */
  const countNow = (): void => {
    clearTimeout(timer);
    timer = undefined;
    clearImmediate(counting);
    counting = undefined;
    try {
      store.transaction(() => {
        if (!isInboxEmpty(store)) countInbox(store, afterEvents);
      });
      isStorageFailing = false;
      recordCounted();
    } catch (error) {
      recordFailure(error);
    }
  };
  const flush = (): void => {
    if (isInboxEmpty(store)) return;
    if (performance.now() - failedAt >= PAUSE_AFTER_FAILURE) countNow();
    else scheduleCount(PAUSE_AFTER_FAILURE);
    if (isStorageFailing) store.provisionally(() => countInbox(store, afterProvisional));
  };
  const recordFailure = (error: unknown): void => {
    log.error('received events could not be counted; trying again later', error);
    failedAt = performance.now();
    isStorageFailing = storageFailureOf(error) !== undefined;
    scheduleCount(PAUSE_AFTER_FAILURE);
  };

  const commit = async (): Promise<void> => {
    let batch: readonly Waiting[] | undefined;
    const takeWaiting = (): readonly Waiting[] => {
      const taken = waiting.slice(0, MAX_AT_ONCE);
      waiting = waiting.slice(MAX_AT_ONCE);
      if (waiting.length > 0) setImmediate(() => void commit());
      return taken;
    };
    try {
      const { stored, isCounted } = await store.groupCommit(() => {
        // Taken only here, when all requests of this turn have arrived. This callback may run twice.
        batch ??= takeWaiting();
        return write(batch.map(({ report }) => report));
      });
      if (isCounted) recordCounted();
      for (const [index, { resolve }] of (batch ?? []).entries()) resolve(stored[index] ?? false);
    } catch {
      // An event that cannot be written must not make the others fail.
      for (const { report, resolve, reject } of batch ?? takeWaiting()) writeAlone(report).then(resolve, reject);
    }
  };
  const writeAlone = async (report: Report): Promise<boolean> => {
    try {
      const [isNew] = await store.groupCommit(() => writeReports(store, [report], afterEvents));
      recordCounted();
      return isNew ?? false;
    } catch (error) {
      if (storageFailureOf(error) !== undefined) throw error;
      recordFailure(error);
      const [isNew] = await store.groupCommit(() => append([report]));
      return isNew ?? false;
    }
  };
  const write = (reports: readonly Report[]): { readonly stored: readonly boolean[]; readonly isCounted: boolean } =>
    performance.now() - countedAt >= pause || uncounted.isFull()
      ? { stored: writeReports(store, reports, afterEvents), isCounted: true }
      : { stored: append(reports), isCounted: false };
  const append = (reports: readonly Report[]): boolean[] => {
    uncounted.add(reports);
    if (uncounted.hasManyGroups() && !isEnded) counting ??= setImmediate(countNow);
    else scheduleCount(pause);
    return appendReports(store, reports);
  };

  return {
    add: (report) =>
      new Promise((resolve, reject) => {
        waiting.push({ report, resolve, reject });
        if (waiting.length === 1) void commit();
      }),
    flush,
    end: () => {
      if (!isInboxEmpty(store)) countNow();
      clearTimeout(timer);
      clearImmediate(counting);
      isEnded = true;
    },
  };
}

/** Amount of uncounted events, used for the limits only. The database decides whether there are any. */
interface Uncounted {
  add(reports: readonly Report[]): void;
  clear(): void;
  isFull(): boolean;
  hasManyGroups(): boolean;
}

function createUncounted(): Uncounted {
  let events = 0;
  let bytes = 0;
  const groups = new Set<string>();
  return {
    add: (reports) => {
      events += reports.length;
      for (const { projectId, grouping, payload } of reports) {
        bytes += payload.bytes.length;
        groups.add(`${projectId}:${grouping.app.toString('latin1')}`);
      }
    },
    clear: () => {
      events = 0;
      bytes = 0;
      groups.clear();
    },
    isFull: () => events >= MAX_UNCOUNTED || bytes >= MAX_UNCOUNTED_BYTES,
    hasManyGroups: () => groups.size >= MAX_UNCOUNTED_GROUPS,
  };
}
