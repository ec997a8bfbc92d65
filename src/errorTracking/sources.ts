import type { Client } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import { graphqlErrors } from './graphqlErrors.ts';
import { restErrors } from './restErrors.ts';
import type { ErrorProject, ErrorSource } from './source.ts';

/** What an instance says of an address that it does not know, which the local resource is to every platform but ours. */
const UNKNOWN_ADDRESS = '404 Not Found';

/** Reads errors by the local resource where the instance of a client has it, else by GraphQL. Which it is is found out once. */
export function createErrorSources(
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>,
): (client: Client, project: ErrorProject) => ErrorSource {
  const withoutResource = new WeakSet<Client>();
  return (client, project) => {
    const rest = restErrors(client, project);
    const graphql = graphqlErrors(client, project, sleep);
    async function either<T>(ask: (source: ErrorSource) => Promise<T>): Promise<T> {
      if (withoutResource.has(client)) return ask(graphql);
      try {
        return await ask(rest);
      } catch (error) {
        if (!(error instanceof ApiFailure && error.kind === 'notFound' && error.said === UNKNOWN_ADDRESS)) throw error;
        withoutResource.add(client);
        return ask(graphql);
      }
    }
    return {
      list: (query, signal) => either((source) => source.list(query, signal)),
      follow: (query, next, signal) => either((source) => source.follow(query, next, signal)),
      frames: (id, signal) => either((source) => source.frames(id, signal)),
      changeStatus: (id, status) => either((source) => source.changeStatus(id, status)),
    };
  };
}
