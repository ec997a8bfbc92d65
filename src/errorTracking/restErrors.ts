import type { Client, Page } from '../api/client.ts';
import { apiPath, type Query } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { readFacet, readLatestFrames, readTrackedError, type TrackedError } from '../contract/trackedErrors.ts';
import { NEVER_ENABLED } from './failures.ts';
import type { ErrorAbilities, ErrorPage, ProjectAddress, ErrorQuery, ErrorSource } from './source.ts';

const abilities: ErrorAbilities = { filters: true, changesStatus: true };

/** Errors per page, as in GraphQL. */
const PAGE = 20;

/** Creates the source for the REST resource that only Signalbox servers have. */
export function restErrors(client: Client, project: ProjectAddress): ErrorSource {
  const errors = apiPath`/projects/${project.id}/error_tracking/errors`;
  const pathOf = (id: string): string => `${errors}${apiPath`/${id}`}`;

  async function pageOf(read: Promise<Page<TrackedError>>, size = PAGE): Promise<ErrorPage> {
    try {
      const { items, next } = await read;
      const pages = Math.max(1, Math.ceil(items.length / PAGE));
      // A keyset list may link to an empty page.
      return { items, pages, next: items.length < size ? undefined : next, isDisabled: false, abilities };
    } catch (error) {
      if (!(error instanceof ApiFailure && error.kind === 'notFound' && error.serverMessage === NEVER_ENABLED)) throw error;
      return { items: [], pages: 1, next: undefined, isDisabled: true, abilities };
    }
  }

  return {
    list: (query, signal, pages = 1) => {
      const size = PAGE * pages;
      return pageOf(client.list(errors, readTrackedError, { ...parametersOf(query), per_page: size }, signal), size);
    },
    follow: (_, next, signal) => pageOf(client.follow(next, readTrackedError, signal)),
    facet: (id, kind, signal) => client.get(pathOf(id), (value) => readFacet(value, kind), {}, signal),
    frames: async (id, signal) => (await client.get(pathOf(id), readLatestFrames, {}, signal)).toReversed(),
  };
}

function parametersOf({ order, statuses, level, environment, release, assignee, search }: ErrorQuery): Query {
  return {
    status: statuses,
    level,
    environment,
    release,
    assignee_id: assignee,
    search,
    order_by: order,
    sort: 'desc',
  };
}
