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
