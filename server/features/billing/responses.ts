import * as z from 'zod';
import { count, day, id, moment, named } from '../../http/responses.ts';

export const subscriptionResponse = named('GitlabSubscription', () =>
  z.strictObject({
    plan: z.strictObject({
      code: z.string().nullable(),
      name: z.string().nullable(),
      trial: z.boolean(),
      auto_renew: z.boolean().nullable(),
      upgradable: z.boolean(),
      exclude_guests: z.boolean(),
    }),
    usage: z.strictObject({
      seats_in_subscription: count(),
      seats_in_use: count(),
      max_seats_used: count(),
      seats_owed: count(),
    }),
    billing: z.strictObject({
      subscription_start_date: day().nullable(),
      subscription_end_date: day().nullable(),
      trial_ends_on: day().nullable(),
    }),
  }),
);

export const addOnResponse = named('AddOnPurchase', () =>
  z.strictObject({
    namespace_id: id(),
    namespace_name: z.string(),
    add_on: z.string(),
    quantity: count(),
    started_on: day(),
    expires_on: day(),
    purchase_xid: z.string(),
    trial: z.boolean(),
  }),
);

export const packResponse = named('AdditionalPack', () =>
  z.strictObject({ namespace_id: id(), number_of_minutes: count(), expires_at: day(), purchase_xid: z.string() }),
);

export const cardResponse = named('CreditCardValidation', () =>
  z.strictObject({ user_id: id(), credit_card_validated_at: moment() }),
);
