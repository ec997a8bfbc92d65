import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { describeEvent } from '../../../src/activity/describe.ts';
import { pageOfEvent } from '../../../src/activity/links.ts';
import { type ActivityEvent, readActivityEvent } from '../../../src/contract/activity.ts';
import { event, noteEvent, plainEvent, pushEvent, wireEvent } from './events.ts';

const PROJECT = 'https://gitlab.example.com/signals/relay';
const bulk = { commit_count: 0, commit_from: null, commit_to: null, ref: null, commit_title: null, ref_count: 12 };
const HASH = '2222222222222222222222222222222222222222';

/** Action · label · text for screen readers · icon · page below the project's. */
const cases: readonly [string, ActivityEvent, string, string, string, string][] = [
  ['an opened issue', event(), 'Opened #12 Relay flickers', 'Opened issue 12: Relay flickers', 'issues', '/-/issues/12'],
  [
    'a closed issue',
    event({ action_name: 'closed' }),
    'Closed #12 Relay flickers',
    'Closed issue 12: Relay flickers',
    'pass',
    '/-/issues/12',
  ],
  [
    'a work item',
    event({ target_type: 'WorkItem' }),
    'Opened #12 Relay flickers',
    'Opened work item 12: Relay flickers',
    'issues',
    '/-/issues/12',
  ],
  [
    'a merged merge request',
    event({ action_name: 'accepted', target_type: 'MergeRequest' }),
    'Merged !12 Relay flickers',
    'Merged merge request 12: Relay flickers',
    'git-merge',
    '/-/merge_requests/12',
  ],
  [
    'an approved merge request',
    event({ action_name: 'approved', target_type: 'MergeRequest' }),
    'Approved !12 Relay flickers',
    'Approved merge request 12: Relay flickers',
    'check',
    '/-/merge_requests/12',
  ],
  [
    'a milestone',
    event({ target_type: 'Milestone', target_iid: 3, target_title: 'Spring' }),
    'Opened milestone Spring',
    'Opened milestone: Spring',
    'milestone',
    '/-/milestones/3',
  ],
  ['joining', plainEvent('joined'), 'Joined the project', 'Joined the project', 'person-add', ''],
  ['leaving', plainEvent('left'), 'Left the project', 'Left the project', 'sign-out', ''],
  [
    'the end of a membership',
    plainEvent('removed due to membership expiration from'),
    'Project membership expired',
    'Project membership expired',
    'sign-out',
    '',
  ],
  ['a new project', plainEvent('created'), 'Created the project', 'Created the project', 'repo', ''],
  [
    'an unknown action',
    plainEvent('teleported to'),
    'Teleported to the project',
    'Teleported to the project',
    'circle-small-filled',
    '',
  ],
  [
    'an unknown target type',
    event({ target_type: 'FeatureFlag', target_title: 'Amber' }),
    'Opened feature flag Amber',
    'Opened feature flag: Amber',
    'issues',
    '',
  ],
  [
    'a comment on an issue',
    noteEvent({}),
    'Commented on #12 Relay flickers',
    'Commented on issue 12: Relay flickers',
    'comment',
    '/-/issues/12#note_77',
  ],
  [
    'a comment of a thread',
    noteEvent({ noteable_type: 'MergeRequest', noteable_iid: 4 }, { target_type: 'DiscussionNote' }),
    'Commented on !4 Relay flickers',
    'Commented on merge request 4: Relay flickers',
    'comment',
    '/-/merge_requests/4#note_77',
  ],
  [
    'a comment whose issue has no number',
    noteEvent({ noteable_iid: null }),
    'Commented on issue Relay flickers',
    'Commented on issue: Relay flickers',
    'comment',
    '',
  ],
  [
    'a comment on a commit',
    noteEvent({ noteable_type: 'Commit', noteable_id: null, noteable_iid: null }, { target_title: null }),
    'Commented on commit',
    'Commented on commit',
    'comment',
    '',
  ],
  [
    'a comment on a commit that the instance names',
    noteEvent(
      { noteable_type: 'Commit', noteable_id: null, noteable_iid: null, commit_id: HASH },
      { target_title: 'Tighten the relay' },
    ),
    'Commented on commit Tighten the relay',
    'Commented on commit: Tighten the relay',
    'comment',
    `/-/commit/${HASH}#note_77`,
  ],
];

