import assert from 'node:assert/strict';
import { createJob, createPipeline } from '../../../server/features/pipelines/managePipelines.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { PageClient } from '../../support/pages.ts';
import { checkScenario, type Scenario } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const MISSING = 'c0ffee'.padEnd(40, '0');

describe('commit statuses', () => {
  let server: TestServer;
  let owner: Actor;
  let developer: Actor;
  let reporter: Actor;
  let guest: Actor;
  let found: FoundProject;
  let sha: string;
  let count = 0;
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    [owner, developer, reporter, guest] = [
      actor(platform, 'ada'),
      actor(platform, 'bob'),
      actor(platform, 'cleo'),
      actor(platform, 'dan'),
    ];
    found = projectWith(platform, owner, { name: 'Lamps' }, [
      [developer, 30],
      [reporter, 20],
      [guest, 10],
    ]);
  });
  after(() => server.close());
  // Each test has its own commit.
  beforeEach(async () => {
    count += 1;
    sha = await commitFiles(server.platform, found, owner, { [`file${count}`]: `${count}\n` });
  });

  const at = (rest: string): string => `/api/v4/projects/${found.project.id}${rest}`;
  const report = (json: object, who: Actor = developer) =>
    server.request('POST', at(`/statuses/${sha}`), { token: who.token, json });
  const reported = async (json: object, who?: Actor): Promise<Record<string, unknown>> => {
    const response = await report(json, who);
    assert.equal(response.status, 201, response.text);
    return Object(response.json());
  };
  const listed = async (query = ''): Promise<Record<string, unknown>[]> => {
    const response = await server.request('GET', at(`/repository/commits/${sha}/statuses${query}`), { token: reporter.token });
    assert.equal(response.status, 200, response.text);
    const items = response.json();
    assert.ok(Array.isArray(items));
    return items.map((item: unknown) => Object(item));
  };
  const pipelineOf = async (id: unknown): Promise<Record<string, unknown>> =>
    Object((await server.request('GET', at(`/pipelines/${String(id)}`), { token: owner.token })).json());
  const check = async (table: readonly Scenario[]): Promise<void> => {
    for (const row of table) checkScenario(await server.request(row.method ?? 'GET', row.path, row), row);
  };

  it('developers report statuses, and whoever reads the code lists them', async () => {
    const post = { method: 'POST', path: at(`/statuses/${sha}`), json: { state: 'success' } };
    const list = { path: at(`/repository/commits/${sha}/statuses`) };
    await check([
      { name: 'anonymous', ...post, status: 401 },
      { name: 'reporter', ...post, token: reporter.token, status: 403, body: { message: '403 Forbidden' } },
      { name: 'no state', ...post, json: {}, token: developer.token, status: 400, body: { error: 'state is missing' } },
      {
        name: 'unknown state',
        ...post,
        json: { state: 'manual' },
        token: developer.token,
        status: 400,
        body: { error: 'state does not have a valid value' },
      },
      {
        name: 'unknown commit',
        ...post,
        path: at(`/statuses/${MISSING}`),
        token: developer.token,
        status: 404,
        body: { message: '404 Commit Not Found' },
      },
      {
        name: 'script as link',
        ...post,
        json: { state: 'success', target_url: 'javascript:alert(1)' },
        token: developer.token,
        status: 400,
        body: { message: { target_url: ['is blocked: Only allowed schemes are http, https'] } },
      },
      {
        name: 'name and context',
        ...post,
        json: { state: 'success', name: 'a', context: 'b' },
        token: developer.token,
        status: 400,
        body: { error: 'name, context are mutually exclusive' },
      },
      {
        name: 'developer',
        ...post,
        token: developer.token,
        status: 201,
        has: { status: 'success', name: 'default', ref: 'main', sha, author: { username: 'bob' }, description: null },
      },
      { name: 'anonymous', ...list, status: 404 },
      { name: 'guest', ...list, token: guest.token, status: 403 },
      { name: 'reporter', ...list, token: reporter.token, status: 200 },
      {
        name: 'unknown commit',
        path: at(`/repository/commits/${MISSING}/statuses`),
        token: reporter.token,
        status: 404,
        body: { message: '404 Commit Not Found' },
      },
    ]);
  });

  it('the statuses of a commit share an external pipeline, whose state follows them, as does the commit', async () => {
    const build = await reported({ state: 'pending', context: 'ci/build', target_url: 'https://ci.example/1' });
    const test = await reported({ state: 'running', name: 'ci/test', description: 'Testing' });
    assert.equal(build['pipeline_id'], test['pipeline_id']);
    assert.equal(build['target_url'], 'https://ci.example/1');
    assert.partialDeepStrictEqual(await pipelineOf(build['pipeline_id']), {
      source: 'external',
      ref: 'main',
      sha,
      status: 'running',
    });
    await reported({ state: 'success', name: 'ci/test', coverage: 12.5 });
    await reported({ state: 'failed', name: 'ci/build', description: 'Broken' });
    assert.partialDeepStrictEqual(await pipelineOf(build['pipeline_id']), { status: 'failed', coverage: '12.50' });
    const commit = await server.request('GET', at(`/repository/commits/${sha}`), { token: reporter.token });
    assert.partialDeepStrictEqual(commit.json(), {
      status: 'failed',
      last_pipeline: { id: build['pipeline_id'], status: 'failed', source: 'external' },
    });
    assert.deepEqual(
      (await listed()).map((status) => [status['id'], status['name'], status['status'], status['description']]),
      [
        [build['id'], 'ci/build', 'failed', 'Broken'],
        [test['id'], 'ci/test', 'success', 'Testing'],
      ],
    );
  });

  it('an unfinished status is updated and refuses what cannot follow; a finished one is replaced', async () => {
    const refusal = (event: string, from: string) => ({
      message: `Cannot transition status via :${event} from :${from} (Reason(s): Status cannot transition via "${event}")`,
    });
    const first = await reported({ state: 'pending' });
    const again = await report({ state: 'pending' });
    assert.deepEqual([again.status, again.json()], [400, refusal('enqueue', 'pending')]);
    assert.equal((await reported({ state: 'running' }))['id'], first['id']);
    const running = await report({ state: 'running' });
    assert.deepEqual([running.status, running.json()], [400, refusal('run', 'running')]);
    const skipped = await report({ state: 'skipped' });
    assert.deepEqual([skipped.status, skipped.json()], [400, refusal('skip', 'running')]);
    assert.equal((await reported({ state: 'success' }))['id'], first['id']);
    const second = await reported({ state: 'failed' });
    assert.notEqual(second['id'], first['id']);
    assert.deepEqual(
      (await listed()).map((status) => status['id']),
      [second['id']],
    );
    assert.deepEqual(
      (await listed('?all=true&sort=desc')).map((status) => status['id']),
      [second['id'], first['id']],
    );
    assert.equal((await pipelineOf(second['pipeline_id']))['status'], 'failed');
  });

  it('a status goes into the pipeline that is named, or the newest of the commit and ref', async () => {
    const { platform } = server;
    const make = (ref: string) => createPipeline(platform, found, owner.user, { ref, sha });
    const [main, topic] = [make('main'), make('topic')];
    const job = createJob(platform, main, owner.user, { name: 'unit', status: 'success' });
    assert.equal((await reported({ state: 'success', ref: 'main' }))['pipeline_id'], main.id);
    assert.equal((await reported({ state: 'success', name: 'any' }))['pipeline_id'], topic.id);
    assert.equal((await reported({ state: 'success', pipeline_id: main.id, name: 'named' }))['pipeline_id'], main.id);
    const foreign = await report({ state: 'success', pipeline_id: main.id, ref: 'topic' });
    assert.equal(foreign.status, 404, foreign.text);
    assert.deepEqual(
      (await listed('?ref=main&name=unit')).map(({ id }) => id),
      [job.id],
    );
    assert.deepEqual(
      (await listed(`?pipeline_id=${topic.id}`)).map(({ name }) => name),
      ['any'],
    );
    assert.deepEqual(
      (await listed('?stage=external&order_by=pipeline_id')).map(({ name }) => name),
      ['default', 'named', 'any'],
    );
    // Statuses are no jobs.
    const jobs = await server.request('GET', at(`/pipelines/${main.id}/jobs`), { token: owner.token });
    const items = jobs.json();
    assert.ok(Array.isArray(items));
    assert.deepEqual(
      items.map((item: unknown) => Object(item).id),
      [job.id],
    );
  });

  it('a commit that no branch contains needs a ref', async () => {
    const other = await commitFiles(server.platform, found, owner, { lost: 'lost\n' }, { branch: 'lost', startBranch: 'main' });
    await server.request('DELETE', at('/repository/branches/lost'), { token: owner.token });
    const send = (json: object) => server.request('POST', at(`/statuses/${other}`), { token: developer.token, json });
    const refused = await send({ state: 'success' });
    assert.deepEqual([refused.status, refused.json()], [404, { message: '404 References for commit Not Found' }]);
    assert.equal((await send({ state: 'success', ref: 'refs/heads/lost' })).status, 201);
  });

  it('the page of a pipeline links to the systems that reported statuses', async () => {
    const open = projectWith(server.platform, owner, { name: 'Open', visibility: 'public' });
    const head = await commitFiles(server.platform, open, owner, { 'README.md': 'Open\n' });
    const made = await server.request('POST', `/api/v4/projects/${open.project.id}/statuses/${head}`, {
      token: owner.token,
      json: { state: 'success', name: 'ci/build', target_url: 'https://ci.example/7' },
    });
    const page = await new PageClient(server).open(`/ada/open/-/pipelines/${Object(made.json()).pipeline_id}`);
    assert.match(page.text, /<a href="https:\/\/ci\.example\/7"[^>]*>ci\/build<\/a>/);
  });
});
