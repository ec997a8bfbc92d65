import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { DAY } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { createIssue, updateIssue } from '../../../server/features/issues/manageIssues.ts';
import { createLabel } from '../../../server/features/labels/manageLabels.ts';
import { createMilestone } from '../../../server/features/milestones/manageMilestones.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { findProject, type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { linkTo } from '../../../src/contract/pagination.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

/** A Sunday, in milliseconds. */
const CLOCK = Date.UTC(2026, 4, 10, 9);

describe('lists of issues', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;

  /** The public group signals with a project, its subgroup signals/lamps with another one, and a public project of ada. */
  before(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(CLOCK);
    [ada, rita] = ['ada', 'rita'].map((name) => actor(platform, name)) as [Actor, Actor];
    const group = createGroup(platform, ada.user, { name: 'Signals', path: 'signals', visibility: 'public' });
    addGroupMember(platform, group.group, rita.user, { level: 20 }, { user: ada.user });
    const inner = createGroup(platform, ada.user, { name: 'Lamps', path: 'lamps', parent: group, visibility: 'public' });
    const project = createProject(platform, ada.user, {
      name: 'Outer',
      namespaceId: group.group.id,
      visibility: 'public',
    });
    const deep = createProject(platform, ada.user, { name: 'Deep', namespaceId: inner.group.id, visibility: 'public' });
    const own = createProject(platform, ada.user, { name: 'Own', visibility: 'public' });
    const container = { kind: 'project', id: project.project.id } as const;
    createLabel(platform, container, { title: 'urgent', color: 'red', priority: 1 });
    createLabel(platform, container, { title: 'small', color: 'blue', priority: 5 });
    const soon = createMilestone(platform, container, ada.user, { title: 'soon', dueDate: '2026-05-20' });
    const late = createMilestone(platform, container, ada.user, { title: 'late', dueDate: '2026-12-31' });
    const asRita = (): FoundProject => {
      const found = findProject(platform, project.project.id, { user: rita.user });
      assert.ok(found);
      return found;
    };
    const inputs = [
      { title: 'a', labels: ['urgent'], weight: 5, dueDate: '2026-05-09', milestoneId: late.id },
      { title: 'b', labels: ['small'], dueDate: '2026-05-10', milestoneId: soon.id, assigneeIds: [rita.user.id] },
      { title: 'c', weight: 1, dueDate: '2026-05-11', type: 'incident' },
      { title: 'd', labels: ['small', 'urgent'], weight: 3, assigneeIds: [ada.user.id, rita.user.id] },
      { title: 'e', weight: 1, dueDate: '2026-06-30', milestoneId: soon.id },
    ] as const;
    for (const [index, input] of inputs.entries()) {
      platform.clock.advance(1000);
      if (index % 2 === 0) createIssue(platform, project, ada.user, input);
      else createIssue(platform, asRita(), rita.user, input);
    }
    createIssue(platform, deep, ada.user, { title: 'deep' });
    createIssue(platform, own, ada.user, { title: 'own' });
    const issue = createIssue(platform, asRita(), rita.user, { title: 'f', createdAt: 0 });
    updateIssue(platform, asRita(), issue, rita.user, { stateEvent: 'close' });
  });
  after(() => server.close());

  const get = async (path: string, token = ada.token) => {
    const response = await server.request('GET', `/api/v4${path}`, { token });
    assert.equal(response.status, 200, response.text);
    return response;
  };
  const titles = async (path: string): Promise<string> =>
    ((await get(path)).json() as { title: string }[]).map(({ title }) => title).join(' ');
  const outer = '/projects/signals%2Fouter/issues';

  for (const [query, wanted] of [
    ['due_date=0', 'd f'],
    ['due_date=any', 'a b c e'],
    ['due_date=today', 'b'],
    ['due_date=tomorrow', 'c'],
    ['due_date=overdue', 'a'],
    ['due_date=week', 'a b'],
    ['due_date=month', 'a b c'],
    ['due_date=next_month_and_previous_two_weeks', 'a b c e'],
    ['issue_type=incident', 'c'],
    ['closed_by_id=3', 'f'],
    ['closed_by_id=2', ''],
    ['weight=1', 'c e'],
    ['weight=None', 'b f'],
    ['weight=any', 'a c d e'],
    ['weight=0', ''],
    ['not[labels]=urgent', 'b c e f'],
    ['not[labels]=urgent,small', 'c e f'],
    ['not[labels][]=small&labels=urgent', 'a'],
    ['not[labels]=None', 'a b d'],
    ['not[milestone]=soon', 'a c d f'],
    ['not[milestone_id]=Any', 'c d f'],
    ['not[iids][]=1&not[iids][]=2', 'c d e f'],
    ['not[author_id]=2', 'b d f'],
    ['not[author_username]=rita', 'a c e'],
    ['not[assignee_id]=2', 'a b c e f'],
    ['not[assignee_id]=Any', 'a c e f'],
    ['not[assignee_username]=rita', 'a c e f'],
    ['not[weight]=1', 'a b d f'],
    ['order_by=weight', 'c e d a b f'],
    ['order_by=weight&sort=desc', 'a d e c f b'],
    ['order_by=due_date', 'a b c e d f'],
    ['order_by=due_date&sort=desc', 'e c b a f d'],
    ['order_by=label_priority', 'a d b c e f'],
    ['order_by=milestone_due', 'b e a c d f'],
    ['order_by=priority', 'b e a d c f'],
    ['order_by=popularity&sort=desc', 'f e d c b a'],
    ['order_by=relative_position&sort=desc', 'f e d c b a'],
    ['order_by=id', 'a b c d e f'],
  ] as const) {
    it(`the list of issues of a project with ${query} is correct`, async () => {
      const sort = query.includes('sort=') ? '' : '&sort=asc';
      assert.equal(await titles(`${outer}?${query}${sort}`), wanted);
    });
  }

  it('the list of issues of a group includes those of all its projects, except archived ones', async () => {
    const path = '/groups/signals/issues';
    assert.equal(await titles(`${path}?sort=asc`), 'a b c d e deep f');
    assert.equal(await titles('/groups/signals%2Flamps/issues'), 'deep');
    assert.equal(await titles(`${path}?scope=created_by_me&sort=asc`), 'a c e deep');
    const deep = '/api/v4/projects/signals%2Flamps%2Fdeep';
    await server.request('POST', `${deep}/archive`, { token: ada.token });
    assert.equal(await titles(`${path}?sort=asc`), 'a b c d e f');
    assert.equal(await titles(`${path}?sort=asc&non_archived=false`), 'a b c d e deep f');
    await server.request('POST', `${deep}/unarchive`, { token: ada.token });
  });

  it('issues are counted by state', async () => {
    for (const [path, all, closed] of [
      ['/issues_statistics', 5, 0],
      ['/issues_statistics?scope=all', 8, 1],
      ['/groups/signals/issues_statistics', 7, 1],
      ['/projects/signals%2Fouter/issues_statistics', 6, 1],
      ['/projects/signals%2Fouter/issues_statistics?labels=urgent', 2, 0],
      ['/projects/signals%2Fouter/issues_statistics?not[labels]=urgent', 4, 1],
    ] as const) {
      const { text } = await get(path);
      assert.deepEqual(JSON.parse(text), { statistics: { counts: { all, closed, opened: all - closed } } }, path);
    }
    const anonymous = await server.request('GET', '/api/v4/issues_statistics');
    assert.equal(anonymous.status, 401);
  });

  it('lists of issues report validation errors', async () => {
    for (const [query, error] of [
      ['weight=heavy', "weight should be an integer, 'None' or 'Any'"],
      ['due_date=someday', 'due_date does not have a valid value'],
      ['issue_type=bug', 'issue_type does not have a valid value'],
      ['not=x', 'not is invalid'],
      ['not[iids]=x', 'not[iids] is invalid'],
      ['not[author_id]=1&not[author_username]=ada', 'author_id, author_username are mutually exclusive'],
    ] as const) {
      const response = await server.request('GET', `/api/v4${outer}?${query}`, { token: ada.token });
      assert.deepEqual([response.status, response.json()], [400, { error }], query);
    }
  });

  it('keyset pagination continues from issues with a value to those without', async () => {
    for (const [query, wanted] of [
      ['order_by=weight&sort=asc', 'c e|d a|b f|'],
      ['order_by=weight&sort=desc', 'a d|e c|f b|'],
      ['order_by=due_date&sort=asc&state=opened', 'a b|c e|d|'],
      ['order_by=created_at&sort=asc', 'a b|c d|e f|'],
      ['order_by=title&sort=desc&not[labels]=urgent', 'f e|c b|'],
    ] as const) {
      const pages: string[] = [];
      let next: string | undefined = `${server.origin}/api/v4${outer}?pagination=keyset&per_page=2&${query}`;
      while (next !== undefined) {
        const response = await server.request('GET', next);
        pages.push((response.json() as { title: string }[]).map(({ title }) => title).join(' '));
        assert.equal(response.headers.get('x-page'), null);
        next = linkTo(response.headers.get('link') ?? undefined, 'next');
      }
      assert.equal(pages.join('|'), wanted, query);
    }
  });

  for (const [name, query, isSignedIn, isInReader] of [
    ['without filters is read at once for who can read every issue', '', true, false],
    ['without filters is read in another thread for others', '', false, true],
    ['of a label is read in another thread', '&labels=small', true, true],
    ['of a state is read in another thread', '&state=opened', true, true],
  ] as const) {
    it(`a keyset page of the issues of a project ${name}`, async () => {
      const reader = mock.method(server.platform.store, 'runInReader');
      try {
        const path = `/api/v4${outer}?pagination=keyset&order_by=title${query}`;
        const response = await server.request('GET', path, isSignedIn ? { token: rita.token } : {});
        assert.equal(response.status, 200);
        assert.notEqual(response.text, '[]');
        assert.equal(reader.mock.callCount() > 0, isInReader);
      } finally {
        reader.mock.restore();
      }
    });
  }

  it('keyset pagination refuses a cursor without a value if every issue has one', async () => {
    for (const [order, status] of [
      ['weight', 200],
      ['created_at', 400],
      ['title', 400],
    ] as const) {
      const cursor = Buffer.from(JSON.stringify({ [order]: null, id: '1', _kd: 'n' })).toString('base64url');
      const response = await server.request('GET', `/api/v4${outer}?pagination=keyset&order_by=${order}&cursor=${cursor}`);
      assert.equal(response.status, status, order);
    }
  });

  it('lists of issues of groups and of all projects have no keyset pagination, nor do orders by other tables', async () => {
    const refused = await server.request('GET', `/api/v4${outer}?pagination=keyset&order_by=priority`);
    assert.deepEqual(
      [refused.status, refused.json()],
      [405, { error: 'Keyset pagination is not yet available for this type of request' }],
    );
    for (const path of ['/issues?scope=all&', '/groups/signals/issues?'])
      assert.equal((await get(`${path}pagination=keyset`)).headers.get('x-page'), '1', path);
  });
});

it('before release 18.3 issues have no keyset pagination, and no weights in the free tier', async () => {
  await using server = await startTestServer({ profile: { release: '18.2', tier: 'free' } });
  const { platform } = server;
  platform.clock.freeze(CLOCK + DAY);
  const ada = actor(platform, 'ada');
  const found = createProject(platform, ada.user, { name: 'Lamps' });
  createIssue(platform, found, ada.user, { title: 'a' });
  const list = await server.request('GET', '/api/v4/projects/1/issues?pagination=keyset&weight=7', { token: ada.token });
  assert.equal(list.headers.get('x-total'), '1');
  const [issue] = list.json() as object[];
  assert.ok(issue !== undefined && !('weight' in issue));
  const changed = await server.request('PUT', '/api/v4/projects/1/issues/1', { token: ada.token, json: { weight: 3 } });
  assert.equal(changed.status, 400);
});
