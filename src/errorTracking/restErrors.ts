import type { Client, Page } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { readLatestFrames, readTrackedError, type TrackedError } from '../contract/trackedErrors.ts';
import type { ErrorAbilities, ErrorPage, ErrorProject, ErrorSource } from './source.ts';

const abilities: ErrorAbilities = { listsByStatus: true, changesStatus: true };

/** So many errors a page, as GraphQL has them. */
const PAGE = 20;

/** What the resource says of a project whose errors are not tracked. */
const OFF = '404 Error Tracking Setting Not Found';

/** Errors by the resource that our own server has beside what the real platform offers. */
export function restErrors(client: Client, project: ErrorProject): ErrorSource {
  const errors = apiPath`/projects/${project.id}/error_tracking/errors`;
  const one = (id: string): string => `${errors}${apiPath`/${id}`}`;

  async function pageOf(read: Promise<Page<TrackedError>>): Promise<ErrorPage> {
    try {
      const { items, next } = await read;
      // A page of a keyset list may be followed by an empty one.
      return { items, next: items.length < PAGE ? undefined : next, isOff: false, abilities };
    } catch (error) {
      if (!(error instanceof ApiFailure && error.kind === 'notFound' && error.said === OFF)) throw error;
      return { items: [], next: undefined, isOff: true, abilities };
    }
  }

  return {
    list: ({ order, statuses }, signal) =>
      pageOf(client.list(errors, readTrackedError, { status: statuses, order_by: order, sort: 'desc', per_page: PAGE }, signal)),
    follow: (_, next, signal) => pageOf(client.follow(next, readTrackedError, signal)),
    frames: async (id, signal) => (await client.get(one(id), readLatestFrames, {}, signal)).toReversed(),
    changeStatus: async (id, status) => {
      await client.change({ method: 'PUT', path: one(id), body: { status } }, readTrackedError);
    },
  };
}
