import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createJob, createPipeline, startOf } from '../../../server/features/pipelines/managePipelines.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

describe('CI/CD variables', () => {
  let server: TestServer;
  let owner: Actor;
  let developer: Actor;
  let groupId: number;
  let found: FoundProject;

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    owner = actor(platform, 'owner');
    developer = actor(platform, 'developer');
    groupId = createGroup(platform, owner.user, { name: 'Works', path: 'works' }).group.id;
    found = projectWith(platform, owner, { name: 'Lamps', namespaceId: groupId }, [[developer, 30]]);
  });
  afterEach(() => server.close());

  const send = (who: Actor, method: string, path: string, json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4${path}`, { token: who.token, ...(json === undefined ? {} : { json }) });
  const inProject = (path = ''): string => `/projects/${found.project.id}/variables${path}`;
  const inGroup = (path = ''): string => `/groups/${groupId}/variables${path}`;

  it('a variable is created, listed, changed and deleted, and its value is stored sealed', async () => {
    for (const path of [inProject, inGroup]) {
      const input = { key: 'DEPLOY_TARGET', value: 'lamp-house-secret', protected: true, masked: true, description: 'Where' };
      const created = await send(owner, 'POST', path(), input);
      const expected = {
        ...input,
        variable_type: 'env_var',
        hidden: false,
        raw: false,
        environment_scope: '*',
      };
      assert.deepEqual([created.status, created.json()], [201, expected]);
      assert.deepEqual((await send(owner, 'GET', path())).json(), [expected]);
      const changed = await send(owner, 'PUT', path('/DEPLOY_TARGET'), {
        value: 'signal-box',
        variable_type: 'file',
        protected: false,
      });
      assert.deepEqual(changed.json(), { ...expected, value: 'signal-box', variable_type: 'file', protected: false });
      assert.partialDeepStrictEqual((await send(owner, 'PUT', path('/DEPLOY_TARGET'), { value: 'very-bright' })).json(), {
        value: 'very-bright',
      });
      assert.equal((await send(owner, 'PUT', path('/DEPLOY_TARGET'), {})).status, 400);
      const rows = JSON.stringify(server.platform.store.all('SELECT * FROM ci_variables'));
      assert.doesNotMatch(rows, /signal-box|lamp-house|very-bright/);
      assert.equal((await send(owner, 'DELETE', path('/DEPLOY_TARGET'))).status, 204);
    }
    const missing = await send(owner, 'GET', inProject('/DEPLOY_TARGET'));
    assert.deepEqual([missing.status, missing.json()], [404, { message: '404 Variable Not Found' }]);
    assert.deepEqual((await send(owner, 'GET', inGroup('/DEPLOY_TARGET'))).json(), { message: '404 GroupVariable Not Found' });
  });

  it('a hidden variable is masked, and its value is never returned', async () => {
    const created = await send(owner, 'POST', inProject(), { key: 'HIDDEN', value: 'lamp-house', masked_and_hidden: true });
    const { value, masked, hidden } = created.json() as { value: null; masked: boolean; hidden: boolean };
    assert.deepEqual([value, masked, hidden], [null, true, true]);
    assert.doesNotMatch((await send(owner, 'GET', inProject())).text, /lamp-house/);
  });

  it('the scope of environments distinguishes variables with the same key', async () => {
    const add = (environment_scope: string): Promise<TestResponse> =>
      send(owner, 'POST', inProject(), { key: 'TARGET', value: environment_scope, environment_scope });
    assert.equal((await add('*')).status, 201);
    assert.equal((await add('production')).status, 201);
    assert.deepEqual((await add('production')).json(), { message: { key: ['(TARGET) has already been taken'] } });
    assert.equal((await send(owner, 'GET', inProject('/TARGET'))).status, 409);
    const one = await send(owner, 'GET', inProject('/TARGET?filter[environment_scope]=production'));
    assert.equal((one.json() as { value: string }).value, 'production');
  });

  it('invalid keys and values that cannot be masked are refused', async () => {
    const add = (input: object): Promise<TestResponse> => send(owner, 'POST', inProject(), { key: 'K', value: 'v', ...input });
    assert.deepEqual((await add({ key: 'a-b' })).json(), { message: { key: ["can contain only letters, digits and '_'."] } });
    assert.deepEqual((await add({ masked: true, value: 'short' })).json(), { message: { value: ['is invalid'] } });
    assert.equal((await add({ masked: true, value: 'with $dollars' })).status, 400);
    assert.equal((await add({ masked: true, raw: true, value: 'with$dollars' })).status, 201);
  });

  it('only maintainers see the variables of a project, and only owners those of a group', async () => {
    assert.equal((await send(developer, 'GET', inProject())).status, 403);
    assert.equal((await send(developer, 'POST', inProject(), { key: 'K', value: 'v' })).status, 403);
    const maintainer = actor(server.platform, 'maintainer');
    await send(owner, 'POST', `/groups/${groupId}/members`, { user_id: maintainer.user.id, access_level: 40 });
    assert.equal((await send(maintainer, 'GET', inProject())).status, 200);
    assert.equal((await send(maintainer, 'GET', inGroup())).status, 403);
  });

  it('the value of a variable in a query does not reach the request log', async () => {
    await send(owner, 'POST', `${inProject()}?key=TARGET&value=lamp-house-secret`);
    assert.doesNotMatch(JSON.stringify(server.platform.requestLog.list(10)), /lamp-house/);
  });

  it('a pipeline keeps the variables it was started with, for maintainers and for whoever started it', async () => {
    await commitFiles(server.platform, found, owner, { 'README.md': 'Lamps\n' });
    await commitFiles(server.platform, found, owner, { topic: 'x' }, { branch: 'topic', startBranch: 'main' });
    const started = await send(owner, 'POST', `/projects/${found.project.id}/pipeline`, {
      ref: 'topic',
      variables: [{ key: 'TARGET', value: 'lamp-house', variable_type: 'file' }],
    });
    assert.equal(started.status, 201, started.text);
    const path = `/projects/${found.project.id}/pipelines/${(started.json() as { id: number }).id}/variables`;
    const expected = [{ variable_type: 'file', key: 'TARGET', value: 'lamp-house', raw: false }];
    assert.deepEqual((await send(owner, 'GET', path)).json(), expected);
    assert.equal((await send(developer, 'GET', path)).status, 403);
  });

  it('a job forwards variables only to whoever could have started its pipeline', async () => {
    const { platform } = server;
    await commitFiles(platform, found, owner, { 'README.md': 'Lamps\n' });
    await commitFiles(platform, found, owner, { topic: 'x' }, { branch: 'topic', startBranch: 'main' });
    await send(owner, 'POST', inProject(), { key: 'GUARDED', value: 'guarded-value', protected: true });
    await send(owner, 'POST', inProject(), { key: 'OPEN', value: 'open-value' });
    const seen = seenBy(platform, found, owner);
    const forward = async (who: Actor, ref: string, more: object = {}): Promise<TestResponse> => {
      const pipeline = createPipeline(platform, seen, owner.user, await startOf(platform, seen, ref));
      const job = createJob(platform, pipeline, owner.user, { name: 'trigger', status: 'running' });
      const variables = [
        { key: 'A', value: '$GUARDED' },
        { key: 'B', value: 'x-${OPEN}-$UNKNOWN-$$' },
      ];
      const input = { ref: 'topic', variables, ...more };
      return send(who, 'POST', `/projects/${found.project.id}/jobs/${job.id}/downstream_pipelines`, input);
    };
    assert.equal((await forward(developer, 'main')).status, 400);
    assert.equal((await forward(developer, 'topic', { forward: { pipeline_variables: true } })).status, 403);
    const started = await forward(developer, 'topic');
    assert.equal(started.status, 201, started.text);
    const { id, source } = started.json() as { id: number; source: string };
    assert.equal(source, 'parent_pipeline');
    const received = (await send(developer, 'GET', `/projects/${found.project.id}/pipelines/${id}/variables`)).json();
    // Pipelines of branches that are not protected do not see protected variables.
    assert.deepEqual(
      (received as { key: string; value: string }[]).map(({ key, value }) => [key, value]),
      [
        ['A', '$GUARDED'],
        ['B', 'x-open-value-$UNKNOWN-$$'],
      ],
    );
    const without = await forward(owner, 'main', { forward: { yaml_variables: false } });
    const other = (without.json() as { id: number }).id;
    assert.deepEqual((await send(owner, 'GET', `/projects/${found.project.id}/pipelines/${other}/variables`)).json(), []);
  });
});
