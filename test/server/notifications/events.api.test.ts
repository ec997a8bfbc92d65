import assert from 'node:assert/strict';
import { notificationEvents } from '../../../src/contract/notifications.ts';
import { DAY, HOUR } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { applySeed } from '../../../server/seeds/seeds.ts';
import { REQUESTS, type Stage, startStage, addStage } from '../mergeRequests/stage.ts';
import type { Actor } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { eventsAfter, type Recorded, recorder } from './recorded.ts';

const PROJECT = '/api/v4/projects/1';
const ISSUE = `${PROJECT}/issues/1`;
const REQUEST = `${REQUESTS}/1`;
const EPICS = '/api/v4/groups/signals/epics';

interface Scenario {
  readonly name: string;
  /** Creates the objects that the change needs. Their events do not count. */
  readonly prepare?: (stage: Stage) => unknown;
  readonly act: (stage: Stage) => unknown;
  readonly events: readonly Recorded[] | ((stage: Stage) => readonly Recorded[]);
}

async function done(stage: Stage, method: string, path: string, who: Actor, json?: object): Promise<unknown> {
  const response = await stage.send(method, path, who, json);
  if (response.status >= 500) throw new Error(`${method} ${path}: ${response.text}`);
  assert.ok(response.status < 300, `${method} ${path}: ${response.status} ${response.text}`);
  return response.text === '' ? undefined : response.json();
}

const openIssue =
  (more: object = {}) =>
  (stage: Stage) =>
    done(stage, 'POST', `${PROJECT}/issues`, stage.ada, { title: 'Too dim', ...more });
const openRequest =
  (more: Readonly<Record<string, unknown>> = {}) =>
  (stage: Stage) =>
    stage.open(stage.dev, more);
const inGroup = (stage: Stage) => createGroup(stage.server.platform, stage.ada.user, { name: 'Signals', path: 'signals' });
const openEpic = async (stage: Stage) => {
  inGroup(stage);
  await done(stage, 'POST', EPICS, stage.ada, { title: 'Season' });
};
const idOf = (who: Actor): number => who.user.id;
const put = (path: string, who: (stage: Stage) => Actor, json: (stage: Stage) => object) => (stage: Stage) =>
  done(stage, 'PUT', path, who(stage), json(stage));
const comment = (path: string, body: string) => (stage: Stage) => done(stage, 'POST', `${path}/notes`, stage.rita, { body });
const ada = ({ ada: one }: Stage): Actor => one;
const mia = ({ mia: one }: Stage): Actor => one;
const createPipeline = (status: string) => (stage: Stage) =>
  done(stage, 'POST', `${PROJECT}/pipelines`, stage.dev, { ref: 'main', status });
const one = (event: string, actor: string | null, target: string, details: Recorded['details'] = {}): Recorded[] => [
  { event, actor, target, details },
];

