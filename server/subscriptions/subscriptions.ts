import { RawResponse } from '../http/route.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { subscriptionsOf, type SubscriptionTarget, writeSubscription } from './store.ts';

// Who follows what. A feature whose things can be followed asks `isSubscribed` where it presents one, saying whether the person takes part
// in it, which counts until they say otherwise; and its two rows call `changeSubscription` first:
//
//   const unchanged = changeSubscription(platform, { type: 'MergeRequest', id }, caller.user, { to: true, takesPart });
//   return unchanged ?? present(…);
//
// The rows of a target that is deleted are taken away by a trigger of the schema, which the step of its table adds (as
// `issues_after_delete` does).

export type { SubscriptionTarget } from './store.ts';

/** Whether somebody follows one thing: what they said of it, otherwise whether they take part in it. */
export function isSubscribed(platform: Platform, target: SubscriptionTarget, user: User, takesPart: boolean): boolean {
  const [said] = subscriptionsOf(platform.store, target.type, [target.id], user.id);
  return said === undefined ? takesPart : said.subscribed === 1;
}

/** Those of some things that somebody follows because they said so. */
export function followedOf(
  platform: Platform,
  type: SubscriptionTarget['type'],
  ids: readonly number[],
  userId: number,
): ReadonlySet<number> {
  const rows = subscriptionsOf(platform.store, type, ids, userId);
  return new Set(rows.filter((row) => row.subscribed === 1).map((row) => row.target_id));
}

/**
 * Follows something, or no longer does. Where that is so already it gives the answer to send: 304 without a body
 * (docs/interface.md#rest-errors).
 */
export function changeSubscription(
  platform: Platform,
  target: SubscriptionTarget,
  user: User,
  input: { readonly to: boolean; readonly takesPart: boolean },
): RawResponse | undefined {
  if (isSubscribed(platform, target, user, input.takesPart) === input.to) return new RawResponse({ status: 304 });
  writeSubscription(platform.store, target, user.id, input.to);
  return undefined;
}
