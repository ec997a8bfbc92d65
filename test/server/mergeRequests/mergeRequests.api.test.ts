import assert from 'node:assert/strict';
import { type Actor, projectWith } from '../projects/cast.ts';
import { PageClient, textOf } from '../../support/pages.ts';
import { type TestServer } from '../../support/server.ts';
import { REQUESTS, type Stage, startStage, type Wire } from './stage.ts';

describe('merge requests', () => {
  let server: TestServer;
  let stage: Stage;
  beforeEach(async () => {
    stage = await startStage();
    ({ server } = stage);
  });
  afterEach(() => server.close());

  const usernames = (people: unknown): string[] => (people as { username: string }[]).map((one) => one.username);

  it('merge requests are created with all attributes', async () => {
    const { dev, mia, rita, open, get } = stage;
    const opened = await open(dev, {
      description: 'They shine.\n\n- [x] red\n- [ ] green',
      assignee_ids: [dev.user.id, rita.user.id],
      reviewer_ids: [mia.user.id],
      remove_source_branch: true,
      squash: true,
    });
    const { assignees, reviewers, author, assignee, diff_refs, ...plain } = opened;
    assert.deepEqual(usernames(assignees), ['dev', 'rita']);
    assert.deepEqual(usernames(reviewers), ['mia']);
    assert.partialDeepStrictEqual([author, assignee], [{ username: 'dev' }, { username: 'dev' }]);
    assert.partialDeepStrictEqual(diff_refs, { head_sha: opened.sha });
    assert.deepEqual(plain, {
      id: 1,
      iid: 1,
      project_id: 1,
      title: 'Green lamps',
      description: 'They shine.\n\n- [x] red\n- [ ] green',
      state: 'opened',
      created_at: '2026-05-10T09:00:00.000Z',
      updated_at: '2026-05-10T09:00:00.000Z',
      merged_by: null,
      merge_user: null,
      merged_at: null,
      closed_by: null,
      closed_at: null,
      target_branch: 'main',
      source_branch: 'topic',
      user_notes_count: 0,
      upvotes: 0,
      downvotes: 0,
      source_project_id: 1,
      target_project_id: 1,
      labels: [],
      milestone: null,
      draft: false,
      imported: false,
      imported_from: 'none',
      work_in_progress: false,
      merge_when_pipeline_succeeds: false,
      merge_status: 'can_be_merged',
      detailed_merge_status: 'mergeable',
      merge_after: null,
      sha: opened.sha,
      merge_commit_sha: null,
      merge_error: null,
      squash_commit_sha: null,
      discussion_locked: null,
      should_remove_source_branch: null,
      force_remove_source_branch: true,
      prepared_at: '2026-05-10T09:00:00.000Z',
      reference: '!1',
      references: { short: '!1', relative: '!1', full: 'ada/lamps!1' },
      web_url: `${server.origin}/ada/lamps/-/merge_requests/1`,
      time_stats: { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
      squash: true,
      squash_on_merge: true,
      task_completion_status: { count: 2, completed_count: 1 },
      has_conflicts: false,
      blocking_discussions_resolved: true,
      approvals_before_merge: null,
      subscribed: true,
      changes_count: '1',
      latest_build_started_at: null,
      latest_build_finished_at: null,
      first_deployed_to_production_at: null,
      pipeline: null,
      head_pipeline: null,
      first_contribution: false,
      user: { can_merge: false },
    });
    assert.partialDeepStrictEqual(await get(), { user: { can_merge: true } });
  });

  it('merge requests are refused without permission, for unknown branches, and as duplicates', async () => {
    const { dev, rita, otto, send, open } = stage;
    await open(dev);
    const input = { title: 'x', source_branch: 'topic', target_branch: 'main' };
    for (const [who, json, status, body] of [
      [rita, input, 403, { message: '403 Forbidden' }],
      [otto, input, 403, { message: '403 Forbidden' }],
      [undefined, input, 401, { message: '401 Unauthorized' }],
      [dev, input, 409, { message: ['Another open merge request already exists for this source branch: !1'] }],
      [dev, { ...input, source_branch: 'main' }, 422, { message: ["You can't use same project/branch for source and target"] }],
      [dev, { ...input, source_branch: 'gone' }, 400, { message: { source_branch: ['does not exist'] } }],
      [dev, { ...input, target_branch: 'gone' }, 400, { message: { target_branch: ['does not exist'] } }],
      [dev, { ...input, title: ' ' }, 400, { message: { title: ["can't be blank"] } }],
      [
        dev,
        { title: 'x' },
        400,
        { error: 'source_branch is missing, source_branch is empty, target_branch is missing, target_branch is empty' },
      ],
      [dev, { ...input, target_project_id: 9 }, 404, { message: '404 Project Not Found' }],
    ] as const) {
      const response = await send('POST', REQUESTS, who, json);
      assert.deepEqual([response.status, response.json()], [status, body], JSON.stringify(json));
    }
  });

  it('merge requests are updated by developers, the author and assignees, and become drafts by title', async () => {
    const { dev, mia, rita, otto, open, send } = stage;
    await open(mia, { assignee_ids: [rita.user.id] });
    const put = async (who: Actor, json: object): Promise<Wire> => {
      const response = await send('PUT', `${REQUESTS}/1`, who, json);
      assert.equal(response.status, 200, response.text);
      return response.json() as Wire;
    };
    assert.partialDeepStrictEqual(await put(rita, { title: 'Draft: Green' }), {
      title: 'Draft: Green',
      draft: true,
      detailed_merge_status: 'draft_status',
      merge_status: 'can_be_merged',
    });
    assert.partialDeepStrictEqual(await put(dev, { title: 'Green', discussion_locked: true }), {
      draft: false,
      discussion_locked: true,
    });
    const people = await put(dev, { assignee_ids: [dev.user.id, 99], reviewer_ids: [rita.user.id] });
    assert.deepEqual([usernames(people['assignees']), usernames(people['reviewers'])], [['dev'], ['rita']]);
    assert.deepEqual(usernames((await put(dev, { assignee_id: 0 }))['assignees']), []);
    assert.equal((await send('PUT', `${REQUESTS}/1`, otto, { title: 'x' })).status, 403);
    const nothing = await send('PUT', `${REQUESTS}/1`, dev, {});
    assert.equal(nothing.status, 400);
    assert.match(nothing.text, /at least one parameter must be provided/);
    const closed = await put(dev, { state_event: 'close' });
    assert.partialDeepStrictEqual(closed, {
      state: 'closed',
      closed_by: { username: 'dev' },
      closed_at: '2026-05-10T09:00:00.000Z',
      detailed_merge_status: 'not_open',
    });
    await open(dev);
    const twin = await send('PUT', `${REQUESTS}/1`, dev, { state_event: 'reopen' });
    assert.equal(twin.status, 409);
    await send('PUT', `${REQUESTS}/2`, dev, { state_event: 'close' });
    assert.partialDeepStrictEqual(await put(dev, { state_event: 'reopen' }), {
      state: 'opened',
      closed_by: null,
      closed_at: null,
    });
  });

  it('merge requests have labels, a milestone and subscribers', async () => {
    const { ada, dev, rita, otto, open, send } = stage;
    await send('POST', '/api/v4/projects/1/milestones', ada, { title: 'May' });
    const opened = await open(dev, { labels: 'b,a', milestone_id: 1 });
    assert.deepEqual(opened['labels'], ['a', 'b']);
    const labels = (await send('GET', '/api/v4/projects/1/labels?with_counts=true', rita)).json() as Record<string, unknown>[];
    assert.deepEqual(
      labels.map((label) => [label['name'], label['open_issues_count'], label['open_merge_requests_count']]),
      [
        ['a', 0, 1],
        ['b', 0, 1],
      ],
    );
    assert.partialDeepStrictEqual(opened, { milestone: { title: 'May' }, subscribed: true });
    const changed = await send('PUT', `${REQUESTS}/1`, rita, { add_labels: 'c' });
    assert.equal(changed.status, 403);
    const after = (
      await send('PUT', `${REQUESTS}/1`, dev, { add_labels: 'c', remove_labels: 'a', milestone_id: 0 })
    ).json() as Wire;
    assert.deepEqual([after['labels'], after['milestone']], [['b', 'c'], null]);
    await open(dev, { target_branch: 'topic', source_branch: 'main', milestone_id: 1 });
    for (const [query, iids] of [
      ['labels=b,c', [1]],
      ['labels=None', [2]],
      ['not[labels]=b', [2]],
      ['milestone=May', [2]],
      ['milestone=None', [1]],
      ['not[milestone]=May', [1]],
    ] as const) {
      const response = await send('GET', `${REQUESTS}?${query}`, ada);
      assert.deepEqual(
        (response.json() as Wire[]).map(({ iid }) => iid),
        iids,
        query,
      );
    }
    const [detailed] = (await send('GET', `${REQUESTS}?iids[]=1&with_labels_details=true`, ada)).json() as Wire[];
    assert.partialDeepStrictEqual(detailed, { labels: [{ name: 'b' }, { name: 'c' }] });
    assert.equal((await send('POST', `${REQUESTS}/1/subscribe`, dev)).status, 304);
    assert.partialDeepStrictEqual((await send('POST', `${REQUESTS}/1/unsubscribe`, dev)).json(), { subscribed: false });
    assert.partialDeepStrictEqual((await send('POST', `${REQUESTS}/1/subscribe`, otto)).json(), { subscribed: true });
  });

  it('merge requests and their list have pages', async () => {
    const { dev, mia, otto, open, send } = stage;
    await open(dev, { title: 'Green <b>lamps</b>', description: 'They shine.', reviewer_ids: [mia.user.id], labels: 'bright' });
    await send('POST', `${REQUESTS}/1/notes`, otto, { body: 'Nice & green.' });
    await send('POST', `${REQUESTS}/1/notes`, mia, { body: 'Among us.', internal: true });
    const nobody = new PageClient(server);
    const shown = await nobody.open('/ada/lamps/-/merge_requests/1');
    assert.equal(shown.status, 200, shown.text);
    const text = textOf(shown.text);
    for (const part of [
      'Green <b>lamps</b>',
      'They shine.',
      'open bright',
      'topic into main',
      'Reviewers mia Example',
      'Ready to merge.',
      'Nice & green.',
      'Commits Green',
      '1 changed file green.txt new',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.ok(!text.includes('Among us.'));
    assert.match(textOf((await nobody.open('/ada/lamps/-/merge_requests')).text), /!1 Green <b>lamps<\/b> open/);
    assert.equal((await nobody.open('/ada/lamps/-/merge_requests/2')).status, 404);
    await send('PUT', '/api/v4/projects/1', stage.ada, { visibility: 'private' });
    assert.equal((await nobody.open('/ada/lamps/-/merge_requests/1')).status, 303);
  });

  it('merge requests can be retargeted, with a new comparison', async () => {
    const { dev, open, send, branch, commit } = stage;
    await open(dev);
    await branch('release');
    await commit('release', 'blue.txt', 'blue\n');
    const moved = (await send('PUT', `${REQUESTS}/1`, dev, { target_branch: 'release' })).json() as Wire;
    assert.partialDeepStrictEqual(moved, { target_branch: 'release', detailed_merge_status: 'mergeable' });
    assert.equal((await send('PUT', `${REQUESTS}/1`, dev, { target_branch: 'gone' })).status, 400);
    const versions = (await send('GET', `${REQUESTS}/1/versions`, dev)).json() as { id: number }[];
    assert.deepEqual(
      versions.map(({ id }) => id),
      [2, 1],
    );
  });

  it('merge requests follow their source branch and are closed when it is deleted', async () => {
    const { dev, open, get, send, commit } = stage;
    const opened = await open(dev);
    const pushed = await commit('topic', 'blue.txt', 'blue\n');
    assert.notEqual(pushed, opened.sha);
    assert.partialDeepStrictEqual(await get(), { sha: pushed, changes_count: '2', diff_refs: { head_sha: pushed } });
    const commits = (await send('GET', `${REQUESTS}/1/commits`, dev)).json() as { title: string }[];
    assert.deepEqual(
      commits.map(({ title }) => title),
      ['About blue.txt', 'Green'],
    );
    const versions = (await send('GET', `${REQUESTS}/1/versions`, dev)).json() as {
      head_commit_sha: string;
      real_size: string;
    }[];
    assert.deepEqual(
      versions.map((version) => [version.head_commit_sha, version.real_size]),
      [
        [pushed, '2'],
        [opened.sha, '1'],
      ],
    );
    const notes = (await send('GET', `${REQUESTS}/1/notes`, dev)).json() as { body: string; system: boolean }[];
    assert.deepEqual(
      notes.map(({ body, system }) => [body, system]),
      [['added 1 commit', true]],
    );
    await send('DELETE', '/api/v4/projects/1/repository/branches/topic', dev);
    assert.partialDeepStrictEqual(await get(), { state: 'closed', closed_by: { username: 'dev' }, sha: pushed });
  });

  it('merge requests show their changes by file, as a patch and by version', async () => {
    const { dev, open, send, commit } = stage;
    await open(dev);
    await commit('topic', 'green.txt', 'greener\n', 'update');
    const diffs = (await send('GET', `${REQUESTS}/1/diffs`, dev)).json() as object[];
    assert.equal(diffs.length, 1);
    assert.partialDeepStrictEqual(diffs[0], { new_path: 'green.txt', new_file: true, diff: '@@ -0,0 +1 @@\n+greener\n' });
    const changes = (await send('GET', `${REQUESTS}/1/changes`, dev)).json() as { changes: object[]; overflow: boolean };
    assert.deepEqual([changes.changes, changes.overflow], [diffs, false]);
    const raw = await send('GET', `${REQUESTS}/1/raw_diffs`, dev);
    assert.match(raw.headers.get('content-type') ?? '', /^text\/plain/);
    assert.match(raw.text, /^diff --git a\/green\.txt b\/green\.txt\nnew file mode 100644\n[^]*\+greener\n$/);
    const first = (await send('GET', `${REQUESTS}/1/versions/1`, dev)).json() as { commits: object[]; diffs: { diff: string }[] };
    assert.equal(first.commits.length, 1);
    assert.equal(first.diffs[0]?.diff, '@@ -0,0 +1 @@\n+green\n');
    assert.equal((await send('GET', `${REQUESTS}/1/versions/9`, dev)).status, 404);
  });

  it('merge requests in a private project are visible from the reporter role, and look absent to others', async () => {
    const { ada, dev, rita, otto, mia, send, open } = stage;
    await open(dev);
    await send('PUT', '/api/v4/projects/1/members/' + String(mia.user.id), ada, { access_level: 10 });
    await send('PUT', '/api/v4/projects/1', ada, { visibility: 'private' });
    assert.equal((await send('GET', `${REQUESTS}/1`, rita)).status, 200);
    assert.equal((await send('GET', `${REQUESTS}/1`, mia)).status, 404);
    assert.equal((await send('GET', REQUESTS, mia)).status, 403);
    assert.equal((await send('GET', `${REQUESTS}/1`, otto)).status, 404);
    const all = async (who: Actor): Promise<number> =>
      ((await send('GET', '/api/v4/merge_requests?scope=all', who)).json() as unknown[]).length;
    assert.deepEqual([await all(rita), await all(mia), await all(otto)], [1, 0, 0]);
  });

  it('merge requests can be deleted by owners only, with their notes and events', async () => {
    const { ada, mia, dev, open, send } = stage;
    await open(dev);
    await send('POST', `${REQUESTS}/1/notes`, dev, { body: 'Look.' });
    assert.equal((await send('DELETE', `${REQUESTS}/1`, mia)).status, 403);
    assert.equal((await send('DELETE', `${REQUESTS}/1`, ada)).status, 204);
    const missing = await send('GET', `${REQUESTS}/1`, ada);
    assert.deepEqual([missing.status, missing.json()], [404, { message: '404 Not found' }]);
    const events = (await send('GET', '/api/v4/projects/1/events?target_type=merge_request', ada)).json();
    assert.deepEqual(events, []);
  });
});

describe('lists of merge requests', () => {
  let server: TestServer;
  let stage: Stage;
  before(async () => {
    stage = await startStage();
    ({ server } = stage);
    const { dev, mia, rita, ada, open, branch, commit, send } = stage;
    await open(dev, { title: 'Green', assignee_ids: [rita.user.id], reviewer_ids: [mia.user.id] });
    await branch('blue');
    await commit('blue', 'blue.txt', 'blue\n');
    server.platform.clock.advance(86_400_000);
    await open(mia, { title: 'Draft: Blue', source_branch: 'blue', description: 'like the sea' });
    await branch('release');
    await open(ada, { title: 'To release', source_branch: 'blue', target_branch: 'release' });
    await send('PUT', `${REQUESTS}/3`, ada, { state_event: 'close' });
    await send('POST', `${REQUESTS}/1/approve`, mia);
    const inGroup = projectWith(server.platform, ada, { name: 'Other', visibility: 'public' });
    assert.equal(inGroup.project.id, 2);
  });
  after(() => server.close());

  for (const [query, iids] of [
    ['', [3, 2, 1]],
    ['state=opened', [2, 1]],
    ['state=closed', [3]],
    ['state=merged', []],
    ['sort=asc', [1, 2, 3]],
    ['order_by=title&sort=asc', [2, 1, 3]],
    ['author_username=dev', [1]],
    ['author_id=3', [2]],
    ['assignee_id=Any', [1]],
    ['assignee_id=None', [3, 2]],
    ['assignee_username=rita', [1]],
    ['reviewer_username=mia', [1]],
    ['reviewer_id=none', [3, 2]],
    ['source_branch=blue', [3, 2]],
    ['target_branch=release', [3]],
    ['search=sea', [2]],
    ['search=sea&in=title', []],
    ['wip=yes', [2]],
    ['wip=no', [3, 1]],
    ['draft=true', [2]],
    ['iids[]=1&iids[]=3', [3, 1]],
    ['created_after=2026-05-11T00:00:00Z', [3, 2]],
    ['created_before=2026-05-11T00:00:00Z', [1]],
    ['scope=created_by_me', [3]],
    ['scope=assigned_to_me', []],
    ['not[author_username]=dev', [3, 2]],
    ['not[target_branch]=main', [3]],
    ['not[assignee_id]=Any', [3, 2]],
    ['approved=yes', [1]],
    ['approved_by_ids=3', [1]],
    ['approved_by_ids=None', [3, 2]],
    ['approved_by_ids=3,4', []],
  ] as const) {
    it(`a list of merge requests of a project with ?${query} is correct`, async () => {
      const response = await stage.send('GET', `${REQUESTS}?${query}`, stage.ada);
      assert.equal(response.status, 200, response.text);
      assert.deepEqual(
        (response.json() as Wire[]).map(({ iid }) => iid),
        iids,
      );
    });
  }

  it('a list of merge requests of the instance contains the caller’s own by default, in short form, and those for reviewers', async () => {
    const { send, mia, ada } = stage;
    const titles = async (who: Actor | undefined, query: string): Promise<string[]> => {
      const response = await send('GET', `/api/v4/merge_requests${query}`, who);
      assert.equal(response.status, 200, response.text);
      return (response.json() as Wire[]).map(({ title }) => title);
    };
    assert.deepEqual(await titles(mia, ''), ['Draft: Blue']);
    assert.deepEqual(await titles(mia, '?scope=reviews_for_me'), ['Green']);
    assert.deepEqual(await titles(undefined, '?scope=all&state=opened'), ['Draft: Blue', 'Green']);
    assert.equal((await send('GET', '/api/v4/merge_requests', undefined)).status, 401);
    const [short] = (await send('GET', `${REQUESTS}?view=simple`, ada)).json() as Wire[];
    assert.deepEqual(Object.keys(short ?? {}), [
      'id',
      'iid',
      'project_id',
      'title',
      'description',
      'state',
      'created_at',
      'updated_at',
      'web_url',
    ]);
  });

  it('lists of merge requests show unchecked until the merge status is requested', async () => {
    const { send, ada, commit } = stage;
    const status = async (query: string): Promise<string[]> =>
      ((await send('GET', `${REQUESTS}?state=opened&${query}`, ada)).json() as Wire[]).map((one) => one.detailed_merge_status);
    assert.deepEqual(await status(''), ['draft_status', 'mergeable']);
    await commit('main', 'more.txt', 'more\n');
    assert.deepEqual(await status(''), ['unchecked', 'unchecked']);
    assert.deepEqual(await status('with_merge_status_recheck=true'), ['draft_status', 'mergeable']);
    assert.deepEqual(await status(''), ['draft_status', 'mergeable']);
  });

  it('lists of merge requests refuse invalid parameters', async () => {
    for (const [query, error] of [
      ['assignee_id=ada', "assignee_id should be an integer, 'None' or 'Any'"],
      ['not[reviewer_id]=ada', "not[reviewer_id] should be an integer, 'None' or 'Any'"],
      ['not[author_id]=ada', 'not[author_id] is invalid'],
      ['approved_by_ids=ada', "approved_by_ids should be integers, 'None' or 'Any'"],
      ['state=open', 'state does not have a valid value'],
      ['author_id=1&author_username=ada', 'author_id, author_username are mutually exclusive'],
    ] as const) {
      const response = await stage.send('GET', `${REQUESTS}?${query}`, stage.ada);
      assert.deepEqual([response.status, response.json()], [400, { error }], query);
    }
  });
});
