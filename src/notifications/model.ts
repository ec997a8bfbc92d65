import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import { createEmitter } from '../support/emitter.ts';
import type { NotificationApi, ScopeListAddress } from './api.ts';
import { createRequestQueue } from './requestQueue.ts';
import { chainOf, globalScope, keyOfScope, type NotificationScope } from './scopes.ts';
import { type AppliedSetting, appliedSetting, type KnownSetting, neededScope } from './settings.ts';

/** Notification settings of an account. */
export interface NotificationSource {
  /** Key of the account. */
  readonly key: string;
  /** Throws if another account is current, whose token must not be used. */
  readonly api: () => NotificationApi;
  readonly pins: () => readonly NotificationScope[];
}

export type SettingState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | { readonly kind: 'ready'; readonly setting: KnownSetting };

/** Loaded part of a list, of which the view shows the first `shown` scopes. */
export interface ScopeList {
  readonly address: ScopeListAddress;
  readonly items: readonly NotificationScope[];
  readonly shown: number;
  /** Link to the next page. */
  readonly next: string | undefined;
  readonly isLoading: boolean;
  readonly failure: ApiFailure | undefined;
}

export interface NotificationsModel {
  readonly onDidChange: Event<void>;
  /** Sets the account. If it is another one, everything is cleared, and nothing is requested before `begin`. */
  readonly setSource: (source: NotificationSource | undefined) => void;
  /** Loads the first rows of the account unless that has begun. */
  readonly begin: () => void;
  readonly sourceKey: () => string | undefined;
  readonly pins: () => readonly NotificationScope[];
  readonly search: () => string;
  /** Lists groups and projects that contain the text; an empty text shows the tree. */
  readonly setSearch: (text: string) => void;
  readonly list: (address: ScopeListAddress) => ScopeList | undefined;
  /** Returns the shown scopes of a list; of the tree's groups only those without a loaded group above. */
  readonly shown: (address: ScopeListAddress) => readonly NotificationScope[];
  readonly groupsIn: (group: NotificationScope) => readonly NotificationScope[];
  /** Returns true if the list has scopes that are not shown. */
  readonly hasMore: (address: ScopeListAddress) => boolean;
  readonly state: (scope: NotificationScope) => SettingState | undefined;
  readonly setting: (scope: NotificationScope) => KnownSetting | undefined;
  readonly applied: (scope: NotificationScope) => AppliedSetting | undefined;
  /** Returns whether level `custom` of the instance has epics; undefined while that is unknown. */
  readonly reportsEpics: () => boolean | undefined;
  /** Returns true if the group, or `projects`, is expanded. */
  readonly isOpen: (key: string) => boolean;
  /** Loads what is below an expanded row. */
  readonly open: (key: string, address: ScopeListAddress) => void;
  /** Shows more of a list and loads its next page if necessary, or loads it again after a failure. */
  readonly loadMore: (address: ScopeListAddress) => void;
  /** Loads the settings of a scope and of those it inherits from. */
  readonly resolve: (scope: NotificationScope) => Promise<void>;
  /** Sets the settings that a response contained. */
  readonly put: (scope: NotificationScope, setting: KnownSetting) => void;
  /** Loads everything again that the view shows. */
  readonly refresh: () => Promise<void>;
  /** Must be called when the pins have changed. */
  readonly pinsChanged: () => void;
}

/** Maximum number of requests at once. */
const MAX_PARALLEL = 4;
/** Settings that are requested without a further action of the user. Rows beyond are resolved when they are hovered. */
const MAX_AUTOMATIC = 24;
/** Rows of a list before "Load more". */
const STEP = 20;
/** Pages of groups that are loaded at once, because nesting needs the groups above. */
const GROUP_PAGES = 3;

export const groupsAddress: ScopeListAddress = { kind: 'groups', search: '' };

