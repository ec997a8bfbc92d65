import assert from 'node:assert/strict';
import { compareReleases } from '../../../../src/contract/releases.ts';
import { createGroup } from '../../../../server/features/groups/manageGroups.ts';
import { createJob, createPipeline } from '../../../../server/features/pipelines/managePipelines.ts';
import { createProject } from '../../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../../server/features/projectAccess/access.ts';
import { actor, rootOf } from '../../projects/cast.ts';
import { commitFiles } from '../../git/repository.ts';
import type { TestResponse, TestServer } from '../../../support/server.ts';
import type { Phase, Scenarios } from '../stage.ts';

/** Checks that a response carries the headers of a deprecation in the phases in which the call is one. */
function assertAnnounced({ headers }: TestResponse, isAnnounced: boolean): void {
  assert.equal(headers.get('deprecation') !== null, isAnnounced);
}

function newProject(server: TestServer, name: string): { readonly id: number; readonly path: string } {
  const { project } = createProject(server.platform, rootOf(server.platform), { name });
  return { id: project.id, path: project.full_path };
}

/** Sends a request as the administrator. */
function send(server: TestServer, method: string, path: string, json?: object): Promise<TestResponse> {
  return server.request(method, `/api/v4${path}`, { token: server.adminToken, ...(json === undefined ? {} : { json }) });
}

async function query(server: TestServer, text: string, variables: object): Promise<TestResponse> {
  return server.request('POST', '/api/graphql', { token: server.adminToken, json: { query: text, variables } });
}

