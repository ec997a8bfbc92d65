import type { Page } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import type { NotificationApi, ScopeListAddress } from './api.ts';
import { keyOfScope, type NotificationScope } from './scopes.ts';

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

/** Runs a request for the current account. Resolves to its failure; to undefined if the account has changed meanwhile. */
export type RequestForAccount = <T>(
  run: (api: NotificationApi, signal: AbortSignal) => Promise<T>,
) => Promise<T | ApiFailure | undefined>;

export interface ScopeListsSettings {
  readonly request: RequestForAccount;
  /** Called after each change. */
  readonly changed: () => void;
  /** Called after a page was loaded. */
  readonly loaded: () => void;
}

/** Lists of groups and projects, each loaded page by page. */
export interface ScopeLists {
  readonly get: (address: ScopeListAddress) => ScopeList | undefined;
  readonly all: () => readonly ScopeList[];
  /** Returns the shown scopes of a list; of the tree's groups only those without a loaded group above. */
  readonly shown: (address: ScopeListAddress) => readonly NotificationScope[];
  /** Returns the loaded groups whose nearest loaded group above is this one. */
  readonly groupsIn: (group: NotificationScope) => readonly NotificationScope[];
  /** Returns true if the list has scopes that are not shown. */
  readonly hasMore: (address: ScopeListAddress) => boolean;
  /** Loads the first page of a list. Its rows stay until the response arrives. */
  readonly loadFirst: (address: ScopeListAddress) => Promise<void>;
  /** Shows more of a list. Loads its next page if necessary, or the first one again after a failure. Returns false if nothing is loaded. */
  readonly showMore: (list: ScopeList) => boolean;
  readonly clear: () => void;
}

/** Rows of a list before "Load more". */
const STEP = 20;
/** Pages of groups that are loaded at once, because nesting needs the groups above. */
const GROUP_PAGES = 3;

export const groupsAddress: ScopeListAddress = { kind: 'groups', search: '' };

export function createScopeLists({ request, changed, loaded }: ScopeListsSettings): ScopeLists {
  const lists = new Map<string, ScopeList>();
  const get = (address: ScopeListAddress): ScopeList | undefined => lists.get(keyOfList(address));

  /** Returns the loaded groups whose nearest loaded group above has this path. */
  function nestedIn(above: string | undefined): readonly NotificationScope[] {
    const items = get(groupsAddress)?.items ?? [];
    const paths = new Set(items.map(({ path }) => path));
    return items.filter(({ parents }) => parents.find((path) => paths.has(path)) === above);
  }

  function setList(address: ScopeListAddress, change: Partial<ScopeList>): void {
    const empty: ScopeList = { address, items: [], shown: STEP, next: undefined, isLoading: false, failure: undefined };
    lists.set(keyOfList(address), { ...(get(address) ?? empty), ...change });
    changed();
  }

  /** Loads a page and appends it to `before`. Returns false after a failure and if the account has changed. */
  async function loadPage(
    address: ScopeListAddress,
    before: () => readonly NotificationScope[],
    load: (api: NotificationApi, signal: AbortSignal) => Promise<Page<NotificationScope>>,
  ): Promise<boolean> {
    setList(address, { isLoading: true, failure: undefined });
    const page = await request(load);
    if (page === undefined) return false;
    if (page instanceof ApiFailure) {
      setList(address, { isLoading: false, failure: page });
      return false;
    }
    const known = new Set(before().map(keyOfScope));
    // A list that changes between two requests can repeat an element.
    const items = [...before(), ...page.items.filter((item) => !known.has(keyOfScope(item)))];
    setList(address, { items, next: page.next, isLoading: false, failure: undefined });
    loaded();
    return true;
  }

  async function loadFirst(address: ScopeListAddress): Promise<void> {
    const isLoaded = await loadPage(
      address,
      () => [],
      (api, signal) => api.list(address, signal),
    );
    if (!isLoaded || !isNested(address)) return;
    for (let pages = 1; pages < GROUP_PAGES && get(address)?.next !== undefined; pages += 1) await loadNext(address);
  }

  async function loadNext(address: ScopeListAddress): Promise<void> {
    const next = get(address)?.next;
    if (next === undefined) return;
    await loadPage(
      address,
      () => get(address)?.items ?? [],
      (api, signal) => api.follow(address, next, signal),
    );
  }

  return {
    get,
    all: () => [...lists.values()],
    shown: (address) => {
      const list = get(address);
      if (isNested(address)) return nestedIn(undefined).slice(0, list?.shown);
      return list === undefined ? [] : list.items.slice(0, list.shown);
    },
    groupsIn: ({ path }) => nestedIn(path),
    hasMore: (address) => {
      const list = get(address);
      if (list === undefined) return false;
      const count = isNested(address) ? nestedIn(undefined).length : list.items.length;
      return list.next !== undefined || list.shown < count;
    },
    loadFirst,
    showMore: ({ address, items, shown, next, failure }) => {
      if (failure !== undefined && items.length === 0) {
        void loadFirst(address);
        return true;
      }
      setList(address, { shown: shown + STEP });
      if (next === undefined || items.length >= shown + STEP) return false;
      void loadNext(address);
      return true;
    },
    clear: () => lists.clear(),
  };
}

function keyOfList(address: ScopeListAddress): string {
  return address.kind === 'projectsOf' ? `in ${address.group.path}` : `${address.kind} ${address.search}`;
}

/** Returns true for the list of groups that the tree nests. */
function isNested(address: ScopeListAddress): boolean {
  return address.kind === 'groups' && address.search === '';
}
