import type { Log } from '../log.ts';
import type { Store } from '../store/open.ts';
import { storageFailureOf } from '../store/storageFailure.ts';
import { type AfterEvents, countInbox } from './counting.ts';
import { isInboxEmpty } from './countingStore.ts';
import { appendReports, type Report, writeReports } from './writer.ts';

/**
 * Takes events as they are received. They are durable once they are in the table of that name, which is all that is written with each. What
 * they add up to is written later for many of them, at the latest when somebody asks for it.
 */
export interface Inbox {
  /** Fulfilled after the commit: acknowledged means durable. It says whether the event was new; one that the project has is not taken again. */
  add(report: Report): Promise<boolean>;
  /**
   * Counts what has been received so far; to be called before anything is read or changed that is counted, and in no transaction. Where
   * the disk has no room for that, readers see it counted all the same; it throws where not even that is possible.
   */
  flush(): void;
  /** The same for the last time, before the database is closed. */
  end(): void;
}

/** So many events are taken in one transaction, so that nobody waits long behind them. */
const MAX_AT_ONCE = 200;
/** Milliseconds. After such a pause an event is counted at once; others wait for that time, or until they are many or much. */
const PAUSE = 100;
const MAX_UNCOUNTED = 1000;
const MAX_UNCOUNTED_BYTES = 4 * 1024 * 1024;
/** Groups of uncounted events. Counting takes as long as there are groups, so that many of them are not left for one transaction. */
const MAX_UNCOUNTED_GROUPS = 150;
const PAUSE_AFTER_FAILURE = 1000;

/** `afterProvisional` is `afterEvents` without telling anybody, for counts that are not committed. */
export function createInbox(
  store: Store,
  log: Log,
  afterEvents: AfterEvents,
  pause = PAUSE,
  afterProvisional: AfterEvents = () => undefined,
): Inbox {
  interface Waiting {
    readonly report: Report;
    readonly resolve: (isNew: boolean) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];
  /** Tells when they are many; whether there are any, the database says. */
  let uncounted = 0;
  let uncountedBytes = 0;
  const uncountedGroups = new Set<string>();
  let counting: NodeJS.Immediate | undefined;
  let countedAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let isStorageFailing = false;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;

  const later = (milliseconds: number): void => {
    if (!isEnded) timer ??= setTimeout(countAgain, milliseconds).unref();
  };
  const recordCounted = (): void => {
    uncounted = 0;
    uncountedBytes = 0;
    uncountedGroups.clear();
    countedAt = performance.now();
  };
  /** What is in the inbox is asked inside the transaction: outside of it, it may look empty because it is counted provisionally. */
  const countAgain = (): void => {
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
    if (performance.now() - failedAt >= PAUSE_AFTER_FAILURE) countAgain();
    else later(PAUSE_AFTER_FAILURE);
    if (isStorageFailing) store.provisionally(() => countInbox(store, afterProvisional));
  };
  const recordFailure = (error: unknown): void => {
    log.error('received events could not be counted; trying again later', error);
    failedAt = performance.now();
    isStorageFailing = storageFailureOf(error) !== undefined;
    later(PAUSE_AFTER_FAILURE);
  };

  const commit = async (): Promise<void> => {
    let sharing: readonly Waiting[] | undefined;
    const takeWaiting = (): readonly Waiting[] => {
      const taken = waiting.slice(0, MAX_AT_ONCE);
      waiting = waiting.slice(MAX_AT_ONCE);
      if (waiting.length > 0) setImmediate(() => void commit());
      return taken;
    };
    try {
      const { stored, isCounted } = await store.groupCommit(() => {
        // Taken only here, when everybody of this turn has come. This may run twice.
        sharing ??= takeWaiting();
        return take(sharing.map(({ report }) => report));
      });
      if (isCounted) recordCounted();
      for (const [index, { resolve }] of (sharing ?? []).entries()) resolve(stored[index] ?? false);
    } catch {
      // One that cannot be written must not take the others with it.
      for (const { report, resolve, reject } of sharing ?? takeWaiting()) alone(report).then(resolve, reject);
    }
  };
  const alone = async (report: Report): Promise<boolean> => {
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
  const take = (reports: readonly Report[]): { readonly stored: readonly boolean[]; readonly isCounted: boolean } =>
    performance.now() - countedAt >= pause || uncounted >= MAX_UNCOUNTED || uncountedBytes >= MAX_UNCOUNTED_BYTES
      ? { stored: writeReports(store, reports, afterEvents), isCounted: true }
      : { stored: append(reports), isCounted: false };
  const append = (reports: readonly Report[]): boolean[] => {
    uncounted += reports.length;
    for (const { projectId, grouping, payload } of reports) {
      uncountedBytes += payload.bytes.length;
      uncountedGroups.add(`${projectId}:${grouping.app.toString('latin1')}`);
    }
    if (uncountedGroups.size >= MAX_UNCOUNTED_GROUPS && !isEnded) counting ??= setImmediate(countAgain);
    else later(pause);
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
      if (!isInboxEmpty(store)) countAgain();
      clearTimeout(timer);
      clearImmediate(counting);
      isEnded = true;
    },
  };
}