const scenarios: readonly Scenario[] = [
  { name: 'opening an issue', act: openIssue(), events: one('new_issue', 'ada', 'Issue 1') },
  {
    name: 'cloning an issue',
    prepare: openIssue(),
    act: (stage) => done(stage, 'POST', `${ISSUE}/clone`, stage.ada, { to_project_id: 1 }),
    events: one('new_issue', 'ada', 'Issue 2'),
  },
  {
    name: 'mentioning a user in the description of an issue',
    prepare: openIssue({ description: 'Ask @mia' }),
    act: put(ISSUE, ada, () => ({ description: 'Ask @mia and @RITA, not `@dev` or @nobody' })),
    events: ({ rita }) => one('new_issue', 'ada', 'Issue 1', { newlyMentionedIds: [idOf(rita)] }),
  },
  {
    name: 'mentioning a user in the title of an issue with a quick action',
    prepare: openIssue(),
    act: comment(ISSUE, '/title For @otto'),
    events: ({ otto }) => one('new_issue', 'rita', 'Issue 1', { newlyMentionedIds: [idOf(otto)] }),
  },
  {
    name: 'closing an issue',
    prepare: openIssue(),
    act: put(ISSUE, ada, () => ({ state_event: 'close' })),
    events: one('close_issue', 'ada', 'Issue 1'),
  },
  {
    name: 'closing and assigning an issue with quick actions in a comment',
    prepare: openIssue(),
    act: comment(ISSUE, 'Done\n/close\n/assign @dev'),
    events: [
      ...one('reassign_issue', 'rita', 'Issue 1', { previousIds: [] }),
      ...one('close_issue', 'rita', 'Issue 1'),
      // The notes before are the two system notes.
      ...one('new_note', 'rita', 'Issue 1', { noteId: 3 }),
    ],
  },
  {
    name: 'reopening an issue',
    prepare: async (stage) => {
      await openIssue()(stage);
      await put(ISSUE, ada, () => ({ state_event: 'close' }))(stage);
    },
    act: put(ISSUE, ada, () => ({ state_event: 'reopen' })),
    events: one('reopen_issue', 'ada', 'Issue 1'),
  },
  {
    name: 'assigning other users to an issue',
    prepare: (stage) => openIssue({ assignee_ids: [idOf(stage.dev), idOf(stage.mia)] })(stage),
    act: put(ISSUE, ada, (stage) => ({ assignee_ids: [idOf(stage.mia), idOf(stage.rita)] })),
    events: ({ dev, mia: second }) => one('reassign_issue', 'ada', 'Issue 1', { previousIds: [idOf(second), idOf(dev)] }),
  },
  {
    name: 'an issue that is due tomorrow',
    prepare: async (stage) => {
      await openIssue({ due_date: '2026-05-12' })(stage);
      stage.server.platform.clock.freeze(Date.UTC(2026, 4, 11, 0, 49, 59, 999));
    },
    act: ({ server }) => server.platform.clock.freeze(Date.UTC(2026, 4, 11, 0, 50)),
    events: one('issue_due', null, 'Issue 1'),
  },
  {
    name: 'an issue that got its due date with a quick action',
    prepare: async (stage) => {
      await openIssue()(stage);
      await comment(ISSUE, '/due 2026-05-15')(stage);
    },
    act: ({ server }) => server.platform.clock.freeze(Date.UTC(2026, 4, 14, 0, 50)),
    events: one('issue_due', null, 'Issue 1'),
  },
  {
    name: 'commenting on an issue',
    prepare: openIssue(),
    act: comment(ISSUE, 'Which lamp?'),
    events: one('new_note', 'rita', 'Issue 1', { noteId: 1 }),
  },
  {
    name: 'an internal note',
    prepare: openIssue(),
    act: (stage) => done(stage, 'POST', `${ISSUE}/notes`, stage.rita, { body: 'Between us', internal: true }),
    events: one('new_note', 'rita', 'Issue 1', { noteId: 1 }),
  },
  {
    name: 'commenting on a merge request',
    prepare: openRequest(),
    act: comment(REQUEST, 'Why green?'),
    events: one('new_note', 'rita', 'MergeRequest 1', { noteId: 1 }),
  },
  {
    name: 'commenting on a snippet',
    prepare: (stage) =>
      done(stage, 'POST', `${PROJECT}/snippets`, stage.ada, {
        title: 'Wiring',
        visibility: 'public',
        files: [{ file_path: 'a.txt', content: 'x' }],
      }),
    act: comment(`${PROJECT}/snippets/1`, 'Is it safe?'),
    events: one('new_note', 'rita', 'Snippet 1', { noteId: 1 }),
  },
  {
    name: 'commenting on an epic',
    prepare: openEpic,
    act: (stage) => done(stage, 'POST', `${EPICS}/1/notes`, stage.ada, { body: 'When?' }),
    events: one('new_note', 'ada', 'Epic 1', { noteId: 1 }),
  },
  { name: 'opening a merge request', act: openRequest(), events: one('new_merge_request', 'dev', 'MergeRequest 1') },
  {
    name: 'opening a merge request that others can approve',
    prepare: (stage) =>
      done(stage, 'POST', `${PROJECT}/approval_rules`, stage.ada, {
        name: 'Light',
        approvals_required: 1,
        user_ids: [idOf(stage.dev), idOf(stage.mia)],
      }),
    act: openRequest(),
    events: [...one('new_merge_request', 'dev', 'MergeRequest 1'), ...one('approver', 'dev', 'MergeRequest 1')],
  },
  {
    name: 'opening a merge request that only its author can approve',
    prepare: (stage) =>
      done(stage, 'POST', `${PROJECT}/approval_rules`, stage.ada, {
        name: 'Light',
        approvals_required: 1,
        user_ids: [idOf(stage.dev)],
      }),
    act: openRequest(),
    events: one('new_merge_request', 'dev', 'MergeRequest 1'),
  },
  {
    name: 'mentioning a user in the description of a merge request',
    prepare: openRequest(),
    act: put(REQUEST, mia, () => ({ description: 'For @rita' })),
    events: ({ rita }) => one('new_merge_request', 'mia', 'MergeRequest 1', { newlyMentionedIds: [idOf(rita)] }),
  },
  {
    name: 'closing a merge request',
    prepare: openRequest(),
    act: put(REQUEST, mia, () => ({ state_event: 'close' })),
    events: one('close_merge_request', 'mia', 'MergeRequest 1'),
  },
  {
    name: 'deleting the source branch of a merge request',
    prepare: openRequest(),
    act: (stage) => done(stage, 'DELETE', `${PROJECT}/repository/branches/topic`, stage.mia),
    events: one('close_merge_request', 'mia', 'MergeRequest 1'),
  },
  {
    name: 'reopening a merge request',
    prepare: async (stage) => {
      await stage.open(stage.dev);
      await put(REQUEST, mia, () => ({ state_event: 'close' }))(stage);
    },
    act: put(REQUEST, mia, () => ({ state_event: 'reopen' })),
    events: one('reopen_merge_request', 'mia', 'MergeRequest 1'),
  },
  {
    name: 'assigning other users to a merge request',
    prepare: (stage) => stage.open(stage.dev, { assignee_ids: [idOf(stage.dev)] }),
    act: put(REQUEST, mia, (stage) => ({ assignee_ids: [idOf(stage.mia)] })),
    events: ({ dev }) => one('reassign_merge_request', 'mia', 'MergeRequest 1', { previousIds: [idOf(dev)] }),
  },
  {
    name: 'unassigning everybody from a merge request with a quick action',
    prepare: (stage) => stage.open(stage.dev, { assignee_ids: [idOf(stage.dev)] }),
    act: (stage) => stage.send('POST', `${REQUEST}/notes`, stage.mia, { body: '/unassign' }),
    events: ({ dev }) => one('reassign_merge_request', 'mia', 'MergeRequest 1', { previousIds: [idOf(dev)] }),
  },
  {
    name: 'asking other users for a review',
    prepare: (stage) => stage.open(stage.dev, { reviewer_ids: [idOf(stage.ada)] }),
    act: put(REQUEST, mia, (stage) => ({ reviewer_ids: [idOf(stage.mia)] })),
    events: (stage) => one('change_reviewer_merge_request', 'mia', 'MergeRequest 1', { previousIds: [idOf(stage.ada)] }),
  },
  {
    name: 'pushing to a merge request',
    prepare: openRequest(),
    act: (stage) =>
      done(stage, 'POST', `${PROJECT}/repository/commits`, stage.dev, {
        branch: 'topic',
        commit_message: 'Blue too\n\nIt is nicer.',
        actions: [{ action: 'create', file_path: 'blue.txt', content: 'blue' }],
      }),
    events: ({ server }) => {
      const sql = "SELECT commit_id FROM repository_refs WHERE name = 'topic'";
      const id = server.platform.store.get<{ commit_id: string }>(sql)?.commit_id;
      return one('push_to_merge_request', 'dev', 'MergeRequest 1', { commitCount: 1, commits: [{ id, title: 'Blue too' }] });
    },
  },
  {
    name: 'enabling auto-merge',
    prepare: openRequest({ title: 'Draft: Green lamps' }),
    act: put(`${REQUEST}/merge`, mia, () => ({ auto_merge: true })),
    events: one('merge_when_pipeline_succeeds', 'mia', 'MergeRequest 1'),
  },
  {
    name: 'merging a merge request',
    prepare: openRequest(),
    act: put(`${REQUEST}/merge`, mia, () => ({})),
    events: one('merge_merge_request', 'mia', 'MergeRequest 1'),
  },
  {
    name: 'merging a merge request that closes an issue',
    prepare: async (stage) => {
      await openIssue()(stage);
      await stage.open(stage.dev, { description: 'Closes #1' });
    },
    act: put(`${REQUEST}/merge`, mia, () => ({})),
    events: [...one('merge_merge_request', 'mia', 'MergeRequest 1'), ...one('close_issue', 'mia', 'Issue 1')],
  },
  {
    name: 'merging a merge request that contains the commits of another one',
    prepare: async (stage) => {
      await stage.open(stage.dev);
      await stage.branch('copy', 'topic');
      await stage.open(stage.dev, { source_branch: 'copy' });
    },
    act: put(`${REQUESTS}/2/merge`, mia, () => ({})),
    events: [...one('merge_merge_request', 'mia', 'MergeRequest 2'), ...one('merge_merge_request', 'mia', 'MergeRequest 1')],
  },
  {
    name: 'merging by auto-merge',
    prepare: async (stage) => {
      await stage.open(stage.dev, { title: 'Draft: Green lamps' });
      await put(`${REQUEST}/merge`, mia, () => ({ auto_merge: true }))(stage);
    },
    act: put(
      REQUEST,
      ({ dev }) => dev,
      () => ({ title: 'Green lamps' }),
    ),
    events: one('merge_merge_request', 'mia', 'MergeRequest 1', { wasAutoMerged: true }),
  },
  { name: 'a pipeline that fails', act: createPipeline('failed'), events: one('failed_pipeline', null, 'Pipeline 1') },
  { name: 'a pipeline that succeeds', act: createPipeline('success'), events: one('success_pipeline', null, 'Pipeline 1') },
  {
    name: 'a pipeline that succeeds after one that failed',
    prepare: createPipeline('failed'),
    act: createPipeline('success'),
    events: one('fixed_pipeline', null, 'Pipeline 2'),
  },
  {
    name: 'another path of a project',
    act: put(PROJECT, ada, () => ({ path: 'lights' })),
    events: one('moved_project', 'ada', 'Project 1', { formerPath: 'ada/lamps' }),
  },
  {
    name: 'the transfer of a project',
    prepare: inGroup,
    act: put(`${PROJECT}/transfer`, ada, () => ({ namespace: 'signals' })),
    events: one('moved_project', 'ada', 'Project 1', { formerPath: 'ada/lamps' }),
  },
  {
    name: 'another path of a group',
    prepare: (stage) => {
      const group = inGroup(stage);
      const { platform } = stage.server;
      const inner = createGroup(platform, stage.ada.user, { name: 'Inner', path: 'inner', parent: group });
      for (const namespaceId of [group.group.id, inner.group.id]) {
        createProject(platform, stage.ada.user, { name: 'Kiln', namespaceId });
      }
    },
    act: put('/api/v4/groups/signals', ada, () => ({ path: 'signs' })),
    events: [
      ...one('moved_project', 'ada', 'Project 2', { formerPath: 'signals/kiln' }),
      ...one('moved_project', 'ada', 'Project 3', { formerPath: 'signals/inner/kiln' }),
    ],
  },
  {
    name: 'the transfer of a group',
    prepare: (stage) => {
      const { platform } = stage.server;
      const { group } = inGroup(stage);
      createGroup(platform, stage.ada.user, { name: 'Top', path: 'top' });
      createProject(platform, stage.ada.user, { name: 'Kiln', namespaceId: group.id });
    },
    act: async (stage) => {
      const top = (await done(stage, 'GET', '/api/v4/groups/top', stage.ada)) as { id: number };
      await done(stage, 'POST', '/api/v4/groups/signals/transfer', stage.ada, { group_id: top.id });
    },
    events: one('moved_project', 'ada', 'Project 2', { formerPath: 'signals/kiln' }),
  },
  {
    name: 'creating a release',
    act: (stage) => done(stage, 'POST', `${PROJECT}/releases`, stage.mia, { tag_name: 'v1', ref: 'main' }),
    events: one('new_release', 'mia', 'Release 1'),
  },
  {
    name: 'the date of a release comes',
    prepare: (stage) =>
      done(stage, 'POST', `${PROJECT}/releases`, stage.mia, {
        tag_name: 'v1',
        ref: 'main',
        released_at: '2026-05-11T09:00:00Z',
      }),
    act: ({ server }) => server.platform.clock.freeze(Date.UTC(2026, 4, 11, 9)),
    events: one('new_release', 'mia', 'Release 1'),
  },
  {
    name: 'creating an epic',
    prepare: inGroup,
    act: (stage) => done(stage, 'POST', EPICS, stage.ada, { title: 'Season' }),
    events: one('new_epic', 'ada', 'Epic 1'),
  },
  {
    name: 'mentioning a user in the description of an epic',
    prepare: openEpic,
    act: put(`${EPICS}/1`, ada, () => ({ description: 'For @rita' })),
    events: ({ rita }) => one('new_epic', 'ada', 'Epic 1', { newlyMentionedIds: [idOf(rita)] }),
  },
];

