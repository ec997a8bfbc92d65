import assert from 'node:assert/strict';
import { createJob, createPipeline, type Pipeline } from '../../../server/features/pipelines/managePipelines.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { checkScenario, type Scenario } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const NIGHT = Date.UTC(2026, 0, 2, 3, 4, 5);
const SHA = 'ab'.repeat(20);

describe('pipelines and jobs', () => {
  let server: TestServer;
  let owner: Actor;
  let developer: Actor;
  let guest: Actor;
  let stranger: Actor;
  let shown: FoundProject;
  let hidden: FoundProject;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(NIGHT);
    [owner, developer, guest, stranger] = [
      actor(platform, 'ada'),
      actor(platform, 'bob'),
      actor(platform, 'cleo'),
      actor(platform, 'dan'),
    ];
    const members = [
      [developer, 30],
      [guest, 10],
    ] as const;
    shown = projectWith(platform, owner, { name: 'Lamps', visibility: 'public' }, members);
    hidden = projectWith(platform, owner, { name: 'Hidden' }, members);
  });
  after(() => server.close());

  const at = (found: FoundProject, rest: string): string => `/api/v4/projects/${found.project.id}${rest}`;
  const pipelineOf = (found: FoundProject, input: Partial<Parameters<typeof createPipeline>[3]> = {}): Pipeline =>
    createPipeline(server.platform, found, owner.user, { ref: 'main', sha: SHA, ...input });
  const ids = async (path: string, who: Actor = owner): Promise<unknown[]> => {
    const response = await server.request('GET', path, { token: who.token });
    assert.equal(response.status, 200, response.text);
    const items = response.json();
    assert.ok(Array.isArray(items));
    return items.map((item: unknown) => Object(item).id);
  };
  const check = async (table: readonly Scenario[]): Promise<void> => {
    for (const row of table) checkScenario(await server.request(row.method ?? 'GET', row.path, row), row);
  };

  it('pipelines and jobs are visible to everyone who can see the project; jobs of a project require a token', async () => {
    const open = pipelineOf(shown);
    const closed = pipelineOf(hidden);
    const job = createJob(server.platform, closed, owner.user, { name: 'lint' });
    await check([
      { name: 'anonymous', path: at(shown, `/pipelines/${open.id}`), status: 200 },
      { name: 'anonymous', path: at(shown, `/pipelines/${open.id}/jobs`), status: 200, body: [] },
      { name: 'anonymous', path: at(shown, '/jobs'), status: 401, body: { message: '401 Unauthorized' } },
      { name: 'stranger', path: at(hidden, '/pipelines'), token: stranger.token, status: 404 },
      {
        name: 'stranger',
        path: at(hidden, '/jobs'),
        token: stranger.token,
        status: 404,
        body: { message: '404 Project Not Found' },
      },
      { name: 'guest', path: at(hidden, `/pipelines/${closed.id}`), token: guest.token, status: 200, has: { id: closed.id } },
      { name: 'guest', path: at(hidden, `/jobs/${job.id}`), token: guest.token, status: 200, has: { name: 'lint' } },
      { name: 'guest', path: at(hidden, '/jobs'), token: guest.token, status: 200 },
      { name: 'elsewhere', path: at(shown, `/pipelines/${closed.id}`), status: 404, body: { message: '404 Not found' } },
      {
        name: 'elsewhere',
        path: at(shown, `/jobs/${job.id}`),
        token: owner.token,
        status: 404,
        body: { message: '404 Not found' },
      },
    ]);
  });

  it('pipelines and jobs are changed by developers, deleted by owners, and read-only in an archived project', async () => {
    const archived = projectWith(server.platform, owner, { name: 'Museum' });
    const old = pipelineOf(archived);
    await server.request('POST', at(archived, '/archive'), { token: owner.token });
    const pipeline = pipelineOf(shown);
    const refused = { status: 403, body: { message: '403 Forbidden' } };
    const make = { method: 'POST', path: at(shown, '/pipelines'), json: { ref: 'main', sha: SHA } };
    await check([
      { name: 'anonymous', ...make, status: 401 },
      { name: 'guest', ...make, token: guest.token, ...refused },
      {
        name: 'guest',
        method: 'POST',
        path: at(shown, `/pipelines/${pipeline.id}/jobs?name=lint`),
        token: guest.token,
        ...refused,
      },
      { name: 'developer', ...make, token: developer.token, status: 201, has: { status: 'created', source: 'push', sha: SHA } },
      { name: 'developer', method: 'DELETE', path: at(shown, `/pipelines/${pipeline.id}`), token: developer.token, ...refused },
      { name: 'owner', method: 'DELETE', path: at(shown, `/pipelines/${pipeline.id}`), token: owner.token, status: 204 },
      { name: 'gone', path: at(shown, `/pipelines/${pipeline.id}`), status: 404 },
      { name: 'archived', ...make, path: at(archived, '/pipelines'), token: owner.token, ...refused },
      { name: 'archived', method: 'POST', path: at(archived, `/pipelines/${old.id}/retry`), token: owner.token, ...refused },
    ]);
  });

  it('pipelines and jobs can be filtered and sorted', async () => {
    const found = projectWith(server.platform, owner, { name: 'Filters' });
    const make = (input: Partial<Parameters<typeof createPipeline>[3]>): number => pipelineOf(found, input).id;
    const day = 86_400_000;
    const first = make({ status: 'success', source: 'web', name: 'Nightly', createdAt: NIGHT - 3 * day });
    const second = make({ status: 'failed', ref: 'topic', sha: 'cd'.repeat(20), createdAt: NIGHT - 2 * day });
    const third = make({ status: 'running', createdAt: NIGHT - day, yamlErrors: 'unknown keyword' });
    const tagged = make({ status: 'pending', ref: 'v1', isTag: true });
    const child = make({ source: 'parent_pipeline' });
    const other = createPipeline(server.platform, found, developer.user, { ref: 'main', sha: SHA, status: 'manual' }).id;
    const all = [other, tagged, third, second, first];
    const rows: readonly (readonly [query: string, expected: readonly number[]])[] = [
      ['', all],
      ['sort=asc', all.toReversed()],
      ['scope=finished', [second, first]],
      ['scope=running', [third]],
      ['scope=pending', [tagged]],
      ['scope=tags', [tagged]],
      ['scope=branches', [other, second]],
      ['scope=finished&status=failed', [second]],
      ['scope=running&status=failed', []],
      ['status=manual', [other]],
      ['ref=topic', [second]],
      [`sha=${SHA}`, [other, tagged, third, first]],
      ['source=web', [first]],
      ['source=parent_pipeline', [child]],
      ['name=Nightly', [first]],
      ['username=bob', [other]],
      ['yaml_errors=true', [third]],
      ['yaml_errors=false&ref=main', [other, first]],
      ['created_after=2026-01-01T00:00:00Z', [other, tagged, third]],
      ['created_before=2025-12-31T23:00:00Z', [second, first]],
      ['updated_after=2026-01-02T00:00:00Z', [other, tagged]],
      ['updated_before=2025-12-30T23:00:00Z', [first]],
      ['order_by=ref&sort=asc', [first, third, other, second, tagged]],
      ['order_by=status&sort=asc', [second, other, tagged, third, first]],
      ['order_by=user_id&sort=desc', [other, tagged, third, second, first]],
      ['order_by=updated_at&sort=asc', [first, second, third, tagged, other]],
    ];
    for (const [query, expected] of rows) assert.deepEqual(await ids(at(found, `/pipelines?${query}`)), expected, query);
    await check([
      {
        name: 'states',
        path: at(found, '/pipelines?status=over'),
        token: owner.token,
        status: 400,
        body: { error: 'status does not have a valid value' },
      },
      { name: 'latest', path: at(found, '/pipelines/latest?ref=topic'), token: owner.token, status: 200, has: { id: second } },
      { name: 'latest', path: at(found, '/pipelines/latest?ref=none'), token: owner.token, status: 403 },
    ]);
  });

  it('pipelines have project ids that are never reused', async () => {
    const found = projectWith(server.platform, owner, { name: 'Numbers' });
    const [one, two] = [pipelineOf(found), pipelineOf(found)];
    await server.request('DELETE', at(found, `/pipelines/${two.id}`), { token: owner.token });
    assert.deepEqual([one.iid, two.iid, pipelineOf(found).iid], [1, 2, 3]);
  });

  it('pipelines derive their state from jobs, with times and failure reasons', async () => {
    const { clock } = server.platform;
    const found = projectWith(server.platform, owner, { name: 'Runs' });
    const pipeline = pipelineOf(found);
    const send = async (method: string, path: string, json: unknown = {}): Promise<Record<string, unknown>> => {
      const response = await server.request(method, at(found, path), { token: owner.token, json });
      assert.ok(response.status < 300, response.text);
      return Object(response.json());
    };
    const state = async (): Promise<unknown[]> => {
      const now = Object((await server.request('GET', at(found, `/pipelines/${pipeline.id}`), { token: owner.token })).json());
      return [now.status, now.duration, now.queued_duration, now.coverage, now.detailed_status.text];
    };
    const lint = await send('POST', `/pipelines/${pipeline.id}/jobs`, { name: 'lint', tag_list: ['linux', 'small'] });
    const deploy = await send('POST', `/pipelines/${pipeline.id}/jobs`, { name: 'deploy', stage: 'deploy', status: 'manual' });
    assert.deepEqual(
      [lint['status'], lint['stage'], lint['tag_list'], lint['duration']],
      ['pending', 'test', ['linux', 'small'], null],
    );
    assert.deepEqual(await state(), ['running', null, 0, null, 'Running']);
    clock.advance(2500);
    await send('PUT', `/jobs/${String(lint['id'])}`, { status: 'running' });
    clock.advance(4250);
    const failed = await send('PUT', `/jobs/${String(lint['id'])}`, { status: 'failed', coverage: '81.25' });
    assert.deepEqual(
      [failed['failure_reason'], failed['duration'], failed['queued_duration'], failed['coverage']],
      ['unknown_failure', 4.25, 2.5, 81.25],
    );
    assert.deepEqual((await state())[0], 'manual');
    await send('POST', `/jobs/${String(deploy['id'])}/play`);
    await send('PUT', `/jobs/${String(deploy['id'])}`, { status: 'success' });
    assert.deepEqual(await state(), ['failed', 4, 3, '81.25', 'Failed']);
    const again = await send('POST', `/pipelines/${pipeline.id}/retry`);
    assert.equal(again['status'], 'running');
    const retried = await ids(at(found, `/pipelines/${pipeline.id}/jobs?include_retried=true`));
    const current = await ids(at(found, `/pipelines/${pipeline.id}/jobs`));
    assert.deepEqual([retried.length, current.length, current.includes(lint['id'])], [3, 2, false]);
    assert.equal((await send('POST', `/pipelines/${pipeline.id}/cancel`))['status'], 'canceled');
    await check([
      {
        name: 'a retried job cannot be retried again',
        method: 'POST',
        path: at(found, `/jobs/${String(lint['id'])}/retry`),
        token: owner.token,
        status: 403,
        body: { message: '403 Forbidden - Job is not retryable' },
      },
      {
        name: 'only manual jobs can be started',
        method: 'POST',
        path: at(found, `/jobs/${String(lint['id'])}/play`),
        token: owner.token,
        status: 400,
        body: { message: '400 Bad request - Unplayable Job' },
      },
      {
        name: 'the state of a pipeline with jobs cannot be set',
        method: 'PUT',
        path: at(found, `/pipelines/${pipeline.id}`),
        token: owner.token,
        json: { status: 'success' },
        status: 400,
      },
      {
        name: 'coverage is a percentage',
        method: 'PUT',
        path: at(found, `/jobs/${String(lint['id'])}`),
        token: owner.token,
        json: { coverage: '101' },
        status: 400,
        body: { message: { coverage: ['must be less than or equal to 100'] } },
      },
    ]);
    clock.freeze(NIGHT);
  });

  it('pipelines start from a branch or tag, with its commit', async () => {
    const found = projectWith(server.platform, owner, { name: 'Code' }, [[developer, 30]]);
    const sha = await commitFiles(server.platform, found, owner, { 'a.txt': 'a' }, { message: 'Light\n\nall lamps' });
    const begin = (who: Actor, ref: string) =>
      server.request('POST', at(found, '/pipeline'), { token: who.token, json: { ref } });
    const made = await begin(owner, 'main');
    assert.equal(made.status, 201, made.text);
    const pipeline = Object(made.json());
    assert.deepEqual([pipeline.sha, pipeline.source, pipeline.status], [sha, 'api', 'created']);
    const response = await server.request('POST', at(found, `/pipelines/${pipeline.id}/jobs`), {
      token: owner.token,
      json: { name: 'x' },
    });
    const { commit } = Object(response.json());
    assert.deepEqual([commit.id, commit.title, commit.author_name], [sha, 'Light', 'ada Example']);
    const unknown = await begin(owner, 'nowhere');
    assert.deepEqual([unknown.status, unknown.json()], [400, { message: { base: ['Reference not found'] } }]);
    const guarded = await begin(developer, 'main');
    assert.equal(guarded.status, 400);
    assert.match(guarded.text, /do not have sufficient permission to run a pipeline on 'main'/);
  });

  it('jobs are listed by state, newest first, with descending keyset pagination only', async () => {
    const found = projectWith(server.platform, owner, { name: 'Jobs' });
    const pipeline = pipelineOf(found);
    const made = (['failed', 'success', 'running', 'failed', 'manual'] as const).map(
      (status, index) => createJob(server.platform, pipeline, owner.user, { name: `job ${index}`, status }).id,
    );
    const newest = made.toReversed();
    const pick = (...places: number[]): unknown[] => places.map((location) => made[location]);
    for (const [query, expected] of [
      ['', newest],
      ['?scope=failed', pick(3, 0)],
      ['?scope[]=failed&scope[]=running', pick(3, 2, 0)],
      ['?scope[]=failed&scope[]=running&pagination=keyset', pick(3, 2, 0)],
      ['?scope[]=failed&scope[]=running&per_page=2&page=2', pick(0)],
      ['?pagination=keyset&order_by=id&sort=desc', newest],
    ] as const) {
      assert.deepEqual(await ids(at(found, `/jobs${query}`)), expected, query);
    }
    assert.deepEqual(await ids(at(found, `/pipelines/${pipeline.id}/jobs?scope=success`)), pick(1));
    const unavailable = { error: 'Keyset pagination is not yet available for this type of request' };
    await check([
      { name: 'asc', path: at(found, '/jobs?pagination=keyset&sort=asc'), token: owner.token, status: 405, body: unavailable },
      {
        name: 'name',
        path: at(found, '/jobs?pagination=keyset&order_by=name'),
        token: owner.token,
        status: 405,
        body: unavailable,
      },
      {
        name: 'scope',
        path: at(found, '/jobs?scope=over'),
        token: owner.token,
        status: 400,
        body: { error: 'scope does not have a valid value' },
      },
    ]);
  });

  it('pipelines and jobs have pages at their web URLs, also after the project was renamed', async () => {
    const found = projectWith(server.platform, owner, { name: 'Pages', visibility: 'public' });
    const pipeline = pipelineOf(found, { name: 'Night <run>' });
    const job = createJob(server.platform, pipeline, owner.user, { name: 'lint & test', status: 'failed' });
    const client = new PageClient(server);
    const texts = [];
    for (const path of [`pipelines/${pipeline.id}`, `jobs/${job.id}`]) {
      const page = await client.open(`/ada/pages/-/${path}`);
      assert.equal(page.status, 200, page.text);
      texts.push(textOf(page.text));
    }
    assert.match(texts[0] ?? '', /Night <run>.*Failed.*main.*lint & test/s);
    assert.match(texts[1] ?? '', /lint & test.*unknown failure/s);
    for (const path of ['pipelines/999999', 'jobs/x', `pipelines/${pipeline.id}/more`]) {
      assert.equal((await client.open(`/ada/pages/-/${path}`)).status, 404, path);
    }
    await server.request('PUT', at(found, ''), { token: owner.token, json: { path: 'leaves' } });
    const moved = await client.open(`/ada/pages/-/jobs/${job.id}`);
    assert.deepEqual([moved.status, moved.headers.get('location')], [303, `/ada/leaves/-/jobs/${job.id}`]);
    const own = `/-/pipelines/${pipelineOf(hidden).id}`;
    const unseen = await client.open(`/ada/hidden${own}`);
    assert.deepEqual(
      [unseen.status, unseen.headers.get('location')],
      [303, `/users/sign_in?return_to=${encodeURIComponent(`/ada/hidden${own}`)}`],
    );
  });
});