const pushes: readonly [string, Readonly<Record<string, unknown>>, string, string, string, string][] = [
  [
    'pushed',
    {},
    'Pushed to main: Tighten the relay',
    'Pushed to branch main: Tighten the relay',
    'repo-push',
    `/-/commit/${HASH}`,
  ],
  [
    'pushed',
    { commit_count: 3 },
    'Pushed 3 commits to main: Tighten the relay',
    'Pushed 3 commits to branch main: Tighten the relay',
    'repo-push',
    `/-/compare/1111111111111111111111111111111111111111...${HASH}`,
  ],
  [
    'pushed',
    { action: 'created', ref: 'fix/amber lamp', commit_from: null, commit_count: 0 },
    'Created branch fix/amber lamp',
    'Created branch fix/amber lamp',
    'git-branch',
    '/-/commits/fix/amber%20lamp',
  ],
  ['pushed', { action: 'created', ref_type: 'tag', ref: 'v1' }, 'Created tag v1', 'Created tag v1', 'tag', '/-/tags/v1'],
  [
    'pushed',
    { action: 'removed', ref: 'old', commit_to: null, commit_title: null, commit_count: 0 },
    'Deleted branch old',
    'Deleted branch old',
    'trash',
    '',
  ],
  ['pushed', bulk, 'Pushed to 12 branches', 'Pushed to 12 branches', 'repo-push', ''],
  ['pushed', { ...bulk, action: 'created', ref_type: 'tag' }, 'Created 12 tags', 'Created 12 tags', 'tag', ''],
  ['pushed', { ...bulk, action: 'removed', ref_count: 1 }, 'Deleted 1 branch', 'Deleted 1 branch', 'trash', ''],
];
/** Action names of the same pushes in the other dialect. */
const observed: Readonly<Record<string, string>> = { pushed: 'pushed to', created: 'pushed new', removed: 'deleted' };

describe('texts of events', () => {
  for (const [what, subject, label, spoken, icon, page] of cases) {
    it(`texts of events describe ${what}`, () => {
      const text = describeEvent(subject, 'en');
      assert.deepEqual([text.label, text.spoken, text.icon], [label, spoken, icon]);
      assert.equal(pageOfEvent(subject, PROJECT), `${PROJECT}${page}`);
    });
  }

  for (const [documented, data, label, spoken, icon, page] of pushes) {
    const action = typeof data.action === 'string' ? data.action : 'pushed';
    for (const name of [documented, observed[action] ?? '']) {
      it(`texts of events are "${label}" for "${name}"`, () => {
        const subject = pushEvent(name, data);
        const text = describeEvent(subject, 'en');
        assert.deepEqual([text.label, text.spoken, text.icon], [label, spoken, icon]);
        assert.equal(pageOfEvent(subject, PROJECT), `${PROJECT}${page}`);
      });
    }
  }

  it('texts of events link to the page of the author while the project is unknown', () => {
    assert.equal(pageOfEvent(event(), undefined), 'https://gitlab.example.com/ana');
  });

  it('texts of events link comments on snippets to the snippet, which has only an id', () => {
    for (const iid of [null, 0, undefined]) {
      const subject = noteEvent({ noteable_type: 'Snippet', noteable_id: 31, noteable_iid: iid }, { target_title: 'Lamp test' });
      assert.equal(pageOfEvent(subject, PROJECT), `${PROJECT}/-/snippets/31#note_77`);
      assert.equal(describeEvent(subject, 'en').label, 'Commented on snippet Lamp test');
    }
    const unnumbered = noteEvent({ noteable_type: 'Issue', noteable_iid: 0 });
    assert.equal(pageOfEvent(unnumbered, PROJECT), PROJECT);
    assert.doesNotMatch(describeEvent(unnumbered, 'en').label, /#0/);
  });

  it('texts of events link only to http and https pages', () => {
    for (const url of ['javascript:alert(1)', 'command:x', 'file:///etc/passwd', 'no url', '']) {
      assert.equal(pageOfEvent(event({ author: null }), url), undefined, url);
    }
  });
});

describe('reading events', () => {
  it('reading events keeps unknown members', () => {
    assert.equal(readActivityEvent(wireEvent({ wiki_page: { slug: 'home' } }))?.wiki_page instanceof Object, true);
  });

  it('reading events accepts a missing author', () => {
    const read = readActivityEvent(wireEvent({ author: undefined, author_username: null }));
    assert.deepEqual([read?.author, read?.author_username], [null, null]);
  });

  for (const changes of [{ id: 'x' }, { id: 1.5 }, { action_name: null }, { created_at: 'soon' }, { created_at: undefined }]) {
    it(`reading events rejects an event with ${JSON.stringify(changes)}`, () =>
      assert.equal(readActivityEvent(wireEvent(changes)), undefined));
  }

  for (const value of [null, [], 'event', 7]) {
    it(`reading events rejects ${JSON.stringify(value)}`, () => assert.equal(readActivityEvent(value), undefined));
  }
});