/** Changes that are no events, because nothing that matters is different afterwards. */
const silent: readonly Omit<Scenario, 'events'>[] = [
  {
    name: 'closing a closed issue',
    prepare: async (stage) => {
      await openIssue()(stage);
      await put(ISSUE, ada, () => ({ state_event: 'close' }))(stage);
    },
    act: put(ISSUE, ada, () => ({ state_event: 'close' })),
  },
  {
    name: 'assigning the same users to an issue',
    prepare: (stage) => openIssue({ assignee_ids: [idOf(stage.dev), idOf(stage.mia)] })(stage),
    act: put(ISSUE, ada, (stage) => ({ assignee_ids: [idOf(stage.mia), idOf(stage.dev)] })),
  },
  {
    name: 'assigning the same users to a merge request, and asking the same for a review',
    prepare: (stage) => stage.open(stage.dev, { assignee_ids: [idOf(stage.dev)], reviewer_ids: [idOf(stage.mia)] }),
    act: put(REQUEST, mia, (stage) => ({ assignee_ids: [idOf(stage.dev)], reviewer_ids: [idOf(stage.mia)] })),
  },
  {
    name: 'an edit that mentions nobody else',
    prepare: openIssue({ title: 'For @rita', description: '@mia' }),
    act: put(ISSUE, ada, () => ({
      title: 'Dim',
      description: '@rita, @mia and `@dev`; dev@example.com, https://a.example/@otto',
    })),
  },
  {
    name: 'an edit of a comment that mentions somebody',
    prepare: async (stage) => {
      await openIssue()(stage);
      await comment(ISSUE, 'Hello')(stage);
    },
    act: put(
      `${ISSUE}/notes/1`,
      ({ rita }) => rita,
      () => ({ body: 'Hello @mia' }),
    ),
  },
  { name: 'labels of an issue', prepare: openIssue(), act: put(ISSUE, ada, () => ({ labels: 'red', confidential: true })) },
  { name: 'a subscription', prepare: openIssue(), act: (stage) => done(stage, 'POST', `${ISSUE}/subscribe`, stage.rita) },
  { name: 'a deletion', prepare: openIssue(), act: (stage) => done(stage, 'DELETE', ISSUE, stage.ada) },
  {
    name: 'closing and reopening an epic',
    prepare: openEpic,
    act: async (stage) => {
      await done(stage, 'PUT', `${EPICS}/1`, stage.ada, { state_event: 'close' });
      await done(stage, 'PUT', `${EPICS}/1`, stage.ada, { state_event: 'reopen' });
    },
  },
  {
    name: 'canceled, skipped and blocked pipelines',
    act: async (stage) => {
      for (const status of ['canceled', 'skipped', 'manual', 'running']) await createPipeline(status)(stage);
    },
  },
  { name: 'another name of a project', act: put(PROJECT, ada, () => ({ name: 'Lights', path: 'lamps' })) },
  {
    name: 'the deletion of a merge request',
    prepare: openRequest(),
    act: (stage) => done(stage, 'DELETE', REQUEST, stage.ada),
  },
  {
    name: 'a push to a branch without a merge request',
    act: (stage) => stage.commit('topic', 'blue.txt', 'blue'),
  },
  {
    name: 'editing a release',
    prepare: (stage) => done(stage, 'POST', `${PROJECT}/releases`, stage.mia, { tag_name: 'v1', ref: 'main' }),
    act: put(`${PROJECT}/releases/v1`, mia, () => ({ name: 'One', released_at: '2026-05-20T09:00:00Z' })),
  },
];

