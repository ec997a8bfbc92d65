import assert from 'node:assert/strict';
import { notificationEvents, type NotificationEvent } from '../../../src/contract/notifications.ts';
import { contentOf } from '../../../server/features/notifications/contents.ts';
import type { EventDetails, RecordedEvent, TargetType } from '../../../server/features/notifications/event.ts';
import type { MailContent } from '../../../server/features/mail/content.ts';
import { createIssue } from '../../../server/features/issues/manageIssues.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

interface Expected {
  readonly target: TargetType;
  readonly details?: EventDetails;
  readonly actor?: 'nobody';
  readonly subject: string;
  readonly text: readonly string[];
  readonly messageId?: string;
  readonly references?: readonly string[];
}

const issue = 'Lamps | Too dim (#1)';
const mergeRequest = 'Lamps | Brighter (!1)';
const sha = 'ab12cd34'.repeat(5);

/** Subject and text of the mail about each event. */
const expected: Readonly<Record<NotificationEvent, Expected>> = {
  new_issue: {
    target: 'Issue',
    subject: issue,
    text: ['ada Example opened issue #1.', 'Assignees: rita Example', 'Which **bulb**?'],
    messageId: 'issue_1',
  },
  close_issue: { target: 'Issue', subject: `Re: ${issue}`, text: ['ada Example closed issue #1.'], references: ['issue_1'] },
  reopen_issue: { target: 'Issue', subject: `Re: ${issue}`, text: ['ada Example reopened issue #1.'], references: ['issue_1'] },
  reassign_issue: {
    target: 'Issue',
    details: { previousIds: [] },
    subject: `Re: ${issue}`,
    text: ['ada Example changed the assignees of issue #1 from nobody to rita Example.'],
    references: ['issue_1'],
  },
  issue_due: {
    target: 'Issue',
    actor: 'nobody',
    subject: `Re: ${issue}`,
    text: ['Issue #1 is due on 2026-12-24.'],
    references: ['issue_1'],
  },
  new_note: {
    target: 'Issue',
    details: { noteId: 1 },
    subject: `Re: ${issue}`,
    text: ['ada Example commented on issue #1:', 'The *old* one.'],
    messageId: 'note_1',
    references: ['issue_1'],
  },
  new_merge_request: {
    target: 'MergeRequest',
    subject: mergeRequest,
    text: [
      'ada Example opened merge request !1 (bright → main).',
      'Assignees: rita Example',
      'Reviewers: ada Example',
      'More light',
    ],
    messageId: 'merge_request_1',
  },
  push_to_merge_request: {
    target: 'MergeRequest',
    details: { commitCount: 25, commits: Array.from({ length: 22 }, (_, index) => ({ id: sha, title: `Change ${index}` })) },
    subject: `Re: ${mergeRequest}`,
    text: [
      'ada Example pushed 25 new commits to merge request !1.',
      ...Array.from({ length: 20 }, (_, index) => `ab12cd34 Change ${index}`),
      'and 5 more commits',
    ],
    references: ['merge_request_1'],
  },
  close_merge_request: {
    target: 'MergeRequest',
    subject: `Re: ${mergeRequest}`,
    text: ['ada Example closed merge request !1.'],
    references: ['merge_request_1'],
  },
  reopen_merge_request: {
    target: 'MergeRequest',
    subject: `Re: ${mergeRequest}`,
    text: ['ada Example reopened merge request !1.'],
    references: ['merge_request_1'],
  },
  merge_merge_request: {
    target: 'MergeRequest',
    subject: `Re: ${mergeRequest}`,
    text: ['ada Example merged merge request !1 (bright → main).'],
    references: ['merge_request_1'],
  },
  reassign_merge_request: {
    target: 'MergeRequest',
    details: { previousIds: [2] },
    subject: `Re: ${mergeRequest}`,
    text: ['ada Example changed the assignees of merge request !1 from ada Example to rita Example.'],
    references: ['merge_request_1'],
  },
  change_reviewer_merge_request: {
    target: 'MergeRequest',
    details: { previousIds: [2, 3] },
    subject: `Re: ${mergeRequest}`,
    text: ['ada Example changed the reviewers of merge request !1 from ada Example, rita Example to ada Example.'],
    references: ['merge_request_1'],
  },
  merge_when_pipeline_succeeds: {
    target: 'MergeRequest',
    subject: `Re: ${mergeRequest}`,
    text: ['ada Example set merge request !1 to be merged automatically when its pipeline succeeds.'],
    references: ['merge_request_1'],
  },
  approver: {
    target: 'MergeRequest',
    subject: `Re: ${mergeRequest}`,
    text: [
      'ada Example opened merge request !1 (bright → main), which you are eligible to approve.',
      'Assignees: rita Example',
      'Reviewers: ada Example',
      'More light',
    ],
    references: ['merge_request_1'],
  },
  failed_pipeline: {
    target: 'Pipeline',
    subject: 'Lamps | Failed pipeline for main | ab12cd34',
    text: ['Pipeline #1 for main failed.', 'Branch or tag: main', 'Commit: ab12cd34', 'Failed jobs:', 'lint (test)'],
  },
  fixed_pipeline: {
    target: 'Pipeline',
    subject: 'Lamps | Fixed pipeline for main | ab12cd34',
    text: ['Pipeline #1 for main succeeded again.', 'Branch or tag: main', 'Commit: ab12cd34'],
  },
  success_pipeline: {
    target: 'Pipeline',
    subject: 'Lamps | Successful pipeline for main | ab12cd34',
    text: ['Pipeline #1 for main succeeded.', 'Branch or tag: main', 'Commit: ab12cd34'],
  },
  moved_project: {
    target: 'Project',
    details: { formerPath: 'rita/lamps' },
    subject: 'Lamps | Project was moved',
    text: [
      'ada Example moved project Lamps.',
      'Former path: rita/lamps',
      'New path: ada/lamps',
      'Update the address of the remote in your clones.',
    ],
  },
  new_release: {
    target: 'Release',
    subject: 'Lamps | New release: Winter - v1',
    text: ['ada Example published release Winter.', 'Longer **nights**'],
  },
  new_epic: {
    target: 'Epic',
    subject: 'Harbour | All lamps (&1)',
    text: ['ada Example opened epic &1.', 'Every one'],
    messageId: 'epic_1',
  },
};

