import type { Client } from '../api/client.ts';
import { isUnknownAddress } from './failures.ts';
import { graphqlErrors, NO_TRACKING } from './graphqlErrors.ts';
import { restErrors } from './restErrors.ts';
import type { ErrorPage, ErrorSource, ProjectAddress } from './source.ts';

/** Milliseconds until what an instance does not have is requested again: a gateway may have responded in its place. */
const MAX_AGE = 10 * 60_000;

/** Chooses between the REST resource, which only Signalbox servers have, and GraphQL. Detected once per client, and again after a while. */
export interface ResourceChoice {
  /** Calls `rest` if the instance of the client has the REST resource, else `graphql`. */
  readonly either: <T>(client: Client, rest: () => Promise<T>, graphql: () => Promise<T>) => Promise<T>;
  /** Loads a page of errors, unless the instance of the client is known to have no error tracking. */
  readonly page: (client: Client, load: () => Promise<ErrorPage>) => Promise<ErrorPage>;
  /** Forgets which instances have no error tracking. */
  readonly retry: () => void;
}

export function createResourceChoice(now: () => number = Date.now): ResourceChoice {
  const withoutResource = new WeakMap<Client, number>();
  let withoutTracking = new WeakMap<Client, number>();
  const isRecent = (learnt: number | undefined): boolean => learnt !== undefined && now() - learnt < MAX_AGE;
  return {
    page: async (client, load) => {
      if (isRecent(withoutTracking.get(client))) return NO_TRACKING;
      const page = await load();
      if (page.isMissing === true) {
        withoutTracking.set(client, now());
        withoutResource.delete(client);
      }
      return page;
    },
    retry: () => {
      withoutTracking = new WeakMap();
    },
    either: async (client, rest, graphql) => {
      if (isRecent(withoutResource.get(client))) return graphql();
      try {
        return await rest();
      } catch (error) {
        if (!isUnknownAddress(error)) throw error;
        const result = await graphql();
        withoutResource.set(client, now());
        return result;
      }
    },
  };
}

/** Returns a function that creates error sources: the REST resource if the instance has it, else GraphQL. */
export function createErrorSources(
  { either, page }: ResourceChoice,
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>,
): (client: Client, project: ProjectAddress) => ErrorSource {
  return (client, project) => {
    const rest = restErrors(client, project);
    const graphql = graphqlErrors(client, project, sleep);
    const call = <T>(of: (source: ErrorSource) => Promise<T>): Promise<T> =>
      either(
        client,
        () => of(rest),
        () => of(graphql),
      );
    return {
      list: (query, signal, pages) => page(client, () => call((source) => source.list(query, signal, pages))),
      follow: (query, next, signal) => call((source) => source.follow(query, next, signal)),
      facet: (id, kind, signal) => call((source) => source.facet(id, kind, signal)),
      frames: (id, signal) => call((source) => source.frames(id, signal)),
    };
  };
}