const namesOf = (events: readonly Recorded[]): string[] => events.map(({ event }) => event);

describe('notification events', () => {
  let server: TestServer;
  let stage: Stage;
  let recorded: () => Recorded[];
  beforeEach(async () => {
    stage = await startStage({ log: () => {} });
    ({ server } = stage);
    recorded = recorder(server);
  });
  afterEach(() => server.close());

  for (const { name, prepare, act, events } of scenarios) {
    it(`${name} is recorded, in the transaction of the change`, async () => {
      await prepare?.(stage);
      recorded();
      const { platform } = server;
      const last = platform.store.get<{ id: number | null }>('SELECT max(id) AS id FROM notification_events')?.id ?? 0;
      let isFailing = true;
      platform.changes.subscribe(() => {
        if (isFailing && eventsAfter(platform, last).length > 0) throw new Error('the change is rolled back');
      });
      try {
        await act(stage);
      } catch (error) {
        assert.match(String(error), /500 Internal Server Error/);
      }
      isFailing = false;
      assert.deepEqual(recorded(), []);
      await act(stage);
      const expected = typeof events === 'function' ? events(stage) : events;
      assert.deepEqual(recorded(), expected);
    });
  }

  for (const { name, prepare, act } of silent) {
    it(`${name}: no event is recorded`, async () => {
      await prepare?.(stage);
      recorded();
      await act(stage);
      assert.deepEqual(recorded(), []);
    });
  }

  it('every event with a switch is recorded by some change', () => {
    const known = new Set(scenarios.flatMap(({ events }) => namesOf(typeof events === 'function' ? events(stage) : events)));
    assert.deepEqual([...known].toSorted(), notificationEvents.toSorted());
  });

  describe('due dates', () => {
    const noon = Date.UTC(2026, 4, 10, 12);
    const due = (title: string, dueDate: string): void => {
      createIssue(server.platform, stage.project, stage.ada.user, { title, dueDate });
    };
    const targets = (): string[] => recorded().flatMap(({ event, target }) => (event === 'issue_due' ? [target] : []));

    it('a due date that is set after its announcement time is not announced', () => {
      server.platform.clock.freeze(noon);
      due('Tomorrow', '2026-05-11');
      due('Today', '2026-05-10');
      due('Long ago', '2020-01-01');
      server.platform.clock.advance(7 * DAY);
      assert.deepEqual(targets(), []);
    });

    it('a clock that skips days announces every due date, and going back repeats none', () => {
      due('One', '2026-05-12');
      due('Two', '2026-05-13');
      due('Three', '2026-05-20');
      server.platform.clock.advance(5 * DAY);
      assert.deepEqual(targets(), ['Issue 1', 'Issue 2']);
      server.platform.clock.advance(-5 * DAY);
      server.platform.clock.advance(5 * DAY);
      assert.deepEqual(targets(), []);
      server.platform.clock.advance(20 * DAY);
      assert.deepEqual(targets(), ['Issue 3']);
    });

    it('another due date is announced again, a removed one and that of a closed issue are not', async () => {
      for (const title of ['Moved', 'Removed', 'Closed', 'Kept']) due(title, '2026-05-13');
      const change = (iid: number, json: object) => done(stage, 'PUT', `${PROJECT}/issues/${iid}`, stage.ada, json);
      await change(1, { due_date: '2026-05-16' });
      await change(2, { due_date: '' });
      await change(3, { state_event: 'close' });
      await change(4, { due_date: '2026-05-13', title: 'Still' });
      recorded();
      server.platform.clock.freeze(Date.UTC(2026, 4, 12, 0, 50));
      assert.deepEqual(targets(), ['Issue 4']);
      await change(3, { state_event: 'reopen' });
      server.platform.clock.freeze(Date.UTC(2026, 4, 15, 0, 50));
      assert.deepEqual(targets(), ['Issue 1']);
      await change(4, { due_date: '2026-05-18' });
      server.platform.clock.freeze(Date.UTC(2026, 4, 17, 0, 50));
      assert.deepEqual(targets(), ['Issue 4']);
    });

    it('issues of a seed file that were due in the past are not announced, later ones are', async () => {
      const issues = ['2025-03-01', '2026-05-20'].map((day) => `{title: Due, due_date: ${day}, created_at: 2025-02-01}`);
      await applySeed(
        server.platform,
        'seed.yaml',
        `users: [{username: zoe, created_at: 2025-01-01}]\nprojects: [{path: zoe/kiln, created_at: 2025-01-02, issues: [${issues.join(', ')}]}]`,
      );
      server.platform.clock.advance(HOUR);
      assert.deepEqual(targets(), []);
      server.platform.clock.advance(10 * DAY);
      assert.deepEqual(targets(), ['Issue 2']);
    });

    it('more issues than one slice are announced once each', async () => {
      for (let index = 0; index < 120; index += 1) due(`Number ${index}`, '2026-05-13');
      server.platform.clock.freeze(Date.UTC(2026, 4, 12, 1));
      for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      assert.equal(new Set(targets()).size, 120);
    });
  });

  describe('pipelines', () => {
    /** Statuses of pipelines of one branch, in their order, and the events. */
    const matrix: readonly (readonly [statuses: readonly string[], events: readonly string[]])[] = [
      [['success'], ['success']],
      [['failed'], ['failed']],
      [
        ['success', 'success'],
        ['success', 'success'],
      ],
      [
        ['success', 'failed'],
        ['success', 'failed'],
      ],
      [
        ['failed', 'failed', 'success', 'success'],
        ['failed', 'failed', 'fixed', 'success'],
      ],
      [
        ['failed', 'canceled', 'skipped', 'running', 'success'],
        ['failed', 'fixed'],
      ],
      [['canceled', 'success'], ['success']],
    ];
    for (const [statuses, events] of matrix) {
      it(`pipelines that end as ${statuses.join(', ')} are recorded as ${events.join(', ')}`, async () => {
        for (const status of statuses) await createPipeline(status)(stage);
        assert.deepEqual(
          namesOf(recorded()),
          events.map((event) => `${event}_pipeline`),
        );
      });
    }

    const change = (id: number, status: string) => done(stage, 'PUT', `${PROJECT}/pipelines/${id}`, stage.dev, { status });

    it('a pipeline that is retried after a failure is fixed, unless a newer one has finished', async () => {
      await createPipeline('failed')(stage);
      await change(1, 'pending');
      await change(1, 'success');
      await change(1, 'success');
      assert.deepEqual(namesOf(recorded()), ['failed_pipeline', 'fixed_pipeline']);
      await createPipeline('failed')(stage);
      await createPipeline('success')(stage);
      await change(2, 'running');
      await change(2, 'success');
      assert.deepEqual(namesOf(recorded()), ['failed_pipeline', 'fixed_pipeline', 'success_pipeline']);
    });

    it('branches are independent of each other and of tags', async () => {
      await done(stage, 'POST', `${PROJECT}/repository/tags`, stage.ada, { tag_name: 'v1', ref: 'main' });
      recorded();
      for (const ref of ['main', 'topic', 'v1']) {
        await done(stage, 'POST', `${PROJECT}/pipelines`, stage.dev, { ref, status: ref === 'main' ? 'failed' : 'success' });
      }
      assert.deepEqual(namesOf(recorded()), ['failed_pipeline', 'success_pipeline', 'success_pipeline']);
    });

    it('a pipeline ends with its jobs', async () => {
      const job = (name: string, json: object) =>
        done(stage, 'POST', `${PROJECT}/pipelines/1/jobs`, stage.dev, { name, ...json }) as Promise<{ id: number }>;
      await createPipeline('created')(stage);
      const lint = await job('lint', { status: 'running' });
      const build = await job('build', { status: 'running' });
      const deploy = await job('deploy', { status: 'manual' });
      const update = ({ id }: { id: number }, status: string) =>
        done(stage, 'PUT', `${PROJECT}/jobs/${id}`, stage.dev, { status });
      await update(lint, 'success');
      await update(build, 'success');
      assert.deepEqual(namesOf(recorded()), []);
      await update(deploy, 'failed');
      assert.deepEqual(namesOf(recorded()), ['failed_pipeline']);
      const again = (await done(stage, 'POST', `${PROJECT}/jobs/${deploy.id}/retry`, stage.dev)) as { id: number };
      await update(again, 'success');
      assert.deepEqual(namesOf(recorded()), ['fixed_pipeline']);
    });
  });

  describe('releases', () => {
    const inDays = (days: number): string => new Date(server.platform.clock.now() + days * DAY).toISOString();
    const release = (days: number) =>
      done(stage, 'POST', `${PROJECT}/releases`, stage.mia, { tag_name: 'v1', ref: 'main', released_at: inDays(days) });
    const change = (days: number) => done(stage, 'PUT', `${PROJECT}/releases/v1`, stage.ada, { released_at: inDays(days) });

    it('a release with a date in the past is announced at once', async () => {
      await release(-100);
      assert.deepEqual(namesOf(recorded()), ['new_release']);
    });

    it('an upcoming release is announced once, on its latest date', async () => {
      await release(2);
      await change(4);
      server.platform.clock.advance(3 * DAY);
      assert.deepEqual(namesOf(recorded()), []);
      server.platform.clock.advance(DAY);
      assert.deepEqual(recorded(), one('new_release', 'mia', 'Release 1'));
      await change(4);
      server.platform.clock.advance(-2 * DAY);
      server.platform.clock.advance(20 * DAY);
      assert.deepEqual(recorded(), []);
    });

    it('an upcoming release whose date is moved to the past is announced by the user who moved it', async () => {
      await release(2);
      await change(-1);
      assert.deepEqual(recorded(), one('new_release', 'ada', 'Release 1'));
    });

    it('a deleted upcoming release is not announced', async () => {
      await release(2);
      await done(stage, 'DELETE', `${PROJECT}/releases/v1`, stage.mia);
      server.platform.clock.advance(3 * DAY);
      assert.deepEqual(recorded(), []);
    });
  });

  it('the newest 20 commits of a larger push are recorded with the number of all', async () => {
    await stage.branch('many', 'topic');
    for (let index = 0; index < 22; index += 1) await stage.commit('many', `${index}.txt`, 'x');
    await stage.open(stage.dev, { source_branch: 'topic' });
    recorded();
    await stage.open(stage.dev, { source_branch: 'many', target_branch: 'topic', title: 'Many' });
    recorded();
    await done(stage, 'PUT', `${REQUESTS}/2/merge`, stage.mia, {});
    const push = recorded().find(({ event }) => event === 'push_to_merge_request');
    assert.equal(push?.target, 'MergeRequest 1');
    const { commitCount, commits } = push.details as { commitCount: number; commits: { title: string }[] };
    assert.equal(commitCount, 23);
    assert.equal(commits.length, 20);
    assert.match(commits[0]?.title ?? '', /^Merge branch 'many'/);
    assert.equal(commits[1]?.title, 'About 21.txt');
  });

  it('system notes describe changes of assignees and reviewers', async () => {
    const { dev, mia: second, rita } = stage;
    await openIssue({ assignee_ids: [idOf(dev)] })(stage);
    await put(ISSUE, ada, () => ({ assignee_ids: [idOf(second), idOf(rita)] }))(stage);
    await stage.open(dev, { reviewer_ids: [idOf(second)] });
    await put(REQUEST, mia, () => ({ assignee_ids: [idOf(dev)], reviewer_ids: [idOf(rita)] }))(stage);
    const bodies = async (path: string): Promise<string[]> =>
      ((await done(stage, 'GET', `${path}/notes?sort=asc`, stage.ada)) as { body: string }[]).map(({ body }) => body);
    assert.deepEqual(await bodies(ISSUE), ['assigned to @mia and @rita and unassigned @dev']);
    assert.deepEqual(await bodies(REQUEST), [
      'assigned to @dev',
      'requested review from @rita and removed review request for @mia',
    ]);
  });

  it('auto-merge uses both commit messages that were given when it was enabled', async () => {
    await stage.commit('topic', 'blue.txt', 'blue');
    await stage.open(stage.dev, { title: 'Draft: Green lamps' });
    const messages = { squash_commit_message: 'All in one', merge_commit_message: 'Take them' };
    await put(`${REQUEST}/merge`, mia, () => ({ auto_merge: true, squash: true, ...messages }))(stage);
    await put(REQUEST, mia, () => ({ title: 'Green lamps' }))(stage);
    const commits = (await done(stage, 'GET', `${PROJECT}/repository/commits`, stage.ada)) as { message: string }[];
    const texts = commits.map(({ message }) => message.trim());
    assert.ok(texts.includes('All in one'), texts.join(', '));
    assert.ok(texts.includes('Take them'), texts.join(', '));
  });
});

