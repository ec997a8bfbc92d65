import { RawResponse } from '../../http/route.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { subscriptionsOf, type SubscriptionTarget, writeSubscription } from './store.ts';

export { copyLabelSubscriptions, subscriptionRows, subscriptionsAfter } from './store.ts';

// Subscriptions of users to resources. A feature with subscriptions presents `isSubscribed` and passes whether the user participates in the
// resource, which is the default until the user subscribes or unsubscribes. Its two routes call `changeSubscription` first:
//
//   const unchanged = changeSubscription(platform, { type: 'MergeRequest', id }, caller.user, { to: true, participates });
//   return unchanged ?? present(…);
//
// A trigger of the schema deletes the subscriptions of a deleted resource. The migration that creates the table of the resource adds it, see
// `issues_after_delete`.

/** Returns true if a user is subscribed. Participants are subscribed unless they unsubscribed. */
export function isSubscribed(core: Core, target: SubscriptionTarget, user: User, participates: boolean): boolean {
  const [subscription] = subscriptionsOf(core.store, target.type, [target.id], user.id);
  return subscription === undefined ? participates : subscription.subscribed === 1;
}

/** Returns those of the given resources to which a user subscribed explicitly. */
export function explicitSubscriptions(
  core: Core,
  type: SubscriptionTarget['type'],
  ids: readonly number[],
  userId: number,
): ReadonlySet<number> {
  const rows = subscriptionsOf(core.store, type, ids, userId);
  return new Set(rows.filter((row) => row.subscribed === 1).map((row) => row.target_id));
}

/**
 * Subscribes a user to a resource, or unsubscribes them. If nothing changes, returns the response: 304 without a body
 * (docs/interface.md#rest-errors).
 */
export function changeSubscription(
  core: Core,
  target: SubscriptionTarget,
  user: User,
  input: { readonly to: boolean; readonly participates: boolean },
): RawResponse | undefined {
  if (isSubscribed(core, target, user, input.participates) === input.to) return new RawResponse({ status: 304 });
  writeSubscription(core.store, target, user.id, input.to);
  return undefined;
}
