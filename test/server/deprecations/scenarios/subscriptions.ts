import assert from 'node:assert/strict';
import { createGroup } from '../../../../server/features/groups/manageGroups.ts';
import { rootOf } from '../../projects/cast.ts';
import type { Scenarios } from '../stage.ts';

const pack = { number_of_minutes: 500, expires_at: '2999-01-01', purchase_xid: 'C-1' };
const addOn = { quantity: 5, started_on: '2026-01-01', expires_on: '2999-01-01', purchase_xid: 'A-1' };

/** Scenarios of the multi-tenant offering. */
export const subscriptionScenarios: Scenarios = {
  'public-subscription-endpoints': async ({ server, phase }) => {
    const { platform, adminToken: token } = server;
    const make = (path: string) => createGroup(platform, rootOf(platform), { name: path, path }).group.id;
    const [lamps, fuses] = [make('lamps'), make('fuses')];
    const ofGroup = `/api/v4/namespaces/${lamps}`;
    for (const [method, path, json, status] of [
      ['PUT', '/api/v4/user/1/credit_card_validation', { credit_card_validated_at: '2026-01-01T00:00:00Z' }, 200],
      ['POST', `${ofGroup}/minutes`, { packs: [pack] }, 201],
      ['PATCH', `${ofGroup}/minutes/move/${fuses}`, {}, 202],
      ['POST', `${ofGroup}/subscription_add_on_purchase/code_suggestions`, addOn, 201],
      ['PUT', `${ofGroup}/subscription_add_on_purchase/code_suggestions`, { ...addOn, quantity: 6 }, 200],
      ['GET', `${ofGroup}/subscription_add_on_purchase/code_suggestions`, undefined, 200],
      ['POST', `${ofGroup}/gitlab_subscription`, { start_date: '2026-01-01', plan_code: 'premium', seats: 10 }, 201],
      ['PUT', `${ofGroup}/gitlab_subscription`, { seats: 12 }, 200],
      ['PUT', ofGroup, { shared_runners_minutes_limit: 400 }, 200],
    ] as const) {
      const response = await server.request(method, path, { token, ...(json === undefined ? {} : { json }) });
      const gone = { error: '404 Not Found' };
      assert.equal(response.status, phase === 'after' ? 404 : status, `${method} ${path}: ${response.text}`);
      if (phase === 'after') assert.deepEqual(response.json(), gone);
      assert.equal(response.headers.get('deprecation') === null, phase === 'before', `${method} ${path}`);
    }
    const stored = await server.request('GET', `${ofGroup}/gitlab_subscription`, { token });
    assert.equal(stored.headers.get('deprecation'), null);
    const isSet = phase !== 'after';
    assert.partialDeepStrictEqual(stored.json(), {
      plan: { code: isSet ? 'premium' : null },
      usage: { seats_in_subscription: isSet ? 12 : 0 },
    });
    const shown = async (id: number) => (await server.request('GET', `/api/v4/namespaces/${id}`, { token })).json();
    assert.partialDeepStrictEqual(await shown(lamps), {
      plan: isSet ? 'premium' : 'free',
      shared_runners_minutes_limit: isSet ? 400 : null,
      extra_shared_runners_minutes_limit: null,
    });
    assert.partialDeepStrictEqual(await shown(fuses), { extra_shared_runners_minutes_limit: isSet ? 500 : null });
  },
};