describe('notification events of other tiers and releases', () => {
  const opened = async (profile: { readonly tier?: 'free'; readonly release?: `${number}.${number}` }): Promise<string[]> => {
    const stage = await startStage({ profile });
    await using server = stage.server;
    const recorded = recorder(server);
    const { platform } = server;
    platform.store.run(
      "INSERT INTO approval_rules (project_id, name, rule_type, approvals_required, created_at) VALUES (1, 'a', 'regular', 1, 0)",
      {},
    );
    platform.store.run('INSERT INTO approval_rule_users SELECT 1, id FROM users', {});
    await stage.open(stage.dev);
    return namesOf(recorded());
  };

  it('the free tier has no approvers', async () => {
    assert.deepEqual(await opened({ tier: 'free' }), ['new_merge_request']);
  });

  it('approvers are notified from release 16.7 on', async () => {
    assert.deepEqual(await opened({ release: '16.6' }), ['new_merge_request']);
    assert.deepEqual(await opened({ release: '16.7' }), ['new_merge_request', 'approver']);
  });

  it('due dates and releases that come while no server runs are announced at its next start', async () => {
    const { mkdtempSync, rmSync } = await import('node:fs');
    const os = await import('node:os');
    const path = await import('node:path');
    const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-due-'));
    let now = Date.UTC(2026, 4, 10, 9);
    const begin = () => startTestServer({ file: path.join(folder, 'data.sqlite'), systemNow: () => now });
    try {
      let server = await begin();
      const stage = await addStage(server);
      server.platform.clock.reset();
      await openIssue({ due_date: '2026-05-13' })(stage);
      await done(stage, 'POST', `${PROJECT}/releases`, stage.mia, {
        tag_name: 'v1',
        ref: 'main',
        released_at: '2026-05-12T09:00:00Z',
      });
      const recorded = recorder(server);
      recorded();
      await server.close();
      now += 10 * DAY;
      server = await begin();
      server.platform.schedule.runDue();
      const events = eventsAfter(server.platform, 0).map(({ event }) => event);
      assert.deepEqual(events.slice(1), ['issue_due', 'new_release']);
      await server.close();
      now += HOUR;
      server = await begin();
      server.platform.schedule.runDue();
      assert.equal(eventsAfter(server.platform, 0).length, events.length);
      await server.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
