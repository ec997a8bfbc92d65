import assert from 'node:assert/strict';
import { commentOnIssue, createIssue, findIssue, type Issue, updateIssue } from '../../../server/features/issues/manageIssues.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { createBranch } from '../../../server/features/pushes/refUpdates.ts';
import { createMergeRequest } from '../../../server/features/mergeRequests/manageMergeRequests.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { ask, at } from '../graphql/queries.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface SentTodo {
  readonly id: number;
  readonly action_name: string;
  readonly target_type: string;
  readonly target: { readonly iid: number; readonly title: string };
  readonly target_url: string;
  readonly body: string;
  readonly state: string;
  readonly author: { readonly username: string };
  readonly project: { readonly path_with_namespace: string };
}

describe('to-do items', () => {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;
  let eve: Actor;
  let found: FoundProject;

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    bob = actor(platform, 'bob');
    eve = actor(platform, 'eve');
    found = projectWith(platform, ada, { name: 'Lamps', path: 'lamps' }, [[bob, 30]]);
  });
  afterEach(() => server.close());

  const todosOf = async ({ token }: Actor, query = ''): Promise<SentTodo[]> => {
    const response = await server.request('GET', `/api/v4/todos${query}`, { token });
    assert.equal(response.status, 200, response.text);
    return response.json() as SentTodo[];
  };
  const actionsOf = async (who: Actor, query = ''): Promise<readonly string[]> =>
    (await todosOf(who, query)).map(({ action_name, target }) => `${action_name} ${target.title}`);
  const open = (title: string, input: Partial<Parameters<typeof createIssue>[3]> = {}): Issue =>
    createIssue(server.platform, found, ada.user, { title, ...input });
  /** Opens a merge request of ada with one new file. */
  const openRequest = async (title = 'first', branch = 'topic', people: object = {}): Promise<void> => {
    const { platform } = server;
    const actions = [{ action: 'create', path: `${title}.txt`, content: Buffer.from('a') }] as const;
    await createCommit(platform, found, ada.user, { branch: 'main', message: 'Start', actions });
    await createBranch(platform, found, ada.user, branch, 'main');
    const input = { title, sourceBranch: branch, targetBranch: 'main', ...people };
    createMergeRequest(platform, { source: found, target: found }, ada.user, input);
  };
  const close = (who: Actor, issue: Issue): void => {
    const seen = seenBy(server.platform, found, who);
    const current = findIssue(server.platform, seen, issue.iid, who.user);
    assert.ok(current);
    updateIssue(server.platform, seen, current, who.user, { stateEvent: 'close' });
  };

  it('assignees of a new issue, new assignees and mentioned users get one, and each has one per issue', async () => {
    const first = open('first', { assigneeIds: [bob.user.id], description: 'See also @bob' });
    open('second', { description: 'This is for @bob.' });
    open('third', { description: '@bob: please look.' });
    updateIssue(server.platform, found, first, ada.user, { assigneeIds: [bob.user.id, ada.user.id] });
    assert.deepEqual(await actionsOf(bob), ['directly_addressed third', 'mentioned second', 'assigned first']);
    assert.deepEqual(await actionsOf(ada), ['assigned first']);
  });

  it('an item has its author, project, target and state', async () => {
    open('Lamp 7 stays dark', { assigneeIds: [bob.user.id] });
    const [todo] = await todosOf(bob);
    assert.partialDeepStrictEqual(todo, {
      action_name: 'assigned',
      target_type: 'Issue',
      target: { iid: 1, title: 'Lamp 7 stays dark' },
      target_url: `${server.origin}/ada/lamps/-/issues/1`,
      body: 'Lamp 7 stays dark',
      state: 'pending',
      author: { username: 'ada' },
      project: { path_with_namespace: 'ada/lamps' },
    });
  });

  it('a comment finishes the item of its author and makes one for whom it mentions', async () => {
    const issue = open('first', { assigneeIds: [bob.user.id] });
    const note = commentOnIssue(server.platform, seenBy(server.platform, found, bob), issue, bob.user, { body: 'Done, @ada' });
    assert.deepEqual(await actionsOf(bob), []);
    assert.deepEqual(await actionsOf(bob, '?state=done'), ['assigned first']);
    const [todo] = await todosOf(ada);
    assert.equal(todo?.body, 'Done, @ada');
    assert.equal(todo.target_url, `${server.origin}/ada/lamps/-/issues/1#note_${note.id}`);
  });

  it('closing an issue finishes the item of who closes it only', async () => {
    const issue = open('first', { assigneeIds: [bob.user.id, ada.user.id] });
    close(bob, issue);
    assert.deepEqual([await actionsOf(bob), await actionsOf(ada)], [[], ['assigned first']]);
  });

  it('assignees and reviewers of a merge request get one until they approve it or merge it', async () => {
    const { platform } = server;
    const actions = [{ action: 'create', path: 'a.txt', content: Buffer.from('a') }] as const;
    await createCommit(platform, found, ada.user, { branch: 'main', message: 'Start', actions });
    await createBranch(platform, found, ada.user, 'topic', 'main');
    await createBranch(platform, found, ada.user, 'other', 'main');
    const input = { targetBranch: 'main', assigneeIds: [ada.user.id], reviewerIds: [bob.user.id] };
    const ends = { source: found, target: found };
    createMergeRequest(platform, ends, ada.user, { ...input, title: 'first', sourceBranch: 'topic' });
    createMergeRequest(platform, ends, ada.user, { ...input, title: 'second', sourceBranch: 'other', reviewerIds: [] });
    assert.deepEqual(await actionsOf(bob), ['review_requested first']);
    assert.deepEqual(await actionsOf(ada, '?type=MergeRequest'), ['assigned second', 'assigned first']);
    const path = `/api/v4/projects/${found.project.id}/merge_requests`;
    const json = { reviewer_ids: [bob.user.id] };
    assert.equal((await server.request('PUT', `${path}/2`, { ...ada, json })).status, 200);
    assert.deepEqual(await actionsOf(bob), ['review_requested second', 'review_requested first']);
    assert.equal((await server.request('POST', `${path}/1/approve`, bob)).status, 201);
    assert.deepEqual(await actionsOf(bob), ['review_requested second']);
    assert.equal((await server.request('PUT', `${path}/2`, { ...ada, json: { state_event: 'close' } })).status, 200);
    assert.deepEqual(await actionsOf(ada), ['assigned first']);
    const shown = await ask(
      server,
      ada.token,
      '{ currentUser { todos { nodes { targetEntity { ... on MergeRequest { iid sourceBranch } } } } } }',
    );
    assert.deepEqual(at(shown.data, 'currentUser', 'todos', 'nodes', 0, 'targetEntity'), { iid: '1', sourceBranch: 'topic' });
  });

  it('approvers of a project get one for a merge request of somebody else, until they approve it', async () => {
    const rules = `/api/v4/projects/${found.project.id}/approval_rules`;
    const rule = { name: 'Crew', approvals_required: 1, user_ids: [ada.user.id, bob.user.id] };
    assert.equal((await server.request('POST', rules, { ...ada, json: rule })).status, 201);
    await openRequest();
    assert.deepEqual([await actionsOf(ada), await actionsOf(bob)], [[], ['approval_required first']]);
    const path = `/api/v4/projects/${found.project.id}/merge_requests/1/approve`;
    assert.equal((await server.request('POST', path, bob)).status, 201);
    assert.deepEqual(await actionsOf(bob), []);
  });

  it('who edits the text or the people of a target, or pushes to it, is done with it', async () => {
    open('first', { assigneeIds: [bob.user.id, ada.user.id] });
    open('second', { assigneeIds: [bob.user.id, ada.user.id] });
    await openRequest('third', 'topic', { assigneeIds: [bob.user.id, ada.user.id] });
    const path = `/api/v4/projects/${found.project.id}`;
    const change = async (at: string, json: object): Promise<void> => {
      assert.equal((await server.request('PUT', `${path}/${at}`, { ...bob, json })).status, 200);
    };
    await change('issues/1', { description: 'Now with a description' });
    await change('issues/2', { assignee_ids: [ada.user.id] });
    assert.deepEqual(await actionsOf(bob), ['assigned third']);
    await createCommit(server.platform, seenBy(server.platform, found, bob), bob.user, {
      branch: 'topic',
      message: 'More',
      actions: [{ action: 'create', path: 'b.txt', content: Buffer.from('b') }],
    });
    assert.deepEqual(await actionsOf(bob), []);
    assert.deepEqual(await actionsOf(ada), ['assigned third', 'assigned second', 'assigned first']);
  });

  it('users add an item for what they see, once until it is done', async () => {
    open('first');
    open('hidden', { confidential: true });
    await openRequest('change', 'topic');
    const path = `/api/v4/projects/${found.project.id}`;
    const add = (who: Partial<Actor>, at: string) => server.request('POST', `${path}/${at}/todo`, who);
    const added = await add(bob, 'issues/1');
    assert.equal(added.status, 201, added.text);
    assert.partialDeepStrictEqual(added.json(), {
      action_name: 'marked',
      target_type: 'Issue',
      target: { iid: 1 },
      author: { username: 'bob' },
      body: 'first',
      state: 'pending',
    });
    assert.equal((await add(bob, 'issues/1')).status, 304);
    assert.equal((await add(bob, 'merge_requests/1')).status, 201);
    assert.deepEqual(await actionsOf(bob, '?action=marked'), ['marked change', 'marked first']);
    const done = `/api/v4/todos/${(added.json() as SentTodo).id}/mark_as_done`;
    assert.equal((await server.request('POST', done, bob)).status, 201);
    assert.equal((await add(bob, 'issues/1')).status, 201);
    for (const [who, at, status] of [
      [bob, 'issues/9', 404],
      [bob, 'merge_requests/9', 404],
      [{}, 'issues/1', 401],
    ] as const)
      assert.equal((await add(who, at)).status, status, at);
    await server.request('PUT', `${path}?visibility=public`, ada);
    assert.deepEqual([(await add(eve, 'issues/1')).status, (await add(eve, 'issues/2')).status], [201, 404]);
    const shown = await ask(server, bob.token, '{ currentUser { todos(action: [marked]) { nodes { action } } } }');
    assert.deepEqual(at(shown.data, 'currentUser', 'todos', 'nodes', 0, 'action'), 'marked');
  });

  it('an edit that mentions somebody for the first time makes an item', async () => {
    const issue = open('first', { description: 'Nobody' });
    updateIssue(server.platform, found, issue, ada.user, { description: 'Ask @bob' });
    assert.deepEqual(await actionsOf(bob), ['mentioned first']);
  });

  it('users who cannot read the target get none, and items of targets that became unreadable are hidden', async () => {
    open('hidden', { description: 'For @eve' });
    assert.deepEqual(await actionsOf(eve), []);
    const issue = open('for bob', { description: 'For @bob' });
    assert.deepEqual(await actionsOf(bob), ['mentioned for bob']);
    await server.request('PUT', `/api/v4/projects/${found.project.id}/members/${bob.user.id}`, {
      token: ada.token,
      json: { access_level: 10 },
    });
    updateIssue(server.platform, found, issue, ada.user, { confidential: true });
    assert.deepEqual(await actionsOf(bob), []);
  });

  it('the items of a deleted issue are deleted', async () => {
    open('first', { assigneeIds: [bob.user.id] });
    assert.equal((await server.request('DELETE', `/api/v4/projects/${found.project.id}/issues/1`, ada)).status, 204);
    assert.deepEqual(await actionsOf(bob), []);
  });

  it('the list is filtered by action, author, project, state and type', async () => {
    open('first', { assigneeIds: [bob.user.id] });
    open('second', { description: 'For @bob' });
    const { id } = found.project;
    for (const [query, wanted] of [
      ['?action=mentioned', ['mentioned second']],
      ['?action=build_failed', []],
      [`?author_id=${ada.user.id}`, ['mentioned second', 'assigned first']],
      [`?author_id=${bob.user.id}`, []],
      [`?project_id=${id}&per_page=1`, ['mentioned second']],
      [`?project_id=${id + 1}`, []],
      ['?group_id=1000', []],
      ['?state=done', []],
      ['?type=MergeRequest', []],
      ['?type=Issue', ['mentioned second', 'assigned first']],
    ] as const) {
      assert.deepEqual(await actionsOf(bob, query), wanted, query);
    }
    const refused = await server.request('GET', '/api/v4/todos?action=looked', bob);
    assert.deepEqual([refused.status, refused.json()], [400, { error: 'action does not have a valid value' }]);
  });

  it('one or all items of the caller are marked as done, and not those of others', async () => {
    open('first', { assigneeIds: [bob.user.id, ada.user.id] });
    open('second', { assigneeIds: [bob.user.id] });
    const [second] = await todosOf(bob);
    const path = `/api/v4/todos/${second?.id}/mark_as_done`;
    assert.equal((await server.request('POST', path, ada)).status, 404);
    const marked = await server.request('POST', path, bob);
    assert.deepEqual([marked.status, (marked.json() as SentTodo).state], [201, 'done']);
    assert.equal((await server.request('POST', path, bob)).status, 201);
    assert.deepEqual(await actionsOf(bob), ['assigned first']);
    assert.equal((await server.request('POST', '/api/v4/todos/mark_as_done', bob)).status, 204);
    assert.deepEqual([await actionsOf(bob), await actionsOf(ada)], [[], ['assigned first']]);
    assert.equal((await server.request('GET', '/api/v4/todos')).status, 401);
  });

  it('GraphQL lists the items of the current user in pages, by default the pending ones', async () => {
    for (const title of ['first', 'second', 'third']) open(title, { assigneeIds: [bob.user.id] });
    await server.request('POST', `/api/v4/todos/${(await todosOf(bob)).at(-1)?.id}/mark_as_done`, bob);
    const query = `query ($after: String, $state: [TodoStateEnum!]) { currentUser { todos(first: 1, after: $after, state: $state) {
      nodes { action state body targetType targetUrl author { username } project { fullPath } targetEntity { webUrl ... on Issue { iid } } }
      pageInfo { endCursor hasNextPage } } } }`;
    const first = await ask(server, bob.token, query);
    assert.deepEqual(first.errors, []);
    assert.deepEqual(at(first.data, 'currentUser', 'todos', 'nodes', 0), {
      action: 'assigned',
      state: 'pending',
      body: 'third',
      targetType: 'ISSUE',
      targetUrl: `${server.origin}/ada/lamps/-/issues/3`,
      author: { username: 'ada' },
      project: { fullPath: 'ada/lamps' },
      targetEntity: { webUrl: `${server.origin}/ada/lamps/-/issues/3`, iid: '3' },
    });
    const after = at(first.data, 'currentUser', 'todos', 'pageInfo', 'endCursor') as string;
    const second = await ask(server, bob.token, query, { after });
    assert.equal(at(second.data, 'currentUser', 'todos', 'nodes', 0, 'body'), 'second');
    assert.equal(at(second.data, 'currentUser', 'todos', 'pageInfo', 'hasNextPage'), false);
    const done = await ask(server, bob.token, query, { state: ['done'] });
    assert.equal(at(done.data, 'currentUser', 'todos', 'nodes', 0, 'body'), 'first');
  });
});
