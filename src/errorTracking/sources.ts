import type { Client } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import { graphqlErrors } from './graphqlErrors.ts';
import { restErrors } from './restErrors.ts';
import type { ProjectAddress, ErrorSource } from './source.ts';

/** Message of the response for an unknown route. Only Signalbox servers know the REST resource. */
const UNKNOWN_ADDRESS = '404 Not Found';

/** Milliseconds until the REST resource is requested again: a gateway may have responded in place of the instance. */
const MAX_AGE = 10 * 60_000;

/** Chooses between the REST resource and GraphQL. Detected once per client, and again after a while. */
export interface ResourceChoice {
  /** Calls `rest` if the instance of the client has the REST resource, else `graphql`. */
  readonly either: <T>(client: Client, rest: () => Promise<T>, graphql: () => Promise<T>) => Promise<T>;
}

export function createResourceChoice(now: () => number = Date.now): ResourceChoice {
  const withoutResource = new WeakMap<Client, number>();
  return {
    either: async (client, rest, graphql) => {
      const learnt = withoutResource.get(client);
      if (learnt !== undefined && now() - learnt < MAX_AGE) return graphql();
      try {
        return await rest();
      } catch (error) {
        if (!(error instanceof ApiFailure && error.kind === 'notFound' && error.serverMessage === UNKNOWN_ADDRESS)) throw error;
        const result = await graphql();
        withoutResource.set(client, now());
        return result;
      }
    },
  };
}

/** Returns a function that creates error sources: the REST resource if the instance has it, else GraphQL. */
export function createErrorSources(
  { either }: ResourceChoice,
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
      list: (query, signal, pages) => call((source) => source.list(query, signal, pages)),
      follow: (query, next, signal) => call((source) => source.follow(query, next, signal)),
      facet: (id, kind, signal) => call((source) => source.facet(id, kind, signal)),
      frames: (id, signal) => call((source) => source.frames(id, signal)),
    };
  };
}
