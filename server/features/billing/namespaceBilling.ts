import { isoDate } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import type { ParametersOf } from '../../http/params.ts';
import { type Availability, isAvailable } from '../../core/profile.ts';
import type { limitParameters } from './parameters.ts';
import { limitsOf, type LimitsRow, packsOf, subscriptionOf, type SubscriptionRow, writeLimits } from './store.ts';

// Subscriptions of namespaces on the multi-tenant offering (docs/interface.md#subscriptions).

/** Availability of subscriptions. */
export const billing = { offerings: ['multi-tenant'] } as const satisfies Availability;

/** Titles of the plans by their codes. */
export const plans = { free: 'Free', premium: 'Premium', ultimate: 'Ultimate' } as const;

export const planCodes = ['free', 'premium', 'ultimate'] as const;

export const addOns = {
  code_suggestions: 'GitLab Duo Pro',
  duo_enterprise: 'GitLab Duo Enterprise',
  product_analytics: 'Product Analytics',
} as const;

export type AddOnName = keyof typeof addOns;

export const addOnNames = ['code_suggestions', 'duo_enterprise', 'product_analytics'] as const;

const noSubscription: SubscriptionRow = {
  plan: null,
  seats: 0,
  max_seats_used: 0,
  start_date: null,
  end_date: null,
  auto_renew: null,
  trial: 0,
  trial_ends_on: null,
};

const noLimits: LimitsRow = {
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  additional_purchased_storage_size: 0,
  additional_purchased_storage_ends_on: null,
};

type Stored = Pick<Core, 'store' | 'profile'>;

/** Returns the subscription of a namespace. Without one, all of its values are empty. */
export function subscription({ store }: Stored, namespaceId: number): SubscriptionRow {
  return subscriptionOf(store, namespaceId) ?? noSubscription;
}

/** Returns the limits of a namespace. If no extra minutes are set, those of the packs of `today` or later are. */
export function limits({ store }: Stored, namespaceId: number, today: string): LimitsRow {
  const stored = limitsOf(store, namespaceId) ?? noLimits;
  const packs = packsOf(store, namespaceId).filter(({ expires_on }) => expires_on >= today);
  const minutes = packs.reduce((sum, { number_of_minutes }) => sum + number_of_minutes, 0);
  return {
    ...stored,
    extra_shared_runners_minutes_limit: stored.extra_shared_runners_minutes_limit ?? (packs.length === 0 ? null : minutes),
  };
}

/** Changes limits of a namespace. Omitted ones do not change. `today` is the day at which the current ones are read. */
export function changeLimits(core: Stored, namespaceId: number, sent: ParametersOf<typeof limitParameters>, today: string): void {
  const { additional_purchased_storage_ends_on: end } = sent;
  const current = limits(core, namespaceId, today);
  writeLimits(core.store, namespaceId, {
    shared_runners_minutes_limit: sent.shared_runners_minutes_limit ?? current.shared_runners_minutes_limit,
    extra_shared_runners_minutes_limit: sent.extra_shared_runners_minutes_limit ?? current.extra_shared_runners_minutes_limit,
    additional_purchased_storage_size: sent.additional_purchased_storage_size ?? current.additional_purchased_storage_size,
    additional_purchased_storage_ends_on: end === undefined ? current.additional_purchased_storage_ends_on : isoDate(end),
  });
}

/** Members that namespaces have on the multi-tenant offering: for owners, and more for administrators. */
export function billingMembers(
  core: Stored,
  namespaceId: number,
  { isOwner, isAdministrator, today }: { readonly isOwner: boolean; readonly isAdministrator: boolean; readonly today: string },
) {
  if (!isOwner || !isAvailable(billing, core.profile)) return {};
  const { plan, trial, trial_ends_on } = subscription(core, namespaceId);
  return {
    plan: plan ?? 'free',
    trial: trial === 1,
    trial_ends_on,
    ...(isAdministrator ? limits(core, namespaceId, today) : {}),
  };
}