export function keyOfList(address: ScopeListAddress): string {
  return address.kind === 'projectsOf' ? `in ${address.group.path}` : `${address.kind} ${address.search}`;
}

export function createNotificationsModel(): NotificationsModel {
  const changes = createEmitter<void>();
  let source: NotificationSource | undefined;
  let search = '';
  let lists = new Map<string, ScopeList>();
  let states = new Map<string, SettingState>();
  let opened = new Set<string>();
  /** Number of changes of each scope. */
  const writes = new Map<string, number>();
  let automatic = MAX_AUTOMATIC;
  let hasBegun = false;
  let abort = new AbortController();
  let queue = createRequestQueue(MAX_PARALLEL);

  const setting = (scope: NotificationScope): KnownSetting | undefined => {
    const state = states.get(keyOfScope(scope));
    return state?.kind === 'ready' ? state.setting : undefined;
  };

  /** For inheritance, a group whose settings cannot be read has none. */
  const lookup = (scope: NotificationScope): KnownSetting | undefined => {
    const state = states.get(keyOfScope(scope));
    if (state?.kind === 'failed' && scope.kind === 'group') return { level: 'global', switches: {} };
    return state?.kind === 'ready' ? state.setting : undefined;
  };

  /** Runs a request for the current account. Its result is ignored if the account has changed meanwhile. */
  async function request<T>(run: (api: NotificationApi, signal: AbortSignal) => Promise<T>): Promise<T | ApiFailure | undefined> {
    const { signal } = abort;
    const asked = source;
    const result = await queue
      .add(async () => {
        signal.throwIfAborted();
        return asked === undefined ? undefined : run(asked.api(), signal);
      })
      .catch((error: unknown) => failureOfAny(error));
    return signal.aborted ? undefined : result;
  }

  async function readSetting(scope: NotificationScope): Promise<void> {
    const key = keyOfScope(scope);
    if (!states.has(key)) states.set(key, { kind: 'loading' });
    changes.fire();
    const written = writes.get(key);
    const result = await request((api, signal) => api.read(scope, signal));
    // A change that was made meanwhile is newer.
    if (result === undefined || writes.get(key) !== written) return;
    if (result instanceof Error) states.set(key, { kind: 'failed', failure: result });
    else {
      const known = setting(scope);
      // The global settings never report switches, so those that were set here are kept.
      const isUnreported = scope.kind === 'global' && result.level === 'custom' && known?.level === 'custom';
      states.set(key, { kind: 'ready', setting: isUnreported ? { ...result, switches: known.switches } : result });
    }
    changes.fire();
    resolveShown();
  }

  /** Requests what the shown rows still need, as far as that is allowed without a further action of the user. */
  function resolveShown(): void {
    if (!hasBegun) return;
    const wanted = new Map<string, NotificationScope>();
    for (const scope of shownScopes()) {
      const needed = neededScope(scope, lookup);
      if (needed !== undefined && !states.has(keyOfScope(needed))) wanted.set(keyOfScope(needed), needed);
    }
    for (const scope of wanted.values()) {
      if (automatic <= 0) return;
      automatic -= 1;
      void readSetting(scope);
    }
  }

  /** Returns the scopes of the rows that are not hidden in a collapsed row. */
  function shownScopes(): readonly NotificationScope[] {
    if (search !== '') return [globalScope, ...(['groups', 'projects'] as const).flatMap((kind) => shownOf({ kind, search }))];
    const projects = opened.has('projects') ? shownOf({ kind: 'projects', search: '' }) : [];
    return [globalScope, ...(source?.pins() ?? []).flatMap(withBelow), ...topGroups().flatMap(withBelow), ...projects];
  }

  /** Returns a scope and, if it is an expanded group, those below it. */
  function withBelow(scope: NotificationScope): readonly NotificationScope[] {
    if (scope.kind !== 'group' || !opened.has(keyOfScope(scope))) return [scope];
    return [scope, ...groupsIn(scope).flatMap(withBelow), ...shownOf({ kind: 'projectsOf', group: scope })];
  }

  /** Returns the groups without a loaded group above that the view shows. */
  function topGroups(): readonly NotificationScope[] {
    const list = lists.get(keyOfList(groupsAddress));
    return nestedIn(undefined).slice(0, list?.shown);
  }

  function groupsIn(group: NotificationScope): readonly NotificationScope[] {
    return nestedIn(group.path);
  }

  /** Returns the loaded groups whose nearest loaded group above has this path. */
  function nestedIn(above: string | undefined): readonly NotificationScope[] {
    const items = lists.get(keyOfList(groupsAddress))?.items ?? [];
    const loaded = new Set(items.map(({ path }) => path));
    return items.filter(({ parents }) => parents.find((path) => loaded.has(path)) === above);
  }

  function hasMore(address: ScopeListAddress): boolean {
    const list = lists.get(keyOfList(address));
    if (list === undefined) return false;
    const count = isNested(address) ? nestedIn(undefined).length : list.items.length;
    return list.next !== undefined || list.shown < count;
  }

  function shownOf(address: ScopeListAddress): readonly NotificationScope[] {
    const list = lists.get(keyOfList(address));
    return list === undefined ? [] : list.items.slice(0, list.shown);
  }

  function setList(address: ScopeListAddress, change: Partial<ScopeList>): void {
    const before = lists.get(keyOfList(address));
    const empty: ScopeList = { address, items: [], shown: STEP, next: undefined, isLoading: false, failure: undefined };
    lists.set(keyOfList(address), { ...(before ?? empty), ...change });
    changes.fire();
  }

  /** Loads the first page of a list. Its rows stay until the response arrives. */
  async function loadFirst(address: ScopeListAddress): Promise<void> {
    setList(address, { isLoading: true, failure: undefined });
    const page = await request((api, signal) => api.list(address, signal));
    if (page === undefined) return;
    if (page instanceof Error) return setList(address, { isLoading: false, failure: page });
    addPage(address, [], page);
    if (isNested(address))
      for (let pages = 1; pages < GROUP_PAGES && nextOf(address) !== undefined; pages += 1) await loadNext(address);
  }

  async function loadNext(address: ScopeListAddress): Promise<void> {
    const next = nextOf(address);
    if (next === undefined) return;
    setList(address, { isLoading: true, failure: undefined });
    const page = await request((api, signal) => api.follow(address, next, signal));
    if (page === undefined) return;
    if (page instanceof Error) return setList(address, { isLoading: false, failure: page });
    addPage(address, lists.get(keyOfList(address))?.items ?? [], page);
  }

  function nextOf(address: ScopeListAddress): string | undefined {
    return lists.get(keyOfList(address))?.next;
  }

  function addPage(address: ScopeListAddress, before: readonly NotificationScope[], page: Page<NotificationScope>): void {
    const known = new Set(before.map(keyOfScope));
    // A list that changes between two requests can repeat an element.
    const items = [...before, ...page.items.filter((item) => !known.has(keyOfScope(item)))];
    setList(address, { items, next: page.next, isLoading: false, failure: undefined });
    resolveShown();
  }

  function clear(): void {
    abort.abort();
    abort = new AbortController();
    queue = createRequestQueue(MAX_PARALLEL);
    search = '';
    lists = new Map();
    states = new Map();
    opened = new Set();
    automatic = MAX_AUTOMATIC;
    hasBegun = false;
  }

  async function start(): Promise<void> {
    // Without the global settings, an instance has no others.
    await readSetting(globalScope);
    if (states.get(keyOfScope(globalScope))?.kind === 'ready') await loadFirst(groupsAddress);
  }

  async function resolve(scope: NotificationScope): Promise<void> {
    for (let needed = neededScope(scope, lookup); needed !== undefined; ) {
      await readSetting(needed);
      const next = neededScope(scope, lookup);
      // A failed request is not repeated.
      if (next === undefined || keyOfScope(next) === keyOfScope(needed)) return;
      needed = next;
    }
  }

  async function refresh(): Promise<void> {
    if (source === undefined) return;
    automatic = MAX_AUTOMATIC;
    const shown = new Map(
      shownScopes()
        .flatMap(chainOf)
        .map((scope) => [keyOfScope(scope), scope]),
    );
    const wasKnown = (scope: NotificationScope): boolean => states.has(keyOfScope(scope));
    const again = [...shown.values()].filter(wasKnown);
    // Hidden rows are loaded again when they are needed.
    for (const key of states.keys()) if (!shown.has(key)) states.delete(key);
    hasBegun = true;
    const failed = states.get(keyOfScope(globalScope))?.kind !== 'ready';
    if (failed) return start();
    await Promise.all([
      ...[...lists.values()].filter(({ address }) => isListShown(address)).map(({ address }) => loadFirst(address)),
      ...again.map(readSetting),
    ]);
    resolveShown();
  }

  function isListShown(address: ScopeListAddress): boolean {
    if (address.kind === 'projectsOf') return opened.has(keyOfScope(address.group));
    return address.search === search && (address.kind === 'groups' || search !== '' || opened.has('projects'));
  }

  return {
    onDidChange: changes.event,
    setSource: (next) => {
      const isSame = next?.key === source?.key;
      source = next;
      if (isSame) return;
      clear();
      changes.fire();
    },
    begin: () => {
      if (source === undefined || hasBegun) return;
      hasBegun = true;
      void start();
    },
    sourceKey: () => source?.key,
    pins: () => source?.pins() ?? [],
    search: () => search,
    setSearch: (text) => {
      search = text.trim();
      automatic = MAX_AUTOMATIC;
      changes.fire();
      if (search === '') resolveShown();
      else for (const kind of ['groups', 'projects'] as const) void loadFirst({ kind, search });
    },
    list: (address) => lists.get(keyOfList(address)),
    shown: (address) => (isNested(address) ? topGroups() : shownOf(address)),
    groupsIn,
    hasMore,
    state: (scope) => states.get(keyOfScope(scope)),
    setting,
    applied: (scope) => appliedSetting(scope, lookup),
    reportsEpics: () => {
      const custom = [...states.values()].find(
        (state) => state.kind === 'ready' && state.setting.level === 'custom' && state.setting.email === undefined,
      );
      return custom?.kind === 'ready' ? custom.setting.switches.new_epic !== undefined : undefined;
    },
    isOpen: (key) => opened.has(key),
    open: (key, address) => {
      if (opened.has(key)) return;
      opened.add(key);
      automatic = MAX_AUTOMATIC;
      if (lists.has(keyOfList(address))) resolveShown();
      else void loadFirst(address);
    },
    loadMore: (address) => {
      const list = lists.get(keyOfList(address));
      if (list === undefined || list.isLoading) return;
      automatic = MAX_AUTOMATIC;
      if (list.failure !== undefined && list.items.length === 0) return void loadFirst(address);
      setList(address, { shown: list.shown + STEP });
      if (list.next !== undefined && list.items.length < list.shown + STEP) void loadNext(address);
      else resolveShown();
    },
    resolve,
    put: (scope, known) => {
      writes.set(keyOfScope(scope), (writes.get(keyOfScope(scope)) ?? 0) + 1);
      states.set(keyOfScope(scope), { kind: 'ready', setting: known });
      changes.fire();
      resolveShown();
    },
    refresh,
    pinsChanged: () => {
      automatic = MAX_AUTOMATIC;
      changes.fire();
      resolveShown();
    },
  };
}

/** Returns true for the list of groups that the tree nests. */
function isNested(address: ScopeListAddress): boolean {
  return address.kind === 'groups' && address.search === '';
}
