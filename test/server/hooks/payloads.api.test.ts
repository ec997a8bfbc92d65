import assert from 'node:assert/strict';
import type { EventName } from '../../../server/features/hooks/events.ts';
import { createHook } from '../../../server/features/hooks/manageHooks.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { type HookReceiver, startHookReceiver } from '../../support/hookReceiver.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const NO_COMMIT = '0'.repeat(40);
type Payload = Readonly<Record<string, unknown>>;

describe('payloads of hooks', () => {
  let server: TestServer;
  let receiver: HookReceiver;
  let ada: Actor;
  let bob: Actor;
  let found: FoundProject;
  /** Number of payloads that were looked at. */
  let seen = 0;
  beforeEach(async () => {
    seen = 0;
    server = await startTestServer();
    receiver = await startHookReceiver();
    ada = actor(server.platform, 'ada');
    bob = actor(server.platform, 'bob');
    found = projectWith(server.platform, ada, { name: 'Lamps', path: 'lamps', visibility: 'public' }, [[bob, 30]]);
  });
  afterEach(async () => {
    await server.close();
    await receiver.close();
  });

  const hookFor = (event: EventName, more: object = {}) =>
    createHook(
      server.platform,
      { projectId: found.project.id },
      { url: receiver.url, events: { push_events: false, [event]: true }, ...more },
    );
  const send = async (method: string, path: string, json?: object, who = ada): Promise<Payload> => {
    const url = `/api/v4/projects/${found.project.id}/${path}`;
    const response = await server.request(method, url, { token: who.token, ...(json === undefined ? {} : { json }) });
    assert.ok(response.status < 300, response.text);
    return response.text === '' ? {} : (response.json() as Payload);
  };
  /** Returns the next payload and the value of its `X-Gitlab-Event`. */
  const next = async (): Promise<{ readonly body: Payload; readonly event: unknown }> => {
    const all = await receiver.next((seen += 1));
    const one = all[seen - 1];
    assert.ok(one !== undefined);
    return { body: one.body, event: one.headers['x-gitlab-event'] };
  };
  const person = ({ user }: Actor) => ({
    id: user.id,
    name: user.name,
    username: user.username,
    avatar_url: null,
    email: '[REDACTED]',
  });
  const project = () => ({
    id: found.project.id,
    name: 'Lamps',
    description: null,
    web_url: `${server.origin}/ada/lamps`,
    avatar_url: null,
    git_ssh_url: 'git@127.0.0.1:ada/lamps.git',
    git_http_url: `${server.origin}/ada/lamps.git`,
    namespace: 'ada Example',
    visibility_level: 20,
    path_with_namespace: 'ada/lamps',
    default_branch: 'main',
    ci_config_path: null,
    homepage: `${server.origin}/ada/lamps`,
    url: 'git@127.0.0.1:ada/lamps.git',
    ssh_url: 'git@127.0.0.1:ada/lamps.git',
    http_url: `${server.origin}/ada/lamps.git`,
  });
  const commitsIn = (body: Payload) => body['commits'] as readonly Payload[];

  it('pushes have their commits with the changed paths, oldest first', async () => {
    const first = await commitFiles(server.platform, found, ada, { 'README.md': 'lamps\n' }, { message: 'First' });
    hookFor('push_events');
    const second = await commitFiles(
      server.platform,
      found,
      ada,
      { 'lamp.ts': '7\n' },
      { message: 'Second\n\nMore about it.\n' },
    );
    const { body, event } = await next();
    assert.equal(event, 'Push Hook');
    assert.deepEqual(Object.fromEntries(Object.entries(body).filter(([name]) => !['commits', 'repository'].includes(name))), {
      object_kind: 'push',
      event_name: 'push',
      before: first,
      after: second,
      ref: 'refs/heads/main',
      ref_protected: true,
      checkout_sha: second,
      message: null,
      user_id: ada.user.id,
      user_name: 'ada Example',
      user_username: 'ada',
      user_email: '',
      user_avatar: null,
      project_id: found.project.id,
      project: project(),
      total_commits_count: 1,
      push_options: {},
    });
    assert.equal(commitsIn(body).length, 1);
    assert.partialDeepStrictEqual(commitsIn(body)[0], {
      id: second,
      title: 'Second',
      url: `${server.origin}/ada/lamps/-/commit/${second}`,
      author: { name: 'ada Example', email: 'ada@example.com' },
      added: ['lamp.ts'],
      modified: [],
      removed: [],
    });
    assert.match(String(commitsIn(body)[0]?.['timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    assert.partialDeepStrictEqual(body['repository'], {
      name: 'Lamps',
      git_http_url: project().git_http_url,
      visibility_level: 20,
    });
  });

  it('new and deleted branches have a commit of zeros, and branches are filtered', async () => {
    await commitFiles(server.platform, found, ada, { 'README.md': 'lamps\n' });
    hookFor('push_events', { branchFilter: 'topic*' });
    await commitFiles(server.platform, found, ada, { 'a.ts': '7\n' });
    const sha = await commitFiles(server.platform, found, ada, { 'b.ts': '7\n' }, { branch: 'topic', startBranch: 'main' });
    const created = await next();
    assert.partialDeepStrictEqual(created.body, { before: NO_COMMIT, after: sha, ref: 'refs/heads/topic', ref_protected: false });
    assert.deepEqual(
      commitsIn(created.body).map(({ id }) => id),
      [sha],
    );
    await send('DELETE', 'repository/branches/topic');
    const { body } = await next();
    assert.partialDeepStrictEqual(body, {
      before: sha,
      after: NO_COMMIT,
      checkout_sha: null,
      commits: [],
      total_commits_count: 0,
    });
  });

  it('tags have the message of an annotated tag', async () => {
    const sha = await commitFiles(server.platform, found, ada, { 'README.md': 'lamps\n' });
    hookFor('tag_push_events');
    await send('POST', 'repository/tags', { tag_name: 'v1', ref: 'main', message: 'The first one' });
    const { body, event } = await next();
    assert.equal(event, 'Tag Push Hook');
    assert.partialDeepStrictEqual(body, {
      object_kind: 'tag_push',
      event_name: 'tag_push',
      before: NO_COMMIT,
      ref: 'refs/tags/v1',
      checkout_sha: sha,
      commits: [],
      total_commits_count: 0,
    });
    assert.notEqual(body['after'], sha);
    assert.equal(String(body['message']).trim(), 'The first one');
  });

  it('a push of more branches than the limit calls no hook', async () => {
    await commitFiles(server.platform, found, ada, { 'README.md': 'lamps\n' });
    hookFor('push_events');
    const path = '/api/v4/application/settings?push_event_hooks_limit=0';
    assert.equal((await server.request('PUT', path, { token: server.adminToken })).status, 200);
    await commitFiles(server.platform, found, ada, { 'a.ts': '7\n' });
    await server.request('PUT', path.replace('=0', '=1'), { token: server.adminToken });
    const sha = await commitFiles(server.platform, found, ada, { 'b.ts': '7\n' });
    assert.partialDeepStrictEqual((await next()).body, { after: sha });
  });

  it('issues have the changes of one request together', async () => {
    hookFor('issues_events');
    const { iid } = await send('POST', 'issues', { title: 'Lamp 7', labels: 'hardware', assignee_ids: [bob.user.id] });
    const opened = await next();
    assert.equal(opened.event, 'Issue Hook');
    assert.partialDeepStrictEqual(opened.body, {
      object_kind: 'issue',
      event_type: 'issue',
      user: person(ada),
      project: project(),
      object_attributes: {
        iid: Number(iid),
        title: 'Lamp 7',
        description: null,
        state: 'opened',
        state_id: 1,
        action: 'open',
        author_id: ada.user.id,
        assignee_ids: [bob.user.id],
        confidential: false,
        url: `${server.origin}/ada/lamps/-/issues/${String(iid)}`,
      },
      changes: {},
      assignees: [person(bob)],
      repository: { name: 'Lamps', homepage: project().homepage },
    });
    assert.partialDeepStrictEqual(opened.body['labels'], [
      { title: 'hardware', type: 'ProjectLabel', project_id: found.project.id },
    ]);
    await send('PUT', `issues/${String(iid)}`, {
      title: 'Lamp 8',
      add_labels: 'track',
      assignee_ids: [],
      due_date: '2026-12-24',
    });
    const { body } = await next();
    const changes = body['changes'] as Readonly<Record<string, Payload>>;
    assert.deepEqual(
      Object.keys(changes)
        .filter((name) => name !== 'updated_at')
        .sort(),
      ['assignees', 'due_date', 'labels', 'title'],
    );
    assert.deepEqual(changes['title'], { previous: 'Lamp 7', current: 'Lamp 8' });
    assert.deepEqual(changes['assignees'], { previous: [person(bob)], current: [] });
    assert.partialDeepStrictEqual(body, { object_attributes: { action: 'update', title: 'Lamp 8' } });
    await send('PUT', `issues/${String(iid)}`, { state_event: 'close' });
    assert.partialDeepStrictEqual((await next()).body, {
      object_attributes: { action: 'close', state: 'closed' },
      changes: { state_id: { previous: 1, current: 2 } },
    });
    await send('PUT', `issues/${String(iid)}`, { state_event: 'reopen' });
    assert.partialDeepStrictEqual((await next()).body, { object_attributes: { action: 'reopen', state: 'opened' } });
  });

  it('comments have what they are on, system notes call no hook, and internal ones have their own event', async () => {
    hookFor('note_events');
    const { iid } = await send('POST', 'issues', { title: 'Lamp 7' });
    await send('PUT', `issues/${String(iid)}`, { state_event: 'close' });
    const { id } = await send('POST', `issues/${String(iid)}/notes`, { body: 'The fuse is blown.' }, bob);
    const { body, event } = await next();
    assert.equal(event, 'Note Hook');
    assert.partialDeepStrictEqual(body, {
      object_kind: 'note',
      event_type: 'note',
      user: person(bob),
      project_id: found.project.id,
      object_attributes: {
        id: Number(id),
        note: 'The fuse is blown.',
        noteable_type: 'Issue',
        system: false,
        action: 'create',
        url: `${server.origin}/ada/lamps/-/issues/${String(iid)}#note_${String(id)}`,
      },
      issue: { iid: Number(iid), title: 'Lamp 7', state: 'closed' },
    });
    hookFor('confidential_note_events');
    await send('POST', `issues/${String(iid)}/notes`, { body: 'Between us.', internal: true });
    const internal = await next();
    assert.equal(internal.event, 'Confidential Note Hook');
    assert.partialDeepStrictEqual(internal.body, { event_type: 'confidential_note', object_attributes: { internal: true } });
  });

  it('comments on merge requests, commits and snippets have them', async () => {
    const sha = await commitFiles(server.platform, found, ada, { 'README.md': 'lamps\n' });
    const head = await commitFiles(server.platform, found, ada, { 'b.ts': '7\n' }, { branch: 'topic', startBranch: 'main' });
    const { iid } = await send('POST', 'merge_requests', { title: 'New lamp', source_branch: 'topic', target_branch: 'main' });
    const snippet = await send('POST', 'snippets', {
      title: 'Wiring',
      visibility: 'public',
      files: [{ file_path: 'a.txt', content: 'x' }],
    });
    hookFor('note_events');
    await send('POST', `merge_requests/${String(iid)}/notes`, { body: 'Fine.' });
    assert.partialDeepStrictEqual((await next()).body, {
      object_attributes: { noteable_type: 'MergeRequest' },
      merge_request: { title: 'New lamp', source_branch: 'topic', last_commit: { id: head } },
    });
    await send('POST', `repository/commits/${sha}/comments`, { note: 'Fine.' });
    assert.partialDeepStrictEqual((await next()).body, {
      object_attributes: { noteable_type: 'Commit', noteable_id: null, commit_id: sha },
      commit: { id: sha },
    });
    await send('POST', `snippets/${String(snippet['id'])}/notes`, { body: 'Fine.' });
    assert.partialDeepStrictEqual((await next()).body, {
      object_attributes: { noteable_type: 'Snippet' },
      snippet: { title: 'Wiring', type: 'ProjectSnippet' },
    });
  });

  it('merge requests are delivered from their opening to their merge', async () => {
    await commitFiles(server.platform, found, ada, { 'README.md': 'lamps\n' });
    const head = await commitFiles(server.platform, found, ada, { 'b.ts': '7\n' }, { branch: 'topic', startBranch: 'main' });
    hookFor('merge_requests_events');
    const ends = { source_branch: 'topic', target_branch: 'main' };
    const { iid } = await send('POST', 'merge_requests', { title: 'New lamp', ...ends, reviewer_ids: [bob.user.id] });
    const path = `merge_requests/${String(iid)}`;
    const opened = await next();
    assert.equal(opened.event, 'Merge Request Hook');
    assert.partialDeepStrictEqual(opened.body, {
      object_kind: 'merge_request',
      event_type: 'merge_request',
      user: person(ada),
      object_attributes: {
        ...ends,
        action: 'open',
        state: 'opened',
        draft: false,
        title: 'New lamp',
        last_commit: { id: head, author: { name: 'ada Example' } },
        source: project(),
        target: project(),
        url: `${server.origin}/ada/lamps/-/merge_requests/${String(iid)}`,
      },
      reviewers: [person(bob)],
      changes: {},
    });
    await send('PUT', path, { title: 'Draft: New lamp' });
    assert.partialDeepStrictEqual((await next()).body, {
      object_attributes: { action: 'update' },
      changes: { title: { previous: 'New lamp', current: 'Draft: New lamp' }, draft: { previous: false, current: true } },
    });
    await send('PUT', path, { title: 'New lamp' });
    await next();
    const pushed = await commitFiles(server.platform, found, ada, { 'c.ts': '7\n' }, { branch: 'topic' });
    assert.partialDeepStrictEqual((await next()).body, {
      object_attributes: { action: 'update', oldrev: head, last_commit: { id: pushed } },
    });
    await send('POST', `${path}/approve`, {}, bob);
    assert.partialDeepStrictEqual((await next()).body, { user: person(bob), object_attributes: { action: 'approved' } });
    await send('POST', `${path}/unapprove`, {}, bob);
    assert.partialDeepStrictEqual((await next()).body, { object_attributes: { action: 'unapproved' } });
    await send('PUT', path, { state_event: 'close' });
    assert.partialDeepStrictEqual((await next()).body, { object_attributes: { action: 'close', state: 'closed' } });
    await send('PUT', path, { state_event: 'reopen' });
    assert.partialDeepStrictEqual((await next()).body, { object_attributes: { action: 'reopen', state: 'opened' } });
    await send('PUT', `${path}/merge`);
    assert.partialDeepStrictEqual((await next()).body, { object_attributes: { action: 'merge', state: 'merged' } });
  });

  it('pipelines and jobs are delivered at each status', async () => {
    const sha = await commitFiles(server.platform, found, ada, { 'README.md': 'lamps\n' }, { message: 'First' });
    hookFor('pipeline_events');
    const { id } = await send('POST', 'pipeline', { ref: 'main' });
    const job = await send('POST', `pipelines/${String(id)}/jobs`, { name: 'light', stage: 'test' });
    const pending = await next();
    assert.equal(pending.event, 'Pipeline Hook');
    assert.partialDeepStrictEqual(pending.body, {
      object_kind: 'pipeline',
      object_attributes: {
        id: Number(id),
        ref: 'main',
        tag: false,
        sha,
        status: 'pending',
        stages: ['test'],
        finished_at: null,
        url: `${server.origin}/ada/lamps/-/pipelines/${String(id)}`,
      },
      user: person(ada),
      commit: { id: sha, title: 'First' },
      builds: [{ id: Number(job['id']), name: 'light', stage: 'test', status: 'pending' }],
    });
    hookFor('job_events');
    await send('PUT', `jobs/${String(job['id'])}`, { status: 'success' });
    const both = [await next(), await next()];
    const jobs = both.find(({ event }) => event === 'Job Hook');
    assert.partialDeepStrictEqual(jobs?.body, {
      object_kind: 'build',
      ref: 'main',
      sha,
      retries_count: 0,
      build_id: Number(job['id']),
      build_name: 'light',
      build_stage: 'test',
      build_status: 'success',
      pipeline_id: Number(id),
      project_id: found.project.id,
      project_name: 'ada Example / Lamps',
      user: person(ada),
      commit: { id: Number(id), sha, message: 'First' },
    });
    const pipeline = both.find(({ event }) => event === 'Pipeline Hook');
    assert.partialDeepStrictEqual(pipeline?.body, {
      object_attributes: { status: 'success', detailed_status: 'passed' },
      builds: [{ status: 'success' }],
    });
  });

  it('releases are delivered when they are created, changed and deleted', async () => {
    const sha = await commitFiles(server.platform, found, ada, { 'README.md': 'lamps\n' });
    hookFor('releases_events');
    const assets = { links: [{ name: 'notes', url: 'https://lamps.example/notes' }] };
    await send('POST', 'releases', { tag_name: 'v1', ref: 'main', name: 'One', description: 'First', assets });
    const { body, event } = await next();
    assert.equal(event, 'Release Hook');
    assert.partialDeepStrictEqual(body, {
      object_kind: 'release',
      action: 'create',
      tag: 'v1',
      name: 'One',
      description: 'First',
      project: project(),
      url: `${server.origin}/ada/lamps/-/releases/v1`,
      assets: { count: 4, links: [{ name: 'notes', url: 'https://lamps.example/notes', link_type: 'other' }] },
      commit: { id: sha },
    });
    await send('PUT', 'releases/v1', { name: 'Two' });
    assert.partialDeepStrictEqual((await next()).body, { action: 'update', name: 'Two' });
    await send('DELETE', 'releases/v1');
    assert.partialDeepStrictEqual((await next()).body, { action: 'delete', name: 'Two' });
  });

  it('tests deliver every kind of event that the project has', async () => {
    await commitFiles(server.platform, found, ada, { 'README.md': 'lamps\n' });
    await commitFiles(server.platform, found, ada, { 'b.ts': '7\n' }, { branch: 'topic', startBranch: 'main' });
    await send('POST', 'merge_requests', { title: 'New lamp', source_branch: 'topic', target_branch: 'main' });
    for (const confidential of [false, true]) {
      const { iid } = await send('POST', 'issues', { title: 'Lamp', confidential });
      await send('POST', `issues/${String(iid)}/notes`, { body: 'Fine.' });
    }
    const { id } = await send('POST', 'pipeline', { ref: 'main' });
    await send('POST', `pipelines/${String(id)}/jobs`, { name: 'light' });
    await send('POST', 'releases', { tag_name: 'v1', ref: 'main', name: 'One' });
    const hook = createHook(
      server.platform,
      { projectId: found.project.id },
      { url: receiver.url, events: { push_events: false } },
    );
    for (const [event, kind] of [
      ['push_events', 'push'],
      ['tag_push_events', 'tag_push'],
      ['issues_events', 'issue'],
      ['confidential_issues_events', 'issue'],
      ['note_events', 'note'],
      ['confidential_note_events', 'note'],
      ['merge_requests_events', 'merge_request'],
      ['job_events', 'build'],
      ['pipeline_events', 'pipeline'],
      ['releases_events', 'release'],
    ] as const) {
      await send('POST', `hooks/${hook.id}/test/${event}`);
      assert.equal((await next()).body['object_kind'], kind, event);
    }
    assert.equal(commitsIn(receiver.received[0]?.body ?? {}).length, 1);
  });
});
