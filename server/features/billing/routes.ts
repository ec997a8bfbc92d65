import { isoDate, isoTime } from '../../core/clock.ts';
import { accessOfNamespace, mustFindNamespace } from '../groups/groups.ts';
import { badRequest, forbidden, notFound } from '../../core/errors.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { boolean, date, integer, oneOf, required, string, time, type ParametersOf } from '../../http/params.ts';
import { accepted, listOf, type ResponseOf } from '../../http/responses.ts';
import { administratorRoute, type Route, userRoute, type RequestOf } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import { billing, planCodes, plans, subscription } from './namespaceBilling.ts';
import { amount, packs } from './parameters.ts';
import { cardResponse, packResponse, subscriptionResponse } from './responses.ts';
import {
  insertPack,
  packsOf,
  subscriptionOf,
  type SubscriptionRow,
  writeCardValidation,
  writePacksTo,
  writeSubscription,
} from './store.ts';

const inferred = { ...billing, specRef: 'Subscriptions', status: 'inferred', key: 'id' } as const;
const metadata = { ...inferred, deprecation: 'public-subscription-endpoints' } as const;

/** Values of a subscription that a request can set. */
const values = () => ({
  end_date: date(),
  plan_code: oneOf(planCodes)(),
  seats: amount(),
  max_seats_used: amount(),
  auto_renew: boolean(),
  trial: boolean(),
  trial_ends_on: date(),
});
const changedValues = () => ({ start_date: date(), ...values() });

const ofSubscription = '/api/v4/namespaces/:id/gitlab_subscription';

const validateCardParameters = () => ({ user_id: required(integer), credit_card_validated_at: required(time) });

const addPacksParameters = () => ({ id: required(string), packs: packs() });

const movePacksParameters = () => ({ id: required(string), target_id: required(string) });

const showParameters = () => ({ id: required(string) });

const createParameters = () => ({ id: required(string), start_date: required(date), ...values() });

const updateParameters = () => ({ id: required(string), ...changedValues() });

/** Returns the routes of subscriptions, purchased minutes of namespaces. */
export function billingRoutes(): Route[] {
  return [
    administratorRoute(
      {
        ...metadata,
        method: 'PUT',
        path: '/api/v4/user/:user_id/credit_card_validation',
        body: cardResponse,
        params: validateCardParameters,
      },
      validateCard,
    ),
    administratorRoute(
      {
        ...metadata,
        method: 'POST',
        path: '/api/v4/namespaces/:id/minutes',
        body: listOf(packResponse),
        params: addPacksParameters,
      },
      addPacks,
    ),
    administratorRoute(
      {
        ...metadata,
        method: 'PATCH',
        path: '/api/v4/namespaces/:id/minutes/move/:target_id',
        successStatus: 202,
        body: accepted,
        params: movePacksParameters,
      },
      movePacks,
    ),
    userRoute(
      {
        ...inferred,
        method: 'GET',
        path: ofSubscription,
        body: subscriptionResponse,
        params: showParameters,
      },
      show,
    ),
    administratorRoute(
      {
        ...metadata,
        method: 'POST',
        path: ofSubscription,
        body: subscriptionResponse,
        params: createParameters,
      },
      create,
    ),
    administratorRoute(
      {
        ...metadata,
        method: 'PUT',
        path: ofSubscription,
        body: subscriptionResponse,
        params: updateParameters,
      },
      update,
    ),
  ];
}

function validateCard({ params, context }: RequestOf<typeof validateCardParameters>) {
  const { core } = context;
  const user = findUser(core, params.user_id);
  if (user === undefined) throw notFound('User');
  writeCardValidation(core.store, user.id, params.credit_card_validated_at);
  return { user_id: user.id, credit_card_validated_at: isoTime(params.credit_card_validated_at) };
}

