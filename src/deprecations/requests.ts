import type { Client } from '../api/client.ts';
import { type DeprecatedCall, readDeprecatedCall } from '../contract/deprecatedCalls.ts';
import type { Release } from '../contract/releases.ts';

/** Maximum number of pages. Older calls are not shown. */
const MAX_PAGES = 10;
const PER_PAGE = 100;

/** Returns calls of deprecated elements by all users, for administrators, or by the owner of the token. */
export async function loadCalls(client: Client, release: Release, isOfAll: boolean): Promise<readonly DeprecatedCall[]> {
  const query = { release, per_page: PER_PAGE, ...(isOfAll ? { all: true } : {}) };
  let page = await client.list('/deprecated_calls', readDeprecatedCall, query);
  const calls = [...page.items];
  for (let count = 1; page.next !== undefined && count < MAX_PAGES; count += 1) {
    page = await client.follow(page.next, readDeprecatedCall);
    calls.push(...page.items);
  }
  return calls;
}
