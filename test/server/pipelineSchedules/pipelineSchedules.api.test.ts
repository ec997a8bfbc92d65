import assert from 'node:assert/strict';
import { DAY, HOUR } from '../../../server/core/clock.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

interface Schedule {
  readonly id: number;
  readonly next_run_at: string;
  readonly active: boolean;
  readonly owner: { readonly username: string };
  readonly last_pipeline: { readonly id: number } | null;
  readonly variables?: readonly { readonly key: string; readonly value: string }[];
}

describe('pipeline schedules', () => {
  let server: TestServer;
  let maintainer: Actor;
  let developer: Actor;
  let reporter: Actor;
  let found: FoundProject;

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(Date.UTC(2026, 2, 14, 10, 20));
    maintainer = actor(platform, 'maintainer');
    developer = actor(platform, 'developer');
    reporter = actor(platform, 'reporter');
    found = projectWith(platform, maintainer, { name: 'Lamps', visibility: 'private' }, [
      [developer, 30],
      [reporter, 20],
    ]);
    await commitFiles(platform, found, maintainer, { 'README.md': 'Lamps\n' });
    await commitFiles(platform, found, maintainer, { topic: 'topic\n' }, { branch: 'topic', startBranch: 'main' });
  });
  afterEach(() => server.close());

  const send = (who: Actor, method: string, path = '', json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4/projects/${found.project.id}/pipeline_schedules${path}`, {
      token: who.token,
      ...(json === undefined ? {} : { json }),
    });

  async function create(who: Actor = developer, input: object = {}): Promise<Schedule> {
    const response = await send(who, 'POST', '', { description: 'Nightly', ref: 'topic', cron: '0 1 * * *', ...input });
    assert.equal(response.status, 201, response.text);
    return response.json() as Schedule;
  }
  const read = async (id: number): Promise<Schedule> => (await send(developer, 'GET', `/${id}`)).json() as Schedule;

  async function pipelines(): Promise<readonly { readonly source: string; readonly ref: string }[]> {
    const path = `/api/v4/projects/${found.project.id}/pipelines`;
    return (await server.request('GET', path, { token: developer.token })).json() as { source: string; ref: string }[];
  }

  it('a pipeline starts when the time of a schedule comes, and then the next one is due', async () => {
    const { id, next_run_at: next } = await create();
    assert.equal(next, '2026-03-15T01:00:00.000Z');
    server.platform.clock.advance(14 * HOUR);
    assert.deepEqual(await pipelines(), []);
    server.platform.clock.advance(HOUR);
    const [pipeline] = await pipelines();
    assert.deepEqual([pipeline?.source, pipeline?.ref], ['schedule', 'topic']);
    const after = await read(id);
    assert.equal(after.next_run_at, '2026-03-16T01:00:00.000Z');
    const list = (await send(developer, 'GET', `/${id}/pipelines`)).json() as { id: number }[];
    assert.deepEqual(
      list.map((one) => one.id),
      [after.last_pipeline?.id],
    );
    server.platform.clock.advance(10 * DAY);
    assert.equal((await pipelines()).length, 2);
  });

  it('no pipeline starts for an inactive schedule, for a blocked owner, or without the branch', async () => {
    await create(developer, { active: false });
    await create(maintainer, { ref: 'gone' });
    await create(developer);
    await server.request('POST', `/api/v4/users/${developer.user.id}/block`, { token: server.adminToken });
    server.platform.clock.advance(2 * DAY);
    const path = `/api/v4/projects/${found.project.id}/pipelines`;
    assert.deepEqual((await server.request('GET', path, { token: maintainer.token })).json(), []);
  });

  it('the owner changes a schedule, and a maintainer takes the ownership first', async () => {
    const { id } = await create();
    assert.equal((await send(maintainer, 'PUT', `/${id}`, { description: 'Mine' })).status, 403);
    assert.equal((await send(developer, 'POST', `/${id}/take_ownership`)).status, 201);
    const taken = await send(maintainer, 'POST', `/${id}/take_ownership`);
    assert.equal((taken.json() as Schedule).owner.username, 'maintainer');
    assert.equal((await send(developer, 'PUT', `/${id}`, { active: false })).status, 403);
    assert.equal((await send(developer, 'POST', `/${id}/take_ownership`)).status, 403);
    assert.equal((await send(developer, 'DELETE', `/${id}`)).status, 403);
    const changed = await send(maintainer, 'PUT', `/${id}`, { active: false, cron: '*/30 * * * *', cron_timezone: 'Asia/Tokyo' });
    const { active, next_run_at: next } = changed.json() as Schedule;
    assert.deepEqual([active, next], [false, '2026-03-14T10:30:00.000Z']);
    assert.equal((await send(maintainer, 'DELETE', `/${id}`)).status, 204);
    assert.equal((await send(maintainer, 'GET', `/${id}`)).status, 404);
  });

  it('reporters read schedules without variables and start nothing, and strangers see nothing', async () => {
    const { id } = await create();
    await send(developer, 'POST', `/${id}/variables`, { key: 'DEPLOY_TARGET', value: 'lamp-house' });
    const { variables } = (await send(reporter, 'GET', `/${id}`)).json() as Schedule;
    assert.equal(variables, undefined);
    assert.equal((await send(reporter, 'POST', `/${id}/play`)).status, 403);
    assert.equal((await send(reporter, 'POST', '', { description: 'x', ref: 'topic', cron: '* * * * *' })).status, 403);
    const stranger = actor(server.platform, 'stranger');
    assert.equal((await send(stranger, 'GET', `/${id}`)).status, 404);
  });

  it('play starts a pipeline now, with the variables of the schedule, unless the branch is protected from the caller', async () => {
    const { id } = await create();
    const added = await send(developer, 'POST', `/${id}/variables`, { key: 'DEPLOY_TARGET', value: 'lamp-house' });
    assert.deepEqual(added.json(), { variable_type: 'env_var', key: 'DEPLOY_TARGET', value: 'lamp-house', raw: false });
    assert.equal((await send(developer, 'POST', `/${id}/variables`, { key: 'DEPLOY_TARGET', value: 'x' })).status, 400);
    assert.equal((await send(developer, 'PUT', `/${id}/variables/DEPLOY_TARGET`, { value: 'signal-box' })).status, 200);
    const played = await send(developer, 'POST', `/${id}/play`);
    assert.deepEqual([played.status, played.json()], [201, { message: '201 Created' }]);
    const { last_pipeline: last, next_run_at: next } = await read(id);
    assert.equal(next, '2026-03-15T01:00:00.000Z');
    const path = `/api/v4/projects/${found.project.id}/pipelines/${last?.id}/variables`;
    const variables = await server.request('GET', path, { token: developer.token });
    assert.deepEqual(variables.json(), [{ variable_type: 'env_var', key: 'DEPLOY_TARGET', value: 'signal-box', raw: false }]);
    assert.equal((await send(developer, 'DELETE', `/${id}/variables/DEPLOY_TARGET`)).status, 202);
    assert.equal((await send(developer, 'DELETE', `/${id}/variables/DEPLOY_TARGET`)).status, 404);
    const guarded = await create(developer, { ref: 'refs/heads/main' });
    assert.equal((await send(developer, 'POST', `/${guarded.id}/play`)).status, 403);
    assert.equal((await send(maintainer, 'POST', `/${guarded.id}/play`)).status, 201);
  });

  it('an invalid expression, an unknown time zone and one schedule too many are refused', async () => {
    const refused = await send(developer, 'POST', '', { description: 'x', ref: 'topic', cron: 'often', cron_timezone: 'Mars' });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.json(), { message: { cron: ['is invalid syntax'], cron_timezone: ['is invalid syntax'] } });
    await server.request('PUT', '/api/v4/application/plan_limits', {
      token: server.adminToken,
      json: { plan_name: 'default', ci_pipeline_schedules: 1 },
    });
    await create();
    const second = await send(developer, 'POST', '', { description: 'x', ref: 'topic', cron: '* * * * *' });
    assert.deepEqual(second.json(), { message: { base: ['Maximum number of pipeline schedules (1) exceeded'] } });
  });
});