function addPacks({ params, caller, context }: RequestOf<typeof addPacksParameters>) {
  const { core } = context;
  const { id } = mustFindNamespace(core, params.id, caller);
  const purchases = new Set(params.packs.map(({ purchase }) => purchase));
  return core.store.transaction(() => {
    for (const { minutes, expiresOn, purchase } of params.packs) {
      insertPack(core.store, { namespace_id: id, number_of_minutes: minutes, expires_on: expiresOn, purchase_xid: purchase });
    }
    return packsOf(core.store, id)
      .filter(({ purchase_xid }) => purchases.has(purchase_xid))
      .map(({ expires_on: expires_at, ...pack }) => ({ ...pack, expires_at }));
  });
}

function movePacks({ params, caller, context }: RequestOf<typeof movePacksParameters>) {
  const { core } = context;
  const from = mustFindNamespace(core, params.id, caller);
  const to = mustFindNamespace(core, params.target_id, caller, 'Target namespace');
  if (from.id === to.id) throw badRequest('Namespace and target must be different');
  writePacksTo(core.store, from.id, to.id);
  return { message: '202 Accepted' };
}

function show({ params, caller, context }: RequestOf<typeof showParameters>) {
  const { core } = context;
  const namespace = mustFindNamespace(core, params.id, caller);
  if (!accessOfNamespace(namespace, caller).isOwner) {
    throw forbidden(undefined, 'only owners of the namespace see its subscription', 'role.owner');
  }
  return present(subscription(core, namespace.id));
}

function create({ params, caller, context }: RequestOf<typeof createParameters>) {
  const { core } = context;
  const { id } = mustFindNamespace(core, params.id, caller);
  return core.store.transaction(() => {
    if (subscriptionOf(core.store, id) !== undefined) throw badRequest('The namespace has a subscription already');
    const row = changed(subscription(core, id), params);
    writeSubscription(core.store, id, row);
    return present(row);
  });
}

function update({ params, caller, context, hasSent }: RequestOf<typeof updateParameters>) {
  const { core } = context;
  demandOneOf({ hasSent }, Object.keys(changedValues()));
  const { id } = mustFindNamespace(core, params.id, caller);
  return core.store.transaction(() => {
    const current = subscriptionOf(core.store, id);
    if (current === undefined) throw notFound('GitlabSubscription', 'the namespace has no subscription');
    const row = changed(current, params);
    writeSubscription(core.store, id, row);
    return present(row);
  });
}

/** Returns a subscription with the values of a request. */
function changed(current: SubscriptionRow, sent: ParametersOf<typeof changedValues>): SubscriptionRow {
  const day = (value: number | undefined, stored: string | null): string | null =>
    value === undefined ? stored : isoDate(value);
  const flag = <T>(value: boolean | undefined, stored: T): 0 | 1 | T => (value === undefined ? stored : value ? 1 : 0);
  return {
    plan: sent.plan_code ?? current.plan,
    seats: sent.seats ?? current.seats,
    max_seats_used: sent.max_seats_used ?? current.max_seats_used,
    start_date: day(sent.start_date, current.start_date),
    end_date: day(sent.end_date, current.end_date),
    auto_renew: flag(sent.auto_renew, current.auto_renew),
    trial: flag(sent.trial, current.trial),
    trial_ends_on: day(sent.trial_ends_on, current.trial_ends_on),
  };
}

function present(row: SubscriptionRow): ResponseOf<typeof subscriptionResponse> {
  const code = planCodes.find((one) => one === row.plan) ?? null;
  return {
    plan: {
      code,
      name: code === null ? null : plans[code],
      trial: row.trial === 1,
      auto_renew: row.auto_renew === null ? null : row.auto_renew === 1,
      upgradable: code !== null && code !== 'ultimate',
      exclude_guests: code === 'ultimate',
    },
    usage: {
      seats_in_subscription: row.seats,
      seats_in_use: 0,
      max_seats_used: row.max_seats_used,
      seats_owed: Math.max(0, row.max_seats_used - row.seats),
    },
    billing: {
      subscription_start_date: row.start_date,
      subscription_end_date: row.end_date,
      trial_ends_on: row.trial_ends_on,
    },
  };
}
