import type { Client } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import type { ErrorStatus, TrackedError, TrackedFrame } from '../contract/trackedErrors.ts';
import { graphqlErrors } from './graphqlErrors.ts';
import { restErrors } from './restErrors.ts';

export const ERROR_ORDERS = ['last_seen', 'first_seen', 'frequency'] as const;
export type ErrorOrder = (typeof ERROR_ORDERS)[number];

export interface ErrorQuery {
  readonly order: ErrorOrder;
  /** Where the source cannot list by status, unresolved errors are listed. */
  readonly statuses: readonly ErrorStatus[];
}

/** What a platform offers beside reading unresolved errors. */
export interface ErrorAbilities {
  readonly listsByStatus: boolean;
  readonly changesStatus: boolean;
}

export interface ErrorPage {
  readonly items: readonly TrackedError[];
  /** To be handed to `follow`; absent on the last page. */
  readonly next: string | undefined;
  /** Nobody tracks errors of the project. */
  readonly isOff: boolean;
  readonly abilities: ErrorAbilities;
}

/** Where the errors of a project come from. Everything rejects with an `ApiFailure`. */
export interface ErrorSource {
  readonly list: (query: ErrorQuery, signal?: AbortSignal) => Promise<ErrorPage>;
  readonly follow: (query: ErrorQuery, next: string, signal?: AbortSignal) => Promise<ErrorPage>;
  /** The stack of its latest event, innermost frame first. */
  readonly frames: (id: string, signal?: AbortSignal) => Promise<readonly TrackedFrame[]>;
  readonly changeStatus: (id: string, status: ErrorStatus) => Promise<void>;
}

/** A project by its number, or path where that is all that is known, and by its path, which GraphQL needs. */
export interface ErrorProject {
  readonly id: number | string;
  readonly path: string;
}

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
