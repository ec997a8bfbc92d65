import { ApiFailure } from '../api/failures.ts';
import type { ErrorDetail, ErrorEvent } from '../contract/errorDetail.ts';
import type { FixState, PanelState } from './protocol.ts';
import type { DetailAbilities, DetailSource, TimeRange } from './source.ts';

/** Owner of what one panel shows. */
export interface PanelModel {
  readonly state: () => PanelState;
  /** Loads the error, and shows its latest event unless the user has selected another one. */
  readonly refresh: () => Promise<void>;
  readonly showOlder: () => Promise<void>;
  readonly showNewer: () => void;
  /** Shows the latest event of all. */
  readonly showLatest: () => Promise<void>;
  /** Shows the latest event of a range of time, or of all events. */
  readonly limitTo: (range: TimeRange | null) => Promise<void>;
  /** Ends running requests. Nothing changes afterwards. */
  readonly dispose: () => void;
}

export interface PanelModelSettings {
  readonly source: DetailSource;
  /** Returns the text that explains a failed request to the user. */
  readonly describeFailure: (error: unknown) => string;
  /** Called after each change of the state. */
  readonly changed: () => void;
}

interface Loaded {
  readonly detail: ErrorDetail;
  readonly abilities: DetailAbilities;
  readonly fix: FixState | null;
}

/** Events that were listed, the latest first. */
interface Events {
  readonly items: readonly ErrorEvent[];
  readonly next: string | undefined;
  /** Index of the event that is shown. */
  readonly shown: number;
}

export function createPanelModel({ source, describeFailure, changed }: PanelModelSettings): PanelModel {
  const end = new AbortController();
  const { signal } = end;
  let loaded: Loaded | undefined;
  let events: Events = { items: [], next: undefined, shown: 0 };
  let range: TimeRange | null = null;
  let running = 0;
  let problem: string | null = null;
  let lacksScope = false;

  function state(): PanelState {
    if (loaded === undefined)
      return problem === null || running > 0
        ? { kind: 'loading' }
        : { kind: 'failed', text: problem, ...(lacksScope ? { lacksScope } : {}) };
    const { items, next, shown } = events;
    return {
      kind: 'ready',
      ...loaded,
      event: items[shown] ?? null,
      hasNewer: shown > 0,
      hasOlder: shown + 1 < items.length || next !== undefined,
      range,
      isBusy: running > 0,
      problem,
    };
  }

  /** Runs an action, and shows its failure. */
  async function run(action: () => Promise<void>): Promise<void> {
    running += 1;
    problem = null;
    changed();
    try {
      await action();
    } catch (error) {
      lacksScope = error instanceof ApiFailure && error.scope !== undefined;
      if (!signal.aborted) problem = describeFailure(error);
    } finally {
      running -= 1;
      if (!signal.aborted) changed();
    }
  }

  async function listEvents(): Promise<void> {
    const wanted = range;
    const { items, next } = await source.events(wanted ?? undefined, signal);
    if (wanted === range) events = { items, next, shown: 0 };
  }

  async function load(): Promise<void> {
    const { detail, abilities } = await source.detail(signal);
    loaded = { detail, abilities, fix: fixOf(detail) };
    if (events.shown > 0 || range !== null) return;
    if (abilities.listsEvents) await listEvents();
    else events = { items: detail.latestEvent === null ? [] : [detail.latestEvent], next: undefined, shown: 0 };
  }

  return {
    state,
    refresh: () => run(load),
    showOlder: () =>
      run(async () => {
        const { items, next, shown } = events;
        if (shown + 1 >= items.length && next !== undefined) {
          const page = await source.followEvents(next, signal);
          if (events.next !== next) return;
          events = { items: [...items, ...page.items], next: page.next, shown };
        }
        if (shown + 1 < events.items.length) events = { ...events, shown: shown + 1 };
      }),
    showNewer: () => {
      if (events.shown === 0) return;
      events = { ...events, shown: events.shown - 1 };
      changed();
    },
    showLatest: () =>
      run(async () => {
        range = null;
        events = { ...events, shown: 0 };
        await load();
      }),
    limitTo: (next) =>
      run(async () => {
        range = next;
        await listEvents();
      }),
    dispose: () => {
      end.abort();
    },
  };
}

/** Returns what is known about the fix of an error: it is proven once a newer release that began to report later did not have the error. */
function fixOf({ status, isRegression, statusReleases, fixedIn, lastRelease }: ErrorDetail): FixState | null {
  const last = lastRelease?.version;
  if (status === 'unresolved' && isRegression) return { kind: 'cameBack', release: last ?? null };
  if (status !== 'resolved' && status !== 'resolved_in_next_release') return null;
  if (fixedIn !== null) return { kind: 'proven', release: fixedIn };
  return { kind: 'waiting', after: statusReleases.length > 0 || last === undefined ? statusReleases : [last] };
}
