import { ApiFailure } from '../api/failures.ts';
import type { ErrorDetail, ErrorEvent } from '../contract/errorDetail.ts';
import type { FixState, PanelState, ReadyState } from './protocol.ts';
import type { DetailAbilities, DetailSource, TimeRange } from './source.ts';

/** Owner of what one panel shows. */
export interface PanelModel {
  readonly state: () => PanelState;
  /** Loads the error, and shows its latest event unless the user has selected another one. */
  readonly refresh: () => Promise<void>;
  /** Same in the background, with one request. Resolves to true on success. */
  readonly update: () => Promise<boolean>;
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
  /** True if the list has only the latest event and the older ones were not requested. */
  readonly isLatestOnly?: boolean;
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
  /** True if `problem` is that of an update. */
  let hasUpdateFailed = false;

  const state = (): PanelState => stateOf({ loaded, events, range, problem, lacksScope, isBusy: running > 0 });

  /** Runs an action, and shows its failure. */
  async function run(action: () => Promise<void>): Promise<void> {
    running += 1;
    [problem, hasUpdateFailed] = [null, false];
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

  async function loadDetail(): Promise<Loaded> {
    const { detail, abilities } = await source.detail(signal);
    loaded = { detail, abilities, fix: fixOf(detail) };
    return loaded;
  }

  async function load(): Promise<void> {
    const { detail, abilities } = await loadDetail();
    if (events.shown > 0 || range !== null) return;
    if (abilities.listsEvents) await listEvents();
    else events = { items: detail.latestEvent === null ? [] : [detail.latestEvent], next: undefined, shown: 0 };
  }

  /** The list of events is requested again when the user wants an older one than the latest. */
  async function updateDetail(): Promise<void> {
    if (loaded === undefined) return load();
    const { detail } = await loadDetail();
    const { latestEvent: latest } = detail;
    if (events.shown > 0 || range !== null || latest === null || latest.id === events.items[0]?.id) return;
    events = { items: [latest], next: undefined, shown: 0, isLatestOnly: loaded.abilities.listsEvents };
  }

  async function update(): Promise<boolean> {
    try {
      await updateDetail();
      if (hasUpdateFailed) [problem, hasUpdateFailed] = [null, false];
    } catch (error) {
      if (signal.aborted) return false;
      [problem, hasUpdateFailed] = [describeFailure(error), true];
    }
    if (!signal.aborted) changed();
    return !hasUpdateFailed;
  }

  /** Requests the events that follow the only one that is known. */
  async function listOlder(): Promise<void> {
    const [known] = events.items;
    await listEvents();
    events = {
      ...events,
      shown: Math.max(
        0,
        events.items.findIndex(({ id }) => id === known?.id),
      ),
    };
  }

  return {
    state,
    refresh: () => run(load),
    update,
    showOlder: () =>
      run(async () => {
        if (events.isLatestOnly === true) await listOlder();
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

interface Shown extends Pick<ReadyState, 'range' | 'problem' | 'isBusy'> {
  readonly lacksScope: boolean;
  readonly loaded: Loaded | undefined;
  readonly events: Events;
}

function stateOf({ loaded, events, range, problem, lacksScope, isBusy }: Shown): PanelState {
  if (loaded === undefined)
    return problem === null || isBusy
      ? { kind: 'loading' }
      : { kind: 'failed', text: problem, ...(lacksScope ? { lacksScope } : {}) };
  const { items, next, shown, isLatestOnly } = events;
  const mayHaveOlder = next !== undefined || (isLatestOnly === true && loaded.detail.count > 1);
  return {
    ...{ kind: 'ready', ...loaded, range, problem, isBusy },
    event: items[shown] ?? null,
    hasNewer: shown > 0,
    hasOlder: shown + 1 < items.length || mayHaveOlder,
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
