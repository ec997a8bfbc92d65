import type { Store } from '../../store/open.ts';

export interface SubscriptionTarget {
  readonly type: 'Issue' | 'MergeRequest' | 'Epic' | 'Label';
  readonly id: number;
}

export function subscriptionsOf(
  store: Store,
  type: SubscriptionTarget['type'],
  ids: readonly number[],
  userId: number,
): { readonly target_id: number; readonly subscribed: 0 | 1 }[] {
  return store.all(
    `SELECT target_id, subscribed FROM subscriptions
     WHERE target_type = $type AND target_id IN (SELECT value FROM json_each($ids)) AND user_id = $userId`,
    { type, ids: JSON.stringify(ids), userId },
  );
}

export function writeSubscription(store: Store, target: SubscriptionTarget, userId: number, subscribed: boolean): void {
  store.run(
    `INSERT INTO subscriptions (target_type, target_id, user_id, subscribed) VALUES ($type, $id, $userId, $subscribed)
     ON CONFLICT DO UPDATE SET subscribed = $subscribed`,
    { ...target, userId, subscribed: subscribed ? 1 : 0 },
  );
}

/** Returns explicit subscriptions to a resource after a user, in the order of the IDs of users. */
export function subscriptionsAfter(
  store: Store,
  type: string,
  targetId: number,
  { after, limit }: { readonly after: number; readonly limit: number },
): { readonly user_id: number; readonly subscribed: 0 | 1 }[] {
  return store.all(
    `SELECT user_id, subscribed FROM subscriptions
     WHERE target_type = $type AND target_id = $targetId AND user_id > $after ORDER BY user_id LIMIT $limit`,
    { type, targetId, after, limit },
  );
}

/** Returns the explicit subscriptions of users to a resource. */
export function subscriptionRows(
  store: Store,
  type: string,
  targetIds: readonly number[],
  ids: readonly number[],
): { readonly user_id: number; readonly subscribed: 0 | 1 }[] {
  return store.all(
    `SELECT user_id, subscribed FROM subscriptions
     WHERE target_type = $type AND target_id IN (SELECT value FROM json_each($targetIds))
       AND user_id IN (SELECT value FROM json_each($ids))`,
    { type, targetIds: JSON.stringify(targetIds), ids: JSON.stringify(ids) },
  );
}

/** Copies subscriptions to labels to another label, whose own subscriptions take precedence. */
export function copyLabelSubscriptions(store: Store, from: readonly number[], to: number): void {
  store.run(
    `INSERT OR IGNORE INTO subscriptions (target_type, target_id, user_id, subscribed)
     SELECT 'Label', $to, user_id, subscribed FROM subscriptions
     WHERE target_type = 'Label' AND target_id IN (SELECT value FROM json_each($from))`,
    { from: JSON.stringify(from), to },
  );
}
