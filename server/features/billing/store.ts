import type { Store } from '../../store/open.ts';

/** Days are `YYYY-MM-DD`. */
export interface SubscriptionRow {
  readonly plan: string | null;
  readonly seats: number;
  readonly max_seats_used: number;
  readonly start_date: string | null;
  readonly end_date: string | null;
  readonly auto_renew: 0 | 1 | null;
  readonly trial: 0 | 1;
  readonly trial_ends_on: string | null;
}

export interface LimitsRow {
  readonly shared_runners_minutes_limit: number | null;
  readonly extra_shared_runners_minutes_limit: number | null;
  readonly additional_purchased_storage_size: number;
  readonly additional_purchased_storage_ends_on: string | null;
}

export interface AddOnRow {
  readonly quantity: number;
  readonly started_on: string;
  readonly expires_on: string;
  readonly purchase_xid: string;
  readonly trial: 0 | 1;
}

export interface PackRow {
  readonly namespace_id: number;
  readonly number_of_minutes: number;
  readonly expires_on: string;
  readonly purchase_xid: string;
}

export function subscriptionOf(store: Store, namespaceId: number): SubscriptionRow | undefined {
  return store.get<SubscriptionRow>(
    `SELECT plan, seats, max_seats_used, start_date, end_date, auto_renew, trial, trial_ends_on FROM namespace_subscriptions
     WHERE namespace_id = $namespaceId`,
    { namespaceId },
  );
}

export function writeSubscription(store: Store, namespaceId: number, row: SubscriptionRow): void {
  store.run(
    `INSERT OR REPLACE INTO namespace_subscriptions
       (namespace_id, plan, seats, max_seats_used, start_date, end_date, auto_renew, trial, trial_ends_on)
     VALUES ($namespaceId, $plan, $seats, $max_seats_used, $start_date, $end_date, $auto_renew, $trial, $trial_ends_on)`,
    { namespaceId, ...row },
  );
}

export function limitsOf(store: Store, namespaceId: number): LimitsRow | undefined {
  return store.get<LimitsRow>(
    `SELECT shared_runners_minutes_limit, extra_shared_runners_minutes_limit, additional_purchased_storage_size,
       additional_purchased_storage_ends_on FROM namespace_limits WHERE namespace_id = $namespaceId`,
    { namespaceId },
  );
}

export function writeLimits(store: Store, namespaceId: number, row: LimitsRow): void {
  store.run(
    `INSERT OR REPLACE INTO namespace_limits (namespace_id, shared_runners_minutes_limit, extra_shared_runners_minutes_limit,
       additional_purchased_storage_size, additional_purchased_storage_ends_on)
     VALUES ($namespaceId, $shared_runners_minutes_limit, $extra_shared_runners_minutes_limit, $additional_purchased_storage_size,
       $additional_purchased_storage_ends_on)`,
    { namespaceId, ...row },
  );
}

export function addOnOf(store: Store, namespaceId: number, name: string): AddOnRow | undefined {
  return store.get<AddOnRow>(
    `SELECT quantity, started_on, expires_on, purchase_xid, trial FROM namespace_add_ons
     WHERE namespace_id = $namespaceId AND name = $name`,
    { namespaceId, name },
  );
}

export function writeAddOn(store: Store, namespaceId: number, name: string, row: AddOnRow): void {
  store.run(
    `INSERT OR REPLACE INTO namespace_add_ons (namespace_id, name, quantity, started_on, expires_on, purchase_xid, trial)
     VALUES ($namespaceId, $name, $quantity, $started_on, $expires_on, $purchase_xid, $trial)`,
    { namespaceId, name, ...row },
  );
}

/** Adds a pack of minutes, unless its purchase is known. */
export function insertPack(store: Store, pack: PackRow): void {
  store.run(
    `INSERT INTO minute_packs (namespace_id, number_of_minutes, expires_on, purchase_xid)
     VALUES ($namespace_id, $number_of_minutes, $expires_on, $purchase_xid) ON CONFLICT (namespace_id, purchase_xid) DO NOTHING`,
    { ...pack },
  );
}

export function packsOf(store: Store, namespaceId: number): PackRow[] {
  return store.all<PackRow>(
    'SELECT namespace_id, number_of_minutes, expires_on, purchase_xid FROM minute_packs WHERE namespace_id = $namespaceId ORDER BY id',
    { namespaceId },
  );
}

/** Moves packs to another namespace. A purchase that the other one has already stays. */
export function writePacksTo(store: Store, fromId: number, toId: number): void {
  store.run('UPDATE OR IGNORE minute_packs SET namespace_id = $toId WHERE namespace_id = $fromId', { fromId, toId });
}

export function writeCardValidation(store: Store, userId: number, validatedAt: number): void {
  store.run('INSERT OR REPLACE INTO card_validations (user_id, validated_at) VALUES ($userId, $validatedAt)', {
    userId,
    validatedAt,
  });
}
