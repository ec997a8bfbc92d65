import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const pack = { number_of_minutes: 500, expires_at: '2999-01-01', purchase_xid: 'C-1' };
const addOn = { quantity: 5, started_on: '2026-01-01', expires_on: '2999-01-01', purchase_xid: 'A-1' };

describe('subscriptions of namespaces', () => {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;
  let lamps: FoundGroup;
  let path: string;
  beforeEach(async () => {
    server = await startTestServer({ profile: { offering: 'multi-tenant' } });
    ada = actor(server.platform, 'ada');
    bob = actor(server.platform, 'bob');
    lamps = createGroup(server.platform, ada.user, { name: 'Lamps', path: 'lamps' });
    addGroupMember(server.platform, lamps.group, bob.user, { level: 30 }, { user: ada.user });
    path = `/api/v4/namespaces/${lamps.group.id}`;
  });
  afterEach(() => server.close());

  const send = (method: string, at: string, json?: object, token = server.adminToken) =>
    server.request(method, at, { token, ...(json === undefined ? {} : { json }) });

  it('a subscription is created once, changed in part, and shown to owners', async () => {
    const given = { start_date: '2026-01-01', end_date: '2027-01-01', plan_code: 'premium', seats: 10, max_seats_used: 12 };
    assert.equal((await send('POST', `${path}/gitlab_subscription`, given)).status, 201);
    assert.equal((await send('POST', `${path}/gitlab_subscription`, given)).status, 400);
    assert.equal((await send('PUT', `${path}/gitlab_subscription`, { trial: true, trial_ends_on: '2026-02-01' })).status, 200);
    const shown = await send('GET', `${path}/gitlab_subscription`, undefined, ada.token);
    assert.deepEqual(shown.json(), {
      plan: { code: 'premium', name: 'Premium', trial: true, auto_renew: null, upgradable: true, exclude_guests: false },
      usage: { seats_in_subscription: 10, seats_in_use: 0, max_seats_used: 12, seats_owed: 2 },
      billing: { subscription_start_date: '2026-01-01', subscription_end_date: '2027-01-01', trial_ends_on: '2026-02-01' },
    });
    assert.equal((await send('GET', `${path}/gitlab_subscription`, undefined, bob.token)).status, 403);
    const namespace = (await send('GET', path, undefined, ada.token)).json() as object;
    assert.partialDeepStrictEqual(namespace, { plan: 'premium', trial: true, trial_ends_on: '2026-02-01' });
    assert.ok(!Object.hasOwn(namespace, 'shared_runners_minutes_limit'));
    assert.ok(!Object.hasOwn((await send('GET', path, undefined, bob.token)).json() as object, 'plan'));
  });

  it('minutes are purchased once per purchase, moved, and shown to administrators until they expire', async () => {
    const fuses = createGroup(server.platform, ada.user, { name: 'Fuses', path: 'fuses' });
    const old = { ...pack, expires_at: '2001-01-01', purchase_xid: 'C-0' };
    const made = await send('POST', `${path}/minutes`, { packs: [pack, old] });
    assert.deepEqual(made.json(), [
      { namespace_id: lamps.group.id, ...pack },
      { namespace_id: lamps.group.id, ...old },
    ]);
    await send('POST', `${path}/minutes`, { packs: [pack] });
    const extra = async (id: number): Promise<unknown> =>
      ((await send('GET', `/api/v4/namespaces/${id}`)).json() as Record<string, unknown>)['extra_shared_runners_minutes_limit'];
    assert.equal(await extra(lamps.group.id), 500);
    const moved = await send('PATCH', `${path}/minutes/move/${fuses.group.id}`);
    assert.deepEqual([moved.status, moved.json()], [202, { message: '202 Accepted' }]);
    assert.deepEqual([await extra(lamps.group.id), await extra(fuses.group.id)], [null, 500]);
    assert.partialDeepStrictEqual((await send('PUT', path, { extra_shared_runners_minutes_limit: 7 })).json(), {
      extra_shared_runners_minutes_limit: 7,
    });
  });

  it('add-ons are created, changed and shown', async () => {
    const at = `${path}/subscription_add_on_purchase/code_suggestions`;
    assert.equal((await send('GET', at)).status, 404);
    assert.equal((await send('PUT', at, addOn)).status, 400);
    assert.equal((await send('POST', at, addOn)).status, 201);
    const again = await send('POST', at, addOn);
    assert.deepEqual(again.json(), {
      message:
        '400 Bad request - Add-on purchase for namespace Lamps and add-on GitLab Duo Pro already exists, update the existing record',
    });
    const { started_on, expires_on } = addOn;
    assert.equal((await send('PUT', at, { started_on, expires_on, quantity: 6, trial: true })).status, 200);
    assert.deepEqual((await send('GET', at)).json(), {
      namespace_id: lamps.group.id,
      namespace_name: 'Lamps',
      add_on: 'GitLab Duo Pro',
      ...addOn,
      quantity: 6,
      trial: true,
    });
  });

  it('invalid values are refused with the name of the parameter', async () => {
    for (const [method, at, json, error] of [
      ['POST', `${path}/minutes`, {}, 'packs is missing'],
      ['POST', `${path}/minutes`, { packs: [{ number_of_minutes: 1 }] }, 'packs is invalid'],
      ['POST', `${path}/minutes`, { packs: 'many' }, 'packs is invalid'],
      ['POST', `${path}/gitlab_subscription`, {}, 'start_date is missing'],
      ['POST', `${path}/gitlab_subscription`, { start_date: '2026-01-01', seats: -1 }, 'seats is invalid'],
      ['PUT', '/api/v4/user/1/credit_card_validation', {}, 'credit_card_validated_at is missing'],
      [
        'PUT',
        path,
        {},
        'shared_runners_minutes_limit, extra_shared_runners_minutes_limit, additional_purchased_storage_size, additional_purchased_storage_ends_on are missing, at least one parameter must be provided',
      ],
      [
        'PUT',
        `${path}/gitlab_subscription`,
        { unknown: 1 },
        'start_date, end_date, plan_code, seats, max_seats_used, auto_renew, trial, trial_ends_on are missing, at least one parameter must be provided',
      ],
      ['GET', `${path}/subscription_add_on_purchase/pigeons`, undefined, 'add_on_name does not have a valid value'],
    ] as const) {
      const response = await send(method, at, json);
      assert.deepEqual([response.status, response.json()], [400, { error }], `${method} ${at}`);
    }
    assert.equal((await send('PUT', '/api/v4/namespaces/1000', { shared_runners_minutes_limit: 1 })).status, 404);
    assert.equal((await send('PATCH', `${path}/minutes/move/1000`)).status, 404);
    assert.equal((await send('PATCH', `${path}/minutes/move/lamps`)).status, 400);
    assert.equal((await send('PUT', `${path}/gitlab_subscription`, { seats: 1 })).status, 404);
  });

  it('only administrators change something, and other offerings have none of it', async () => {
    assert.equal((await send('PUT', path, { shared_runners_minutes_limit: 1 }, ada.token)).status, 403);
    assert.equal((await send('POST', `${path}/minutes`, { packs: [pack] }, ada.token)).status, 403);
    await using own = await startTestServer();
    const token = own.adminToken;
    assert.equal((await own.request('GET', '/api/v4/namespaces/1/gitlab_subscription', { token })).status, 404);
    const namespace = (await own.request('GET', '/api/v4/namespaces/1', { token })).json() as object;
    assert.ok(!Object.hasOwn(namespace, 'plan'));
  });
});
