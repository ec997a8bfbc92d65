import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

interface Issued {
  readonly id: number;
  readonly token: string;
}

describe('registration of runners', () => {
  let server: TestServer;
  let ada: Actor;
  let mia: Actor;
  let dev: Actor;
  let crew: FoundGroup;
  let lamps: FoundProject;

  before(async () => {
    server = await startTestServer({ profile: { release: '18.0' } });
    const { platform } = server;
    [ada, mia, dev] = [actor(platform, 'ada'), actor(platform, 'mia'), actor(platform, 'dev')];
    crew = createGroup(platform, ada.user, { name: 'Crew', path: 'crew' });
    addGroupMember(platform, crew.group, mia.user, { level: 40 }, { user: ada.user });
    lamps = projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [
      [mia, 40],
      [dev, 30],
    ]);
  });
  after(() => server.close());

  const send = (method: string, at: string, token: string | undefined, json: object = {}): Promise<TestResponse> =>
    server.request(method, `/api/v4/${at}`, {
      ...(token === undefined ? {} : { token }),
      ...(method === 'GET' || method === 'DELETE' ? {} : { json }),
    });
  const shownToken = async (at: string, who: Actor): Promise<string | undefined> =>
    ((await send('GET', at, who.token)).json() as { runners_token?: string }).runners_token;
  const register = async (token: string, more: object = {}): Promise<Issued> => {
    const response = await send('POST', 'runners', undefined, { token, ...more });
    assert.equal(response.status, 201, response.text);
    return response.json() as Issued;
  };
  const create = async (json: object, who = ada): Promise<Issued> => {
    const response = await send('POST', 'user/runners', who.token, json);
    assert.equal(response.status, 201, response.text);
    return response.json() as Issued;
  };
  const inLamps = (): string => `projects/${lamps.project.id}`;
  const inCrew = (): string => `groups/${crew.group.id}`;

  it('registers a runner of the project or group to which a token belongs', async () => {
    const ofProject = await shownToken(inLamps(), mia);
    const ofGroup = await shownToken(inCrew(), ada);
    assert.ok(ofProject !== undefined && ofGroup !== undefined);
    for (const token of [ofProject, ofGroup]) assert.match(token, /^GR1348941[\w-]{20,}$/);
    const lamp = await register(ofProject, { description: 'Lamp runner', info: { name: 'lamp', version: '18.0.0' } });
    const shown = (await send('GET', `runners/${lamp.id}`, mia.token)).json();
    assert.partialDeepStrictEqual(shown, {
      description: 'Lamp runner',
      runner_type: 'project_type',
      is_shared: false,
      name: 'lamp',
      version: '18.0.0',
      status: 'never_contacted',
      projects: [{ id: lamps.project.id }],
      groups: [],
    });
    const boat = await register(ofGroup);
    const ofCrew = (await send('GET', `runners/${boat.id}`, ada.token)).json();
    assert.partialDeepStrictEqual(ofCrew, { runner_type: 'group_type', projects: [], groups: [{ id: crew.group.id }] });
  });

  it('shows registration tokens to those who can reset them only', async () => {
    assert.equal(await shownToken(inLamps(), dev), undefined);
    assert.equal(await shownToken(inCrew(), mia), undefined);
    assert.equal((await send('POST', `${inLamps()}/runners/reset_registration_token`, dev.token)).status, 403);
    assert.equal((await send('POST', `${inCrew()}/runners/reset_registration_token`, mia.token)).status, 403);
    assert.equal((await send('POST', 'runners/reset_registration_token', ada.token)).status, 403);
  });

  it('accepts only the token of the last reset', async () => {
    const former = [await shownToken(inLamps(), mia)];
    for (let round = 0; round < 2; round += 1) {
      const reset = await send('POST', `${inLamps()}/runners/reset_registration_token`, mia.token);
      former.push((reset.json() as Issued).token);
    }
    const token = former.pop() ?? '';
    assert.equal(await shownToken(inLamps(), mia), token);
    for (const sent of former) {
      const refused = await send('POST', 'runners', undefined, { token: sent });
      assert.equal(refused.status, 403);
      assert.deepEqual(refused.json(), { message: '403 Forbidden - invalid token supplied' });
    }
    await register(token);
  });

  it('refuses tokens that were changed, and authentication tokens', async () => {
    const token = (await shownToken(inLamps(), mia)) ?? '';
    const { token: own } = await register(token);
    const changed = [...token].map(
      (letter, index) => token.slice(0, index) + (letter === 'A' ? 'B' : 'A') + token.slice(index + 1),
    );
    for (const sent of [...changed, token.slice(0, -1), `${token}A`, own, 'lamp']) {
      assert.equal((await send('POST', 'runners', undefined, { token: sent })).status, 403, `${changed.indexOf(sent)}`);
    }
  });

  it('refuses invalid attributes of runners', async () => {
    const token = (await shownToken(inLamps(), mia)) ?? '';
    const cases: readonly (readonly [object, unknown])[] = [
      [{ maximum_timeout: 599 }, { maximum_timeout: ['needs to be at least 10 minutes'] }],
      [{ run_untagged: false }, { tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'] }],
      [{ maintenance_note: 'x'.repeat(1025) }, { maintenance_note: ['is too long (maximum is 1024 characters)'] }],
    ];
    for (const [json, message] of cases) {
      const response = await send('POST', 'runners', undefined, { token, ...json });
      assert.equal(response.status, 400, response.text);
      assert.deepEqual(response.json(), { message });
    }
    const both = await send('POST', 'runners', undefined, { token, active: true, paused: true });
    assert.deepEqual(both.json(), { error: 'active, paused are mutually exclusive' });
    const created = await send('POST', 'user/runners', server.adminToken, { runner_type: 'instance_type', maximum_timeout: 1 });
    assert.equal(created.status, 400);
    assert.deepEqual(created.json(), { message: '400 Bad request - Maximum timeout needs to be at least 10 minutes' });
  });

  it('creates runners for those who manage the instance, the group or the project', async () => {
    const ofProject = { runner_type: 'project_type', project_id: lamps.project.id };
    const ofGroup = { runner_type: 'group_type', group_id: crew.group.id };
    const refused = { message: '403 Forbidden - Insufficient permissions' };
    for (const [json, who] of [
      [ofProject, dev],
      [ofGroup, mia],
      [{ runner_type: 'instance_type' }, ada],
    ] as const) {
      const response = await send('POST', 'user/runners', who.token, json);
      assert.equal(response.status, 403);
      assert.deepEqual(response.json(), refused);
    }
    assert.match((await create(ofProject, mia)).token, /^glrt-[\w-]{20}$/);
    await create(ofGroup, ada);
    assert.equal((await send('POST', 'user/runners', server.adminToken, { runner_type: 'instance_type' })).status, 201);
    const hidden = await send('POST', 'user/runners', dev.token, { runner_type: 'group_type', group_id: 4711 });
    assert.deepEqual(hidden.json(), { message: '400 Bad request - Missing/invalid scope' });
    const missing = await send('POST', 'user/runners', ada.token, { runner_type: 'group_type' });
    assert.deepEqual(missing.json(), { error: 'group_id is missing' });
    assert.equal((await send('POST', 'user/runners', undefined, { runner_type: 'instance_type' })).status, 401);
  });

  it('authenticates runners by their token, and records their contact', async () => {
    const { id, token } = await create({ runner_type: 'project_type', project_id: lamps.project.id });
    const info = { name: 'lamp', version: '18.1.0', platform: 'linux' };
    const verified = await send('POST', 'runners/verify', undefined, { token, info });
    assert.equal(verified.status, 200, verified.text);
    assert.deepEqual(verified.json(), { id, token, token_expires_at: null });
    const shown = (await send('GET', `runners/${id}`, ada.token)).json();
    assert.partialDeepStrictEqual(shown, { online: true, status: 'online', version: '18.1.0', platform: 'linux' });
    const replaced = await send('POST', 'runners/reset_authentication_token', undefined, { token });
    assert.equal(replaced.status, 201, replaced.text);
    const { token: next } = replaced.json() as Issued;
    const former = await send('POST', 'runners/verify', undefined, { token });
    assert.equal(former.status, 403);
    assert.deepEqual(former.json(), { message: '403 Forbidden' });
    assert.equal((await send('DELETE', `runners?token=${token}`, undefined)).status, 403);
    assert.equal((await send('DELETE', `runners?token=${next}`, undefined)).status, 204);
    assert.equal((await send('GET', `runners/${id}`, ada.token)).status, 404);
  });

  it('keeps no token in clear in the database', async () => {
    const registration = (await shownToken(inLamps(), mia)) ?? '';
    const { token } = await register(registration);
    const rows = ['runners', 'runner_registration_tokens'].map((table) =>
      JSON.stringify(server.platform.store.all(`SELECT * FROM ${table}`)),
    );
    for (const secret of [registration, token]) assert.ok(!rows.join('').includes(secret));
  });
});
