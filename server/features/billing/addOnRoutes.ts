import { isoDate } from '../../core/clock.ts';
import { badRequest, nothingFound } from '../../core/errors.ts';
import {
  boolean,
  checked,
  date,
  fallback,
  filled,
  integer,
  oneOf,
  type Parameter,
  required,
  string,
  type ParametersOf,
} from '../../http/params.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { administratorRoute, type Route, type SignedInRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { addOnNames, type AddOnName, addOns, billing } from './namespaceBilling.ts';
import { mustFindNamespace } from '../groups/groups.ts';
import { addOnResponse } from './responses.ts';
import { type AddOnRow, addOnOf, writeAddOn } from './store.ts';

const quantity = (): Parameter<number> => checked(required(integer), (value) => value >= 0, 'is invalid');

const metadata = {
  ...billing,
  specRef: 'Subscriptions',
  status: 'inferred',
  key: 'id',
  path: '/api/v4/namespaces/:id/subscription_add_on_purchase/:add_on_name',
  deprecation: 'public-subscription-endpoints',
  body: addOnResponse,
} as const;

const names = () => ({ id: required(string), add_on_name: required(oneOf(addOnNames)) });

const present = (
  namespace: { readonly id: number; readonly name: string },
  name: AddOnName,
  row: AddOnRow,
): ResponseOf<typeof addOnResponse> => ({
  namespace_id: namespace.id,
  namespace_name: namespace.name,
  add_on: addOns[name],
  ...row,
  trial: row.trial === 1,
});

const subject = (name: AddOnName, namespace: { readonly name: string }): string =>
  `Add-on purchase for namespace ${namespace.name} and add-on ${addOns[name]}`;

const addAddOnParameters = () => ({
  ...names(),
  quantity: quantity(),
  started_on: required(date),
  expires_on: required(date),
  purchase_xid: filled(),
  trial: fallback(false, boolean),
});

const changeAddOnParameters = () => ({
  ...names(),
  started_on: required(date),
  expires_on: required(date),
  quantity: checked(integer(), (value) => value === undefined || value >= 0, 'is invalid'),
  purchase_xid: string(),
  trial: boolean(),
});

/** Returns the routes of purchased add-ons. */
export function addOnRoutes(core: Core): Route[] {
  return [
    administratorRoute({ ...metadata, method: 'GET', params: names }, (request) => showAddOn(core, request)),
    administratorRoute({ ...metadata, method: 'POST', params: addAddOnParameters }, (request) => addAddOn(core, request)),
    administratorRoute({ ...metadata, method: 'PUT', params: changeAddOnParameters }, (request) => changeAddOn(core, request)),
  ];
}

function showAddOn(core: Core, { params, caller }: SignedInRequest<ParametersOf<typeof names>>): unknown {
  const namespace = mustFindNamespace(core, params.id, caller);
  const row = addOnOf(core.store, namespace.id, params.add_on_name);
  if (row === undefined) throw nothingFound('the namespace has not purchased this add-on');
  return present(namespace, params.add_on_name, row);
}

function addAddOn(core: Core, { params, caller }: SignedInRequest<ParametersOf<typeof addAddOnParameters>>): unknown {
  const namespace = mustFindNamespace(core, params.id, caller);
  const { add_on_name: name, started_on, expires_on, purchase_xid, trial } = params;
  return core.store.transaction(() => {
    if (addOnOf(core.store, namespace.id, name) !== undefined) {
      throw badRequest(`${subject(name, namespace)} already exists, update the existing record`);
    }
    const row: AddOnRow = {
      quantity: params.quantity,
      started_on: isoDate(started_on),
      expires_on: isoDate(expires_on),
      purchase_xid,
      trial: trial ? 1 : 0,
    };
    writeAddOn(core.store, namespace.id, name, row);
    return present(namespace, name, row);
  });
}

function changeAddOn(core: Core, { params, caller }: SignedInRequest<ParametersOf<typeof changeAddOnParameters>>): unknown {
  const namespace = mustFindNamespace(core, params.id, caller);
  const { add_on_name: name, started_on, expires_on, trial } = params;
  return core.store.transaction(() => {
    const current = addOnOf(core.store, namespace.id, name);
    if (current === undefined) {
      throw badRequest(`${subject(name, namespace)} does not exist, use the POST endpoint instead`);
    }
    const row: AddOnRow = {
      quantity: params.quantity ?? current.quantity,
      started_on: isoDate(started_on),
      expires_on: isoDate(expires_on),
      purchase_xid: params.purchase_xid ?? current.purchase_xid,
      trial: trial === undefined ? current.trial : trial ? 1 : 0,
    };
    writeAddOn(core.store, namespace.id, name, row);
    return present(namespace, name, row);
  });
}
