import type { Client, Page } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { readLatestFrames, readTrackedError, type TrackedError } from '../contract/trackedErrors.ts';
import type { ErrorAbilities, ErrorPage, ErrorProject, ErrorSource } from './source.ts';

const abilities: ErrorAbilities = { listsByStatus: true, changesStatus: true };

/** Errors per page, as in GraphQL. */
const PAGE = 20;

/** Message of the response if error tracking was never enabled for the project. */
const OFF = '404 Error Tracking Setting Not Found';

/** Creates the source for the REST resource that only Signalbox servers have. */
export function restErrors(client: Client, project: ErrorProject): ErrorSource {
  const errors = apiPath`/projects/${project.id}/error_tracking/errors`;
  const pathOf = (id: string): string => `${errors}${apiPath`/${id}`}`;

  async function pageOf(read: Promise<Page<TrackedError>>): Promise<ErrorPage> {
    try {
      const { items, next } = await read;
      // A keyset list may link to an empty page.
      return { items, next: items.length < PAGE ? undefined : next, isDisabled: false, abilities };
    } catch (error) {
      if (!(error instanceof ApiFailure && error.kind === 'notFound' && error.serverMessage === OFF)) throw error;
      return { items: [], next: undefined, isDisabled: true, abilities };
    }
  }

  return {
    list: ({ order, statuses }, signal) =>
      pageOf(client.list(errors, readTrackedError, { status: statuses, order_by: order, sort: 'desc', per_page: PAGE }, signal)),
    follow: (_, next, signal) => pageOf(client.follow(next, readTrackedError, signal)),
    frames: async (id, signal) => (await client.get(pathOf(id), readLatestFrames, {}, signal)).toReversed(),
    changeStatus: async (id, status) => {
      await client.change({ method: 'PUT', path: pathOf(id), body: { status } }, readTrackedError);
    },
  };
}