describe('the mail about', () => {
  let server: TestServer;
  let ada: Actor;
  before(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    const rita = actor(server.platform, 'rita');
    const { store } = server.platform;
    const found = projectWith(server.platform, ada, { name: 'Lamps' }, [[rita, 30]]);
    createIssue(server.platform, found, ada.user, {
      title: 'Too dim',
      description: 'Which **bulb**?',
      assigneeIds: [rita.user.id],
      dueDate: '2026-12-24',
    });
    for (const sql of [
      `INSERT INTO notes (noteable_type, noteable_id, noteable_iid, project_id, body, author_id, discussion_id, created_at, updated_at)
         SELECT 'Issue', 1, 1, 1, 'The *old* one.', $ada, 'd1', 0, 0 WHERE NOT EXISTS (SELECT 1 FROM notes)`,
      `INSERT INTO merge_requests (project_id, iid, source_branch, target_branch, title, description, author_id, created_at, updated_at)
         VALUES (1, 1, 'bright', 'main', 'Brighter', 'More light', $ada, 0, 0)`,
      'INSERT INTO merge_request_assignees (merge_request_id, user_id) VALUES (1, $rita)',
      'INSERT INTO merge_request_reviewers (merge_request_id, user_id, created_at) VALUES (1, $ada, 0)',
      `INSERT INTO pipelines (project_id, iid, status, source, ref, sha, before_sha, created_at, updated_at)
         VALUES (1, 1, 'failed', 'push', 'main', $sha, $sha, 0, 0)`,
      `INSERT INTO jobs (project_id, pipeline_id, name, stage, status, allow_failure, tag_list, retried, created_at)
         VALUES (1, 1, 'lint', 'test', 'failed', 0, '[]', 0, 0)`,
      `INSERT INTO releases (project_id, tag, commit_id, name, description, author_id, created_at, updated_at, released_at)
         VALUES (1, 'v1', $sha, 'Winter', 'Longer **nights**', $ada, 0, 0, 0)`,
      `INSERT INTO namespaces (kind, name, path, full_path, created_at) VALUES ('group', 'Harbour', 'harbour', 'harbour', 0)`,
      `INSERT INTO epics (group_id, iid, title, description, author_id, created_at, updated_at)
         SELECT max(id), 1, 'All lamps', 'Every one', $ada, 0, 0 FROM namespaces`,
    ]) {
      const all = { ada: ada.user.id, rita: rita.user.id, sha };
      store.run(sql, Object.fromEntries(Object.entries(all).filter(([name]) => sql.includes(`$${name}`))));
    }
  });
  after(() => server.close());

  const contentAbout = (
    event: NotificationEvent,
    { target, details = {}, actor: by }: Expected,
    id = 1,
  ): MailContent | undefined => {
    const recorded: RecordedEvent = {
      id: 1,
      createdAt: 0,
      event,
      actorId: by === undefined ? ada.user.id : null,
      projectId: 1,
      groupId: null,
      targetType: target,
      targetId: id,
      details,
    };
    return contentOf(server.platform, recorded);
  };
  const linesOf = (content: MailContent | undefined): string[] =>
    (content?.blocks ?? []).flatMap((block) => (block.kind === 'list' ? block.items : block.kind === 'link' ? [] : [block.text]));

  for (const event of notificationEvents) {
    it(`${event} says what happened, in the right thread`, () => {
      const one = expected[event];
      const content = contentAbout(event, one);
      assert.equal(content?.subject, one.subject);
      assert.deepEqual(linesOf(content), one.text);
      assert.equal(content?.messageId, one.messageId ?? null);
      assert.deepEqual(content?.references, one.references ?? []);
      assert.equal(content?.from, one.actor === undefined ? 'ada Example' : 'Signalbox');
      assert.equal(content?.blocks.at(-1)?.kind, 'link');
    });

    it(`${event} does not exist if its target was deleted`, () => {
      assert.equal(contentAbout(event, expected[event], 99), undefined);
    });
  }

  it('a new mention says so, and is a reply', () => {
    const content = contentAbout('new_issue', { ...expected.new_issue, details: { newlyMentionedIds: [3] } });
    assert.equal(content?.subject, `Re: ${issue}`);
    assert.deepEqual(linesOf(content), ['ada Example mentioned you in issue #1.', 'Which **bulb**?']);
    assert.deepEqual(content?.references, ['issue_1']);
  });

  it('a deleted comment does not exist', () => {
    assert.equal(contentAbout('new_note', { ...expected.new_note, details: { noteId: 99 } }), undefined);
  });

  it('a pipeline, an epic and a merge request has its own header fields', () => {
    const headers = (event: NotificationEvent): Readonly<Record<string, string>> =>
      contentAbout(event, expected[event])?.headers ?? {};
    assert.partialDeepStrictEqual(headers('failed_pipeline'), {
      'X-GitLab-Pipeline-Id': '1',
      'X-GitLab-Pipeline-Ref': 'main',
      'X-GitLab-Pipeline-Status': 'failed',
    });
    assert.partialDeepStrictEqual(headers('new_epic'), { 'X-GitLab-Group-Path': 'harbour' });
    assert.equal(headers('new_epic')['X-GitLab-Project'], undefined);
    assert.partialDeepStrictEqual(headers('close_merge_request'), {
      'X-GitLab-MergeRequest-ID': '1',
      'X-GitLab-MergeRequest-IID': '1',
      'X-GitLab-MergeRequest-State': 'opened',
    });
  });
});
