import type { Client, Page } from '../api/client.ts';
import { type ActivityEvent, readActivityEvent } from '../contract/activity.ts';

/** Maximum number of pages to search per list: the API has no endpoint for a single event. */
const MAX_PAGES = 5;

/** Finds an event in the lists of the account; undefined if it is too old, deleted or hidden. Rejects with an `ApiFailure`. */
export async function findEvent(client: Client, id: number, signal?: AbortSignal): Promise<ActivityEvent | undefined> {
  for (const scope of ['all', undefined]) {
    let page: Page<ActivityEvent> = await client.list('/events', readActivityEvent, { scope, per_page: 100 }, signal);
    for (let pages = 1; ; pages += 1) {
      const found = page.items.find((event) => event.id === id);
      if (found !== undefined) return found;
      const oldest = page.items.at(-1)?.id;
      if (page.next === undefined || pages === MAX_PAGES || (oldest !== undefined && oldest < id)) break;
      page = await client.follow(page.next, readActivityEvent, signal);
    }
  }
  return undefined;
}
