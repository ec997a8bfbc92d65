import type { Client } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import { graphqlErrors } from './graphqlErrors.ts';
import { restErrors } from './restErrors.ts';
import type { ErrorProject, ErrorSource } from './source.ts';

/** Message of the response for an unknown route. Only Signalbox servers know the REST resource. */
const UNKNOWN_ADDRESS = '404 Not Found';

/** Returns a function that creates error sources: the REST resource if the instance has it, else GraphQL. Detected once per client. */
export function createErrorSources(
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>,
): (client: Client, project: ErrorProject) => ErrorSource {
  const withoutResource = new WeakSet<Client>();
  return (client, project) => {
    const rest = restErrors(client, project);
    const graphql = graphqlErrors(client, project, sleep);
    async function either<T>(call: (source: ErrorSource) => Promise<T>): Promise<T> {
      if (withoutResource.has(client)) return call(graphql);
      try {
        return await call(rest);
      } catch (error) {
        if (!(error instanceof ApiFailure && error.kind === 'notFound' && error.serverMessage === UNKNOWN_ADDRESS)) throw error;
        withoutResource.add(client);
        return call(graphql);
      }
    }
    return {
      list: (query, signal) => either((source) => source.list(query, signal)),
      follow: (query, next, signal) => either((source) => source.follow(query, next, signal)),
      facet: (id, kind, signal) => either((source) => source.facet(id, kind, signal)),
      frames: (id, signal) => either((source) => source.frames(id, signal)),
      changeState: (id, state) => either((source) => source.changeState(id, state)),
    };
  };
}
