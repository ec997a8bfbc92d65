import { readActivityEvent } from '../contract/activity.ts';
import type { Connection } from '../instances/connection.ts';
import { shownAccountKey } from '../instances/currentAccount.ts';
import type { ResponseCache } from './cache.ts';
import { keyOfList, type ListAddress } from './lists.ts';
import { mergedList } from './mergedList.ts';
import type { FeedSource, SuccessResponse } from './model.ts';
import type { ProjectNames } from './projects.ts';

export interface FeedSourceSettings {
  readonly connection: Connection;
  readonly cache: ResponseCache;
  readonly names: () => ProjectNames | undefined;
}

/** Number of events, from the newest, whose project names are cached with them. */
const MAX_NAMED_EVENTS = 100;

/** Returns the source of a list of the signed-in account; undefined while signed out. */
export function feedSourceOf(settings: FeedSourceSettings, list: ListAddress): FeedSource | undefined {
  const { connection, cache, names } = settings;
  const account = shownAccountKey(connection.state());
  if (account === undefined) return undefined;
  const key = keyOfList(account, list);
  // Looked up on each call: the address of the local server changes with a restart.
  const { client } = connection.bound(account);
  return {
    key,
    ...mergedList(
      list.queries.map((query) => async (signal) => client().list(list.path, readActivityEvent, query, signal)),
      async (link, signal) => client().follow(link, readActivityEvent, signal),
    ),
    cached: async () => {
      const cached = await cache.read(account, key);
      if (cached !== undefined) names()?.remember(cached.projects);
      return cached?.response;
    },
    store: (response) => void cacheResponse(settings, { account, key }, response),
  };
}

/** Caches a response together with the project names of its first rows. */
async function cacheResponse(
  { cache, names }: FeedSourceSettings,
  { account, key }: { readonly account: string; readonly key: string },
  response: SuccessResponse,
): Promise<void> {
  const known = names();
  const ids = [...new Set(response.events.slice(0, MAX_NAMED_EVENTS).map((event) => event.project_id))].filter(
    (id) => id !== null,
  );
  await known?.learn(ids);
  const projects = ids.map((id) => known?.get(id)).filter((project) => project !== undefined);
  await cache.write(account, key, response, projects);
}
