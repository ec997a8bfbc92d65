import assert from 'node:assert/strict';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { createJob, createPipeline, type Job, updateJob } from '../../../server/features/pipelines/managePipelines.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { HOUR, MINUTE } from '../../../server/core/clock.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

describe('job tokens', () => {
  let server: TestServer;
  let owner: Actor;
  let count = 0;

  before(async () => {
    server = await startTestServer();
    owner = actor(server.platform, 'owner');
  });
  after(() => server.close());

  const newProject = (input: { readonly visibility?: 'public' | 'private'; readonly namespaceId?: number } = {}): FoundProject =>
    projectWith(server.platform, owner, { name: `Lamps ${(count += 1)}`, visibility: 'private', ...input });

  function newJob(found: FoundProject, platform = server.platform, user = owner.user): Job {
    const pipeline = createPipeline(platform, found, user, { ref: 'main', sha: 'a'.repeat(40) });
    return createJob(platform, pipeline, user, { name: 'build', status: 'running' });
  }

  const issue = (found: FoundProject, job: Job, token = owner.token): Promise<TestResponse> =>
    server.request('POST', `/api/v4/projects/${found.project.id}/jobs/${job.id}/token`, { token });

  async function tokenOf(found: FoundProject, job = newJob(found)): Promise<string> {
    const response = await issue(found, job);
    assert.equal(response.status, 201, response.text);
    return (response.json() as { token: string }).token;
  }

  const send = (method: string, path: string, jobToken: string, json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4${path}`, {
      headers: { 'JOB-TOKEN': jobToken },
      ...(json === undefined ? {} : { json }),
    });

  const allow = async (found: FoundProject, target: FoundProject): Promise<void> => {
    const response = await server.request('POST', `/api/v4/projects/${found.project.id}/job_token_scope/allowlist`, {
      token: owner.token,
      json: { target_project_id: target.project.id },
    });
    assert.equal(response.status, 201, response.text);
  };

  it('a running job is found by its token, in the header and as parameter', async () => {
    const found = newProject();
    const job = newJob(found);
    const token = await tokenOf(found, job);
    assert.match(token, /^glcbt-64_[\w-]{20}$/);
    for (const response of [await send('GET', '/job', token), await server.request('GET', `/api/v4/job?job_token=${token}`)]) {
      assert.equal(response.status, 200, response.text);
      assert.equal((response.json() as { id: number }).id, job.id);
    }
  });

  it('the token of a finished job is refused, as are unknown tokens and tokens of users', async () => {
    const found = newProject();
    const job = newJob(found);
    const token = await tokenOf(found, job);
    updateJob(server.platform, job, { status: 'success' });
    for (const response of [
      await send('GET', '/job', token),
      await send('GET', `/projects/${found.project.id}`, token),
      await send('GET', '/job', 'glcbt-64_unknown'),
      await send('GET', '/job', owner.token),
      await server.request('GET', '/api/v4/job', { token: owner.token }),
    ]) {
      assert.equal(response.status, 401, response.text);
      assert.deepEqual(response.json(), { message: '401 Unauthorized' });
    }
  });

  it('only maintainers receive tokens, and only of running jobs', async () => {
    const found = newProject();
    const job = newJob(found);
    const developer = actor(server.platform, `developer${(count += 1)}`);
    await server.request('POST', `/api/v4/projects/${found.project.id}/members`, {
      token: owner.token,
      json: { user_id: developer.user.id, access_level: 30 },
    });
    assert.equal((await issue(found, job, developer.token)).status, 403);
    const ended = updateJob(server.platform, job, { status: 'failed' });
    assert.equal((await issue(found, ended)).status, 400);
    assert.equal((await issue(newProject(), job)).status, 404);
  });

  it('a job token is not accepted by endpoints that do not say so', async () => {
    const found = newProject();
    const token = await tokenOf(found);
    assert.equal((await send('GET', '/user', token)).status, 401);
    assert.equal((await send('PUT', `/projects/${found.project.id}`, token, { name: 'Other' })).status, 401);
  });

  it('a job token reaches its own project and those that list its project', async () => {
    const [found, other] = [newProject(), newProject()];
    const token = await tokenOf(found);
    const read = (project: FoundProject, path = ''): Promise<TestResponse> =>
      send('GET', `/projects/${project.project.id}${path}`, token);
    assert.equal((await read(found)).status, 200);
    const refused = await read(other);
    assert.equal(refused.status, 404);
    assert.deepEqual(refused.json(), { message: '404 Project Not Found' });
    assert.equal((await read(other, '/packages')).status, 404);
    await allow(other, found);
    assert.equal((await read(other)).status, 200);
    assert.equal((await read(other, '/packages')).status, 200);
    assert.equal((await read(other, '/releases')).status, 200);
    const path = `/api/v4/projects/${other.project.id}/job_token_scope`;
    const removed = await server.request('DELETE', `${path}/allowlist/${found.project.id}`, { token: owner.token });
    assert.equal(removed.status, 204);
    assert.equal((await read(other)).status, 404);
    await server.request('PATCH', path, { token: owner.token, json: { enabled: false } });
    assert.equal((await read(other)).status, 200);
  });

  it('a job token reaches projects that list a group around its project', async () => {
    const outer = createGroup(server.platform, owner.user, { name: 'Outer', path: `outer${(count += 1)}` });
    const inner = createGroup(server.platform, owner.user, { name: 'Inner', path: 'inner', parent: outer });
    const found = newProject({ namespaceId: inner.group.id });
    const other = newProject();
    const token = await tokenOf(found);
    const listed = await server.request('POST', `/api/v4/projects/${other.project.id}/job_token_scope/groups_allowlist`, {
      token: owner.token,
      json: { target_group_id: outer.group.id },
    });
    assert.deepEqual(listed.json(), { source_project_id: other.project.id, target_group_id: outer.group.id });
    assert.equal((await send('GET', `/projects/${other.project.id}`, token)).status, 200);
  });

  it('with the outbound limit, a job token reaches only listed projects', async () => {
    const [found, other] = [newProject(), newProject()];
    await allow(other, found);
    const token = await tokenOf(found);
    const limited = await server.request('PUT', `/api/v4/projects/${found.project.id}`, {
      token: owner.token,
      json: { ci_job_token_scope_enabled: true },
    });
    assert.equal(limited.status, 200);
    assert.equal((await send('GET', `/projects/${other.project.id}`, token)).status, 404);
    assert.equal((await send('GET', `/projects/${found.project.id}`, token)).status, 200);
  });

  it('a job token reads public projects that do not list its project, and does not change them', async () => {
    const [found, open] = [newProject(), newProject({ visibility: 'public' })];
    const token = await tokenOf(found);
    await commitFiles(server.platform, open, owner, { 'README.md': 'Open\n' });
    assert.equal((await send('GET', `/projects/${open.project.id}/releases`, token)).status, 200);
    const release = { tag_name: 'v1', ref: 'main', description: 'First' };
    assert.equal((await send('POST', `/projects/${open.project.id}/releases`, token, release)).status, 404);
    await allow(open, found);
    assert.equal((await send('POST', `/projects/${open.project.id}/releases`, token, release)).status, 201);
  });

  it('allowlists refuse the project itself, projects that are listed already and projects that the caller cannot see', async () => {
    const [found, other] = [newProject(), newProject()];
    const path = `/api/v4/projects/${found.project.id}/job_token_scope/allowlist`;
    const add = (id: number): Promise<TestResponse> =>
      server.request('POST', path, { token: owner.token, json: { target_project_id: id } });
    await allow(found, other);
    const again = await add(other.project.id);
    assert.equal(again.status, 400);
    assert.deepEqual(again.json(), { message: '400 Bad request - Target project is already in the job token scope' });
    assert.equal((await add(found.project.id)).status, 400);
    const stranger = actor(server.platform, `stranger${(count += 1)}`);
    const hidden = projectWith(server.platform, stranger, { name: 'Hidden', visibility: 'private' });
    assert.equal((await add(hidden.project.id)).status, 404);
    assert.equal((await server.request('DELETE', `${path}/${hidden.project.id}`, { token: owner.token })).status, 404);
  });

  it('git fetches with the username gitlab-ci-token what the token reaches, and does not push', async () => {
    const [found, other] = [newProject(), newProject()];
    const job = newJob(found);
    const token = await tokenOf(found, job);
    const authorization = `Basic ${Buffer.from(`gitlab-ci-token:${token}`).toString('base64')}`;
    const refs = (project: FoundProject, service: string): Promise<TestResponse> =>
      server.request('GET', `/${project.project.full_path}.git/info/refs?service=git-${service}`, {
        headers: { Authorization: authorization },
      });
    assert.equal((await refs(found, 'upload-pack')).status, 200);
    assert.equal((await refs(found, 'receive-pack')).status, 403);
    assert.equal((await refs(other, 'upload-pack')).status, 403);
    await allow(other, found);
    assert.equal((await refs(other, 'upload-pack')).status, 200);
    updateJob(server.platform, job, { status: 'success' });
    assert.equal((await refs(found, 'upload-pack')).status, 401);
  });

  it('JWT job tokens are signed with the published key, name the job, and expire', async () => {
    await using later = await startTestServer({ profile: { release: '19.0' } });
    const { platform, adminToken } = later;
    const ada = actor(platform, 'ada');
    const group = createGroup(platform, ada.user, { name: 'Works', path: 'works' });
    const found = projectWith(platform, ada, { name: 'Lamps', namespaceId: group.group.id });
    const job = newJob(found, platform, ada.user);
    const response = await later.request('POST', `/api/v4/projects/${found.project.id}/jobs/${job.id}/token`, {
      token: ada.token,
    });
    const { token } = response.json() as { token: string };
    const keys = (await later.request('GET', '/oauth/discovery/keys')).json() as JSONWebKeySet;
    const { payload } = await jwtVerify(token.replace('glcbt-', ''), createLocalJWKSet(keys), {
      currentDate: new Date(platform.clock.now()),
      audience: 'gitlab-authz-token',
      issuer: '127.0.0.1',
    });
    assert.equal(payload.sub, `gid://gitlab/Ci::Build/${job.id}`);
    assert.equal(payload['p'], found.project.id.toString(36));
    assert.equal(payload['g'], group.group.id.toString(36));
    const read = (): Promise<TestResponse> => later.request('GET', '/api/v4/job', { headers: { 'JOB-TOKEN': token } });
    assert.equal((await read()).status, 200);
    platform.clock.advance(HOUR + 5 * MINUTE);
    assert.equal((await read()).status, 401);
    const inner = createGroup(platform, ada.user, { name: 'Inner', path: 'inner', parent: group });
    const refused = await later.request('PUT', `/api/v4/groups/${inner.group.id}/job_token_format`, {
      token: adminToken,
      json: { jwt_ci_cd_job_token_enabled: false },
    });
    assert.equal(refused.status, 400);
  });
});
