import type { Event } from 'vscode';
import type { ApiFailure } from '../api/failures.ts';
import { createCurrentSource, type CurrentSource } from '../support/currentSource.ts';
import { createEmitter } from '../support/emitter.ts';
import type { NotificationApi, ScopeListAddress } from './api.ts';
import { createRequestQueue } from './requestQueue.ts';
import { createScopeLists, groupsAddress, type RequestForAccount, type ScopeList, type ScopeLists } from './scopeLists.ts';
import { chainOf, globalScope, keyOfScope, type NotificationScope } from './scopes.ts';
import { type AppliedSetting, appliedSetting, type KnownSetting, neededScope } from './settings.ts';
import { createSettingStates, type SettingState, type SettingStates } from './settingStates.ts';

/** Notification settings of an account. */
export interface NotificationSource {
  /** Key of the account. */
  readonly key: string;
  /** Throws if another account is current, whose token must not be used. */
  readonly api: () => NotificationApi;
  readonly pins: () => readonly NotificationScope[];
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
  readonly shown: ScopeLists['shown'];
  readonly groupsIn: ScopeLists['groupsIn'];
  readonly hasMore: ScopeLists['hasMore'];
  readonly state: (scope: NotificationScope) => SettingState | undefined;
  readonly setting: (scope: NotificationScope) => KnownSetting | undefined;
  /** Returns the failure of the latest request for the global settings, without which nothing else is loaded. */
  readonly failure: () => ApiFailure | undefined;
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

export function createNotificationsModel(now: () => number = Date.now): NotificationsModel {
  const changes = createEmitter<void>();
  const source = createCurrentSource<NotificationSource>();
  let search = '';
  const opened = new Set<string>();
  let automatic = MAX_AUTOMATIC;
  let hasBegun = false;
  const requests = createAccountRequests(source);
  const parts = { request: requests.send, changed: changes.fire, loaded: resolveShown };
  const lists = createScopeLists(parts);
  const states = createSettingStates({ ...parts, now });
  const shownNow = (): readonly NotificationScope[] => shownScopes(lists, { search, opened, pins: source.get()?.pins() ?? [] });

  /** Requests what the shown rows still need, as far as that is allowed without a further action of the user. */
  function resolveShown(): void {
    if (!hasBegun) return;
    const needed = shownNow().map((scope) => neededScope(scope, states.inherited));
    for (const scope of uniqueScopes(needed.filter((one) => one !== undefined))) {
      if (states.get(scope) !== undefined) continue;
      if (automatic <= 0) return;
      automatic -= 1;
      void states.read(scope);
    }
  }

  /** Allows further requests, after an action of the user. */
  function allowMore(): void {
    automatic = MAX_AUTOMATIC;
  }

  function clear(): void {
    requests.clear();
    search = '';
    lists.clear();
    states.clear();
    opened.clear();
    allowMore();
    hasBegun = false;
    changes.fire();
  }

  async function start(): Promise<void> {
    // Without the global settings, an instance has no others.
    await states.read(globalScope);
    if (states.get(globalScope)?.kind === 'ready') await lists.loadFirst(groupsAddress);
  }

  async function refresh(): Promise<void> {
    if (source.get() === undefined) return;
    allowMore();
    const shown = uniqueScopes(shownNow().flatMap(chainOf));
    const again = shown.filter((scope) => states.get(scope) !== undefined);
    // Hidden rows are loaded again when they are needed.
    states.keepOnly(shown);
    hasBegun = true;
    if (states.get(globalScope)?.kind !== 'ready') return start();
    const shownLists = lists.all().filter(({ address }) => isListShown(address, search, opened));
    await Promise.all([...shownLists.map(({ address }) => lists.loadFirst(address)), ...again.map(states.read)]);
    resolveShown();
  }

  return {
    onDidChange: changes.event,
    setSource: (next) => {
      if (source.replace(next)) clear();
    },
    begin: () => {
      if (source.get() === undefined || hasBegun) return;
      hasBegun = true;
      void start();
    },
    sourceKey: source.key,
    pins: () => source.get()?.pins() ?? [],
    search: () => search,
    setSearch: (text) => {
      search = text.trim();
      allowMore();
      changes.fire();
      if (search === '') resolveShown();
      else for (const kind of ['groups', 'projects'] as const) void lists.loadFirst({ kind, search });
    },
    list: lists.get,
    shown: lists.shown,
    groupsIn: lists.groupsIn,
    hasMore: lists.hasMore,
    state: states.get,
    setting: states.setting,
    failure: () => {
      const state = states.get(globalScope);
      return state?.kind === 'failed' ? state.failure : state?.kind === 'ready' ? state.problem : undefined;
    },
    applied: (scope) => appliedSetting(scope, states.inherited),
    reportsEpics: () => reportsEpics(states),
    isOpen: (key) => opened.has(key),
    open: (key, address) => {
      if (opened.has(key)) return;
      opened.add(key);
      allowMore();
      if (lists.get(address) === undefined) void lists.loadFirst(address);
      else resolveShown();
    },
    loadMore: (address) => {
      const list = lists.get(address);
      if (list === undefined || list.isLoading) return;
      allowMore();
      if (!lists.showMore(list)) resolveShown();
    },
    resolve: (scope) => resolve(states, scope),
    put: states.put,
    refresh,
    pinsChanged: () => {
      allowMore();
      changes.fire();
      resolveShown();
    },
  };
}

/** Sends the requests of the current account, a few at once. */
function createAccountRequests(source: CurrentSource<NotificationSource>): { send: RequestForAccount; clear: () => void } {
  let queue = createRequestQueue(MAX_PARALLEL);
  return {
    send: (run) =>
      source.request(async ({ api }, signal) =>
        queue.add(async () => {
          signal.throwIfAborted();
          return run(api(), signal);
        }),
      ),
    clear: () => {
      queue = createRequestQueue(MAX_PARALLEL);
    },
  };
}

/** Loads the settings of a scope and of those it inherits from. */
async function resolve(states: SettingStates, scope: NotificationScope): Promise<void> {
  for (let needed = neededScope(scope, states.inherited); needed !== undefined; ) {
    await states.read(needed);
    const next = neededScope(scope, states.inherited);
    // A failed request is not repeated.
    if (next === undefined || keyOfScope(next) === keyOfScope(needed)) return;
    needed = next;
  }
}

function reportsEpics(states: SettingStates): boolean | undefined {
  const custom = states
    .all()
    .find((state) => state.kind === 'ready' && state.setting.level === 'custom' && state.setting.email === undefined);
  return custom?.kind === 'ready' ? custom.setting.switches.new_epic !== undefined : undefined;
}

function uniqueScopes(scopes: readonly NotificationScope[]): readonly NotificationScope[] {
  return [...new Map(scopes.map((scope) => [keyOfScope(scope), scope])).values()];
}

/** Returns the scopes of the rows that are not hidden in a collapsed row. */
function shownScopes(
  lists: ScopeLists,
  shown: {
    readonly search: string;
    readonly opened: ReadonlySet<string>;
    readonly pins: readonly NotificationScope[];
  },
): readonly NotificationScope[] {
  const { search, opened, pins } = shown;
  if (search !== '') return [globalScope, ...(['groups', 'projects'] as const).flatMap((kind) => lists.shown({ kind, search }))];
  const groups = lists.shown(groupsAddress);
  const projects = opened.has('projects') ? lists.shown({ kind: 'projects', search: '' }) : [];
  return [globalScope, ...[...pins, ...groups].flatMap((scope) => withBelow(lists, opened, scope)), ...projects];
}

/** Returns a scope and, if it is an expanded group, those below it. */
function withBelow(lists: ScopeLists, opened: ReadonlySet<string>, scope: NotificationScope): readonly NotificationScope[] {
  if (scope.kind !== 'group' || !opened.has(keyOfScope(scope))) return [scope];
  const groups = lists.groupsIn(scope).flatMap((group) => withBelow(lists, opened, group));
  return [scope, ...groups, ...lists.shown({ kind: 'projectsOf', group: scope })];
}

function isListShown(address: ScopeListAddress, search: string, opened: ReadonlySet<string>): boolean {
  if (address.kind === 'projectsOf') return opened.has(keyOfScope(address.group));
  return address.search === search && (address.kind === 'groups' || search !== '' || opened.has('projects'));
}
