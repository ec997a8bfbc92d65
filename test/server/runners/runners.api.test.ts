import assert from 'node:assert/strict';
import { DAY, HOUR } from '../../../server/core/clock.ts';
import { registrationToken, type TokenOwner } from '../../../server/features/registrationTokens/registrationTokens.ts';
import { registerRunner, type RunnerInput } from '../../../server/features/runners/manageRunners.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { createProject, deleteProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const START = Date.UTC(2026, 0, 10);

describe('runners', () => {
  let server: TestServer;
  let ada: Actor;
  let mia: Actor;
  let dev: Actor;
  let crew: FoundGroup;
  let lamps: FoundProject;
  let boats: FoundProject;
  let now: number;

  beforeEach(async () => {
    now = START;
    server = await startTestServer({ profile: { release: '18.0' }, systemNow: () => now });
    const { platform } = server;
    [ada, mia, dev] = [actor(platform, 'ada'), actor(platform, 'mia'), actor(platform, 'dev')];
    crew = createGroup(platform, ada.user, { name: 'Crew', path: 'crew' });
    addGroupMember(platform, crew.group, mia.user, { level: 40 }, { user: ada.user });
    const inner = createGroup(platform, ada.user, { name: 'Inner', path: 'inner', parent: crew });
    lamps = projectWith(platform, ada, { name: 'Lamps' }, [
      [mia, 40],
      [dev, 30],
    ]);
    boats = createProject(platform, ada.user, { name: 'Boats', namespaceId: inner.group.id });
  });
  afterEach(() => server.close());

  const send = (method: string, at: string, who: Pick<Actor, 'token'>, json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4/${at}`, { token: who.token, ...(json === undefined ? {} : { json }) });
  const admin = (): Pick<Actor, 'token'> => ({ token: server.adminToken });
  const add = (owner: TokenOwner, input: RunnerInput = {}): { readonly id: number; readonly token: string } => {
    const { runner, token } = registerRunner(server.platform, registrationToken(server.platform, owner), input, {});
    return { id: runner.id, token };
  };
  const ofInstance: TokenOwner = { kind: 'instance', id: 0 };
  const ofLamps = (): TokenOwner => ({ kind: 'project', id: lamps.project.id });
  const ofBoats = (): TokenOwner => ({ kind: 'project', id: boats.project.id });
  const ofCrew = (): TokenOwner => ({ kind: 'group', id: crew.group.id });
  const listed = async (at: string, who: Pick<Actor, 'token'>): Promise<number[]> => {
    const response = await send('GET', at, who);
    assert.equal(response.status, 200, response.text);
    return (response.json() as { id: number }[]).map(({ id }) => id);
  };
  const refusal = async (method: string, at: string, who: Pick<Actor, 'token'>, json?: object): Promise<unknown[]> => {
    const response = await send(method, at, who, json);
    return [response.status, (response.json() as { message?: unknown }).message];
  };

  it('lists the runners that the caller manages, all for administrators, and those that a project or group can use', async () => {
    const [shared, lamp, boat, group] = [add(ofInstance).id, add(ofLamps()).id, add(ofBoats()).id, add(ofCrew()).id];
    assert.deepEqual(await listed('runners', ada), [lamp, boat, group]);
    assert.deepEqual(await listed('runners', mia), [lamp, boat]);
    assert.deepEqual(await listed('runners', dev), []);
    assert.deepEqual(await listed('runners/all', admin()), [shared, lamp, boat, group]);
    assert.equal((await send('GET', 'runners/all', ada)).status, 403);
    assert.deepEqual(await listed(`projects/${lamps.project.id}/runners`, mia), [shared, lamp]);
    assert.deepEqual(await listed(`projects/${boats.project.id}/runners`, ada), [shared, boat, group]);
    assert.equal((await send('GET', `projects/${lamps.project.id}/runners`, dev)).status, 403);
    assert.deepEqual(await listed(`groups/${crew.group.id}/runners`, mia), [shared, group]);
    assert.equal((await send('GET', `groups/${crew.group.id}/runners`, dev)).status, 404);
  });

  it('filters lists by type, pause, tags and status', async () => {
    const shared = add(ofInstance, { tags: ['red', 'green'] });
    const lamp = add(ofLamps(), { tags: ['red'], paused: true });
    const verify = (token: string): Promise<TestResponse> =>
      server.request('POST', '/api/v4/runners/verify', { json: { token } });
    const all = (query: string): Promise<number[]> => listed(`runners/all?${query}`, admin());
    assert.deepEqual(await all('type=project_type'), [lamp.id]);
    assert.deepEqual(await all('paused=true'), [lamp.id]);
    assert.deepEqual(await all('paused=false'), [shared.id]);
    assert.deepEqual(await all('tag_list=red'), [shared.id, lamp.id]);
    assert.deepEqual(await all('tag_list=red,green'), [shared.id]);
    assert.deepEqual(await all('status=never_contacted'), [shared.id, lamp.id]);
    assert.deepEqual(await all('status=active'), [shared.id]);
    await verify(shared.token);
    await verify(lamp.token);
    assert.deepEqual(await all('status=online'), [shared.id, lamp.id]);
    now += 2 * HOUR;
    assert.deepEqual(await all('status=online'), []);
    assert.deepEqual(await all('status=offline'), [shared.id, lamp.id]);
    now = START + 7 * DAY - 1;
    assert.deepEqual(await all('status=stale'), []);
    now = START + 7 * DAY;
    assert.deepEqual(await all('status=stale'), [shared.id, lamp.id]);
    assert.deepEqual(await all('status=offline'), []);
    assert.equal((await send('GET', 'runners/all?status=lit', admin())).status, 400);
  });

  it('shows the status of a paused runner as paused while it is in contact', async () => {
    const { id, token } = add(ofInstance, { paused: true });
    const shown = async (): Promise<unknown> => (await send('GET', `runners/${id}`, dev)).json();
    assert.partialDeepStrictEqual(await shown(), { paused: true, active: false, online: null, status: 'never_contacted' });
    await server.request('POST', '/api/v4/runners/verify', { json: { token } });
    assert.partialDeepStrictEqual(await shown(), { online: true, status: 'paused', contacted_at: '2026-01-10T00:00:00.000Z' });
    now += 8 * DAY;
    assert.partialDeepStrictEqual(await shown(), { online: false, status: 'stale' });
  });

  it('shows and changes a runner for those who manage it, and the maintenance note to nobody else', async () => {
    const shared = add(ofInstance, { maintenanceNote: 'in the cellar' });
    const lamp = add(ofLamps());
    const group = add(ofCrew());
    const note = async (who: Pick<Actor, 'token'>): Promise<unknown> =>
      ((await send('GET', `runners/${shared.id}`, who)).json() as { maintenance_note: unknown }).maintenance_note;
    assert.equal(await note(admin()), 'in the cellar');
    assert.equal(await note(ada), null);
    const noAccess = [403, '403 Forbidden - No access granted'];
    assert.deepEqual(await refusal('GET', `runners/${lamp.id}`, dev), noAccess);
    assert.deepEqual(await refusal('PUT', `runners/${shared.id}`, ada, { paused: true }), noAccess);
    assert.deepEqual(await refusal('PUT', `runners/${group.id}`, mia, { paused: true }), noAccess);
    assert.deepEqual(await refusal('DELETE', `runners/${group.id}`, mia), noAccess);
    assert.deepEqual(await refusal('POST', `runners/${lamp.id}/reset_authentication_token`, dev), noAccess);
    assert.deepEqual(await refusal('GET', 'runners/4711', ada), [404, '404 Runner Not Found']);
    const changes = { description: 'Lamp', tag_list: 'red,green', run_untagged: false, locked: true, maximum_timeout: 900 };
    const changed = await send('PUT', `runners/${lamp.id}`, mia, changes);
    assert.equal(changed.status, 200, changed.text);
    assert.partialDeepStrictEqual(changed.json(), { ...changes, tag_list: ['red', 'green'] });
    const cleared = await send('PUT', `runners/${lamp.id}`, mia, { maximum_timeout: null, active: false });
    assert.partialDeepStrictEqual(cleared.json(), { maximum_timeout: null, paused: true, description: 'Lamp' });
    const untagged = await send('PUT', `runners/${lamp.id}`, mia, { tag_list: [] });
    assert.deepEqual(untagged.json(), {
      message: { tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'] },
    });
    assert.equal((await send('PUT', `runners/${lamp.id}`, mia, {})).status, 400);
    assert.equal((await send('DELETE', `runners/${group.id}`, ada)).status, 204);
    assert.equal((await send('GET', `runners/${group.id}`, ada)).status, 404);
  });

  it('replaces the authentication token of a runner', async () => {
    const { id, token } = add(ofLamps());
    const response = await send('POST', `runners/${id}/reset_authentication_token`, mia);
    assert.equal(response.status, 201, response.text);
    const { token: next } = response.json() as { token: string };
    const status = async (sent: string): Promise<number> =>
      (await server.request('POST', '/api/v4/runners/verify', { json: { token: sent } })).status;
    assert.deepEqual([await status(token), await status(next)], [403, 200]);
  });

  it('assigns project runners to other projects and takes them away again', async () => {
    const lamp = add(ofLamps());
    const inBoats = `projects/${boats.project.id}/runners`;
    const assigned = await send('POST', inBoats, ada, { runner_id: lamp.id });
    assert.equal(assigned.status, 201, assigned.text);
    assert.deepEqual(await listed(inBoats, ada), [lamp.id]);
    assert.deepEqual(await refusal('POST', inBoats, ada, { runner_id: lamp.id }), [
      400,
      '400 Bad request - Runner has already been taken',
    ]);
    assert.deepEqual(await refusal('DELETE', `runners/${lamp.id}`, ada), [
      403,
      '403 Forbidden - Runner associated with more than one project',
    ]);
    assert.deepEqual(await refusal('DELETE', `projects/${lamps.project.id}/runners/${lamp.id}`, ada), [
      403,
      '403 Forbidden - You cannot unassign a runner from the owner project. Delete the runner instead',
    ]);
    assert.equal((await send('DELETE', `${inBoats}/${lamp.id}`, ada)).status, 204);
    assert.deepEqual(await refusal('DELETE', `${inBoats}/${lamp.id}`, ada), [404, '404 Runner Not Found']);
    assert.equal((await send('DELETE', `runners/${lamp.id}`, ada)).status, 204);
  });

  it('refuses to assign runners of groups and of the instance, locked ones, and those of strangers', async () => {
    const inLamps = `projects/${lamps.project.id}/runners`;
    const assigning = (id: number, who: Pick<Actor, 'token'> = mia): Promise<unknown[]> =>
      refusal('POST', inLamps, who, { runner_id: id });
    const other = createProject(server.platform, ada.user, { name: 'Other' });
    const stranger = add({ kind: 'project', id: other.project.id });
    assert.deepEqual(await assigning(add(ofCrew()).id), [403, '403 Forbidden - Runner is a group runner']);
    assert.deepEqual(await assigning(add(ofBoats(), { locked: true }).id), [403, '403 Forbidden - Runner is locked']);
    assert.deepEqual(await assigning(stranger.id), [403, '403 Forbidden - No access granted']);
    assert.deepEqual(await assigning(add(ofInstance).id, admin()), [400, '400 Bad request - Runner is an instance runner']);
    assert.deepEqual(await assigning(4711), [404, '404 Runner Not Found']);
    assert.equal((await send('POST', inLamps, dev, { runner_id: stranger.id })).status, 403);
  });

  it('a deleted project takes its registration token along', async () => {
    const token = registrationToken(server.platform, ofBoats());
    assert.equal((await server.request('POST', '/api/v4/runners', { json: { token } })).status, 201);
    deleteProject(server.platform, boats.project);
    const response = await server.request('POST', '/api/v4/runners', { json: { token } });
    assert.equal(response.status, 403, response.text);
  });
});