/** Scenarios of CI/CD. */
export const ciScenarios: Scenarios = {
  'ci-job-token-scope-enabled': async ({ server, phase }) => {
    const { id } = newProject(server, 'Lamps');
    const sent = await send(server, 'PUT', `/projects/${id}`, { ci_job_token_scope_enabled: true, description: 'lit' });
    assert.equal(sent.status, 200, sent.text);
    assertAnnounced(sent, phase !== 'before');
    const { ci_job_token_scope_enabled: value } = sent.json() as { ci_job_token_scope_enabled?: boolean };
    assert.equal(value, phase === 'after' ? undefined : true);
    const scope = await send(server, 'GET', `/projects/${id}/job_token_scope`);
    assert.deepEqual(scope.json(), { inbound_enabled: true, outbound_enabled: phase !== 'after' });
    const changed = await send(server, 'PATCH', `/projects/${id}/job_token_scope`, { enabled: false });
    assert.equal(changed.status, 204);
    assertAnnounced(changed, false);
    const off = await send(server, 'GET', `/projects/${id}/job_token_scope`);
    assert.deepEqual(off.json(), { inbound_enabled: false, outbound_enabled: phase !== 'after' });
  },
  'job-token-scope-add-project': async ({ server, phase, release }) => {
    const lamps = newProject(server, 'Lamps');
    const tracks = newProject(server, 'Tracks');
    const old = await query(
      server,
      `mutation ($input: CiJobTokenScopeAddProjectInput!) {
        ciJobTokenScopeAddProject(input: $input) { errors ciJobTokenScope { inboundAllowlist { nodes { fullPath } } } }
      }`,
      { input: { projectPath: lamps.path, targetProjectPath: tracks.path, direction: 'INBOUND' } },
    );
    const both = { nodes: [{ fullPath: lamps.path }, { fullPath: tracks.path }] };
    if (phase === 'after') assert.match(old.text, /CiJobTokenScopeAddProjectInput|ciJobTokenScopeAddProject/);
    else {
      const payload = { errors: [], ciJobTokenScope: { inboundAllowlist: both } };
      assert.deepEqual(old.json(), { data: { ciJobTokenScopeAddProject: payload } });
      const list = await send(server, 'GET', `/projects/${lamps.id}/job_token_scope/allowlist`);
      assert.deepEqual(idsIn(list), [lamps.id, tracks.id]);
    }
    assertAnnounced(old, phase !== 'before');
    if (compareReleases(release, '17.5') < 0) return;
    const yards = newProject(server, 'Yards');
    const added = await query(
      server,
      `mutation ($input: CiJobTokenScopeAddGroupOrProjectInput!) {
        ciJobTokenScopeAddGroupOrProject(input: $input) { errors ciJobTokenScope { inboundAllowlist { nodes { fullPath } } } }
      }`,
      { input: { projectPath: yards.path, targetPath: tracks.path } },
    );
    assertAnnounced(added, false);
    assert.deepEqual(added.json(), {
      data: {
        ciJobTokenScopeAddGroupOrProject: {
          errors: [],
          ciJobTokenScope: { inboundAllowlist: { nodes: [{ fullPath: tracks.path }, { fullPath: yards.path }] } },
        },
      },
    });
  },
  'text-job-tokens': async ({ server, phase, release }) => {
    const { platform } = server;
    const group = createGroup(platform, rootOf(platform), { name: 'Works', path: 'works' });
    const found = createProject(platform, rootOf(platform), { name: 'Lamps', namespaceId: group.group.id });
    const issue = async (): Promise<string> => {
      const token = await send(server, 'POST', `/projects/${found.project.id}/jobs/${runningJob(server, found)}/token`);
      assert.equal(token.status, 201, token.text);
      return (token.json() as { token: string }).token;
    };
    const choose = (jwt: boolean): Promise<TestResponse> =>
      send(server, 'PUT', `/groups/${group.group.id}/job_token_format`, { jwt_ci_cd_job_token_enabled: jwt });
    const usual = await issue();
    assert.equal(isJwt(usual), phase === 'after');
    const job = await server.request('GET', '/api/v4/job', { headers: { 'JOB-TOKEN': usual } });
    assert.equal(job.status, 200, job.text);
    assertAnnounced(job, phase === 'between');
    const hasChoice = compareReleases(release, '17.10') >= 0 && compareReleases(release, '20.0') < 0;
    const chosen = await choose(phase !== 'after');
    assert.equal(chosen.status, hasChoice ? 200 : 404, chosen.text);
    if (!hasChoice) return;
    const other = await issue();
    assert.equal(isJwt(other), phase !== 'after');
    const sent = await server.request('GET', '/api/v4/job', { headers: { 'JOB-TOKEN': other } });
    assert.equal(sent.status, 200, sent.text);
    assertAnnounced(sent, phase === 'after');
  },
  'forwarded-protected-variables': async ({ server, phase }) => {
    const { platform } = server;
    const root = rootOf(platform);
    const { group } = createGroup(platform, root, { name: 'Works', path: 'works' });
    const [from, other, sibling] = [
      await codeProject(server, 'Lamps', group.id),
      await codeProject(server, 'Tracks'),
      await codeProject(server, 'Yards', group.id),
    ];
    await send(server, 'POST', `/projects/${from.project.id}/variables`, { key: 'OWN', value: 'own-value', protected: true });
    await send(server, 'POST', `/groups/${group.id}/variables`, { key: 'SHARED', value: 'shared-value', protected: true });
    const variables = [
      { key: 'A', value: '$OWN' },
      { key: 'B', value: '${SHARED}' },
      { key: 'C', value: 'plain' },
    ];
    const start = async (target: FoundProject): Promise<readonly [TestResponse, string]> => {
      const path = `/projects/${from.project.id}/jobs/${runningJob(server, from)}/downstream_pipelines`;
      const started = await send(server, 'POST', path, { target_project_id: target.project.id, variables });
      assert.equal(started.status, 201, started.text);
      const { id } = started.json() as { id: number };
      const list = await send(server, 'GET', `/projects/${target.project.id}/pipelines/${id}/variables`);
      const values = (list.json() as { key: string; value: string }[]).map(({ key, value }) => `${key}=${value}`);
      return [started, values.join(' ')];
    };
    const all = 'A=own-value B=shared-value C=plain';
    const [toOther, inOther] = await start(other);
    assert.equal(inOther, phase === 'after' ? 'C=plain' : all);
    assertAnnounced(toOther, phase === 'between');
    const [, inSibling] = await start(sibling);
    assert.equal(inSibling, phase === 'after' ? 'B=shared-value C=plain' : all);
    const [toChild, inChild] = await start(from);
    assert.equal(inChild, all);
    assertAnnounced(toChild, false);
  },
  'take-ownership-permission': async ({ server, phase }) => {
    const { platform } = server;
    const found = await codeProject(server, 'Lamps');
    const ada = actor(platform, 'ada');
    const member = { user_id: ada.user.id, access_level: 40 };
    assert.equal((await send(server, 'POST', `/projects/${found.project.id}/members`, member)).status, 201);
    const input = { description: 'Nightly', ref: 'main', cron: '0 1 * * *' };
    const created = await send(server, 'POST', `/projects/${found.project.id}/pipeline_schedules`, input);
    assert.equal(created.status, 201, created.text);
    const permissions = async (names: string): Promise<TestResponse> =>
      server.request('POST', '/api/graphql', {
        token: ada.token,
        json: {
          query: `{ project(fullPath: "${found.project.full_path}") { pipelineSchedules { nodes { userPermissions { ${names} } } } } }`,
        },
      });
    const expected = (userPermissions: object): object => ({
      data: { project: { pipelineSchedules: { nodes: [{ userPermissions }] } } },
    });
    const old = await permissions('takeOwnershipPipelineSchedule');
    assertAnnounced(old, phase !== 'before');
    if (phase === 'after') assert.match(old.text, /Cannot query field|doesn't exist/);
    else assert.deepEqual(old.json(), expected({ takeOwnershipPipelineSchedule: true }));
    const replacement = await permissions('adminPipelineSchedule updatePipelineSchedule playPipelineSchedule');
    assertAnnounced(replacement, false);
    assert.deepEqual(
      replacement.json(),
      expected({ adminPipelineSchedule: true, updatePipelineSchedule: false, playPipelineSchedule: true }),
    );
    const { id } = created.json() as { id: number };
    const path = `/api/v4/projects/${found.project.id}/pipeline_schedules/${id}/take_ownership`;
    const taken = await server.request('POST', path, { token: ada.token });
    assert.equal(taken.status, 201, taken.text);
    assert.equal((taken.json() as { owner: { username: string } }).owner.username, 'ada');
    const again = await permissions('adminPipelineSchedule updatePipelineSchedule playPipelineSchedule');
    assert.deepEqual(
      again.json(),
      expected({ adminPipelineSchedule: true, updatePipelineSchedule: true, playPipelineSchedule: true }),
    );
  },
  'commit-status-job-limit': async ({ server, phase }) => {
    const { platform, adminToken: token } = server;
    const user = rootOf(platform);
    const found = createProject(platform, user, { name: 'Lamps' });
    const sha = await commitFiles(platform, found, { user, token }, { 'README.md': 'Lamps' });
    const { id } = found.project;
    const limits = await send(server, 'PUT', '/application/plan_limits', { plan_name: 'default', ci_active_jobs: 1 });
    assert.equal(limits.status, 200, limits.text);
    const report = (name: string): Promise<TestResponse> =>
      send(server, 'POST', `/projects/${id}/statuses/${sha}`, { state: 'running', name });
    assert.equal((await report('first')).status, 201);
    const second = await report('second');
    assert.equal(second.status, statusOfExcess(phase), second.text);
    assertAnnounced(second, phase === 'between');
    if (phase === 'after') {
      const message = 'Project exceeded the allowed number of jobs in active pipelines. Retry later.';
      assert.deepEqual(second.json(), { message });
    }
    assert.equal(
      (await send(server, 'POST', `/projects/${id}/statuses/${sha}`, { state: 'success', name: 'first' })).status,
      201,
    );
  },
};

const isJwt = (token: string): boolean => /^glcbt-ey[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

/** Creates a project with a commit on its protected default branch. */
async function codeProject(
  { platform, adminToken: token }: TestServer,
  name: string,
  namespaceId?: number,
): Promise<FoundProject> {
  const user = rootOf(platform);
  const found = createProject(platform, user, { name, namespaceId });
  await commitFiles(platform, found, { user, token }, { 'README.md': name });
  return found;
}

/** Creates a running job and returns its ID. */
function runningJob({ platform }: TestServer, found: FoundProject): number {
  const pipeline = createPipeline(platform, found, rootOf(platform), { ref: 'main', sha: 'a'.repeat(40) });
  return createJob(platform, pipeline, rootOf(platform), { name: 'build', status: 'running' }).id;
}

const statusOfExcess = (phase: Phase): number => (phase === 'after' ? 422 : 201);

function idsIn(response: TestResponse): number[] {
  return (response.json() as { id: number }[]).map(({ id }) => id);
}
