import assert from 'node:assert/strict';
import type { PushedRef } from '../../../server/features/pushes/changes.ts';
import { dialectRules } from '../../../server/core/dialect.ts';
import { defaultProfile } from '../../../server/core/profile.ts';
import {
  actionName,
  actionNumbers,
  areas,
  AUDIENCES,
  audienceOf,
  dayBounds,
  openAudiences,
  pushActionName,
  pushPayloads,
  eventVisibility,
} from '../../../server/features/activity/rules.ts';

const pushed = (ref: string, more: Partial<PushedRef> = {}): PushedRef => ({
  ref,
  refType: 'branch',
  action: 'pushed',
  commitFrom: 'a'.repeat(40),
  commitTo: 'b'.repeat(40),
  commitCount: 2,
  commitTitle: 'Fix the lamp',
  ...more,
});

describe('the events of a push', () => {
  it('a push has one event per ref up to the limit', () => {
    const payloads = pushPayloads([pushed('main'), pushed('next'), pushed('old')]);
    assert.deepEqual(
      payloads.map((payload) => payload.ref),
      ['main', 'next', 'old'],
    );
    assert.deepEqual(payloads[0], {
      commit_count: 2,
      action: 'pushed',
      ref_type: 'branch',
      commit_from: 'a'.repeat(40),
      commit_to: 'b'.repeat(40),
      ref: 'main',
      commit_title: 'Fix the lamp',
      ref_count: null,
    });
  });

  it('a push above the limit has one bulk event with the number of refs', () => {
    assert.deepEqual(pushPayloads(['a', 'b', 'c', 'd'].map((ref) => pushed(ref))), [
      {
        commit_count: 0,
        action: 'pushed',
        ref_type: 'branch',
        commit_from: null,
        commit_to: null,
        ref: null,
        commit_title: null,
        ref_count: 4,
      },
    ]);
  });

  it('refs of a push are counted separately for each kind and action', () => {
    const refs = [
      ...['a', 'b', 'c'].map((ref) => pushed(ref)),
      ...['d', 'e', 'f'].map((ref) => pushed(ref, { action: 'created' })),
      ...['1', '2', '3', '4'].map((ref) => pushed(ref, { refType: 'tag', action: 'created' })),
    ];
    const payloads = pushPayloads(refs);
    assert.equal(payloads.length, 7);
    assert.deepEqual(
      payloads
        .filter((payload) => payload.ref_count !== null)
        .map((payload) => [payload.ref_type, payload.action, payload.ref_count]),
      [['tag', 'created', 4]],
    );
  });

  it('the limit of refs per push can be changed; with 0 a single ref makes a bulk event', () => {
    assert.deepEqual(
      pushPayloads([pushed('main')], 0).map((payload) => payload.ref_count),
      [1],
    );
    assert.equal(
      pushPayloads(
        ['a', 'b', 'c', 'd'].map((ref) => pushed(ref)),
        4,
      ).length,
      4,
    );
    assert.deepEqual(pushPayloads([]), []);
  });

  it('push events have no start commit for a new ref, no end commit for a removed one, and a title of up to 70 characters', () => {
    const [created] = pushPayloads([pushed('new', { action: 'created', commitTitle: 'x'.repeat(90) })]);
    assert.partialDeepStrictEqual(created, { commit_from: null, commit_to: 'b'.repeat(40), commit_title: 'x'.repeat(70) });
    const [removed] = pushPayloads([pushed('old', { action: 'removed' })]);
    assert.partialDeepStrictEqual(removed, { commit_from: 'a'.repeat(40), commit_to: null, commit_title: null, commit_count: 0 });
  });

  it('the action name of a push depends on the dialect', () => {
    const text = (dialect: 'documented' | 'observed'): string[] =>
      (['pushed', 'created', 'removed'] as const).map((action) => {
        const [payload] = pushPayloads([pushed('main', { action })]);
        assert.ok(payload);
        return pushActionName(payload, dialectRules({ ...defaultProfile, dialect }));
      });
    assert.deepEqual(text('documented'), ['pushed', 'pushed', 'pushed']);
    assert.deepEqual(text('observed'), ['pushed to', 'pushed new', 'deleted']);
  });
});

describe('action names of events', () => {
  it('the action names of events are those of GitLab', () => {
    const text = Object.entries(actionNumbers)
      .filter(([name]) => name !== 'pushed')
      .map(([name, number]) => [name, actionName(number, 'Issue'), actionName(number, null)]);
    assert.deepEqual(text, [
      ['created', 'opened', 'created'],
      ['updated', 'opened', 'opened'],
      ['closed', 'closed', 'closed'],
      ['reopened', 'opened', 'opened'],
      ['commented', 'commented on', 'commented on'],
      ['merged', 'accepted', 'accepted'],
      ['joined', 'joined', 'joined'],
      ['left', 'left', 'left'],
      ['destroyed', 'destroyed', 'destroyed'],
      ['expired', 'removed due to membership expiration from', 'removed due to membership expiration from'],
      ['approved', 'approved', 'approved'],
    ]);
  });
});

describe('days of feeds', () => {
  it('the days of the filters before and after are excluded', () => {
    const day = Date.UTC(2026, 4, 10);
    assert.deepEqual(dayBounds(day, undefined), { from: undefined, until: day });
    assert.deepEqual(dayBounds(undefined, day), { from: Date.UTC(2026, 4, 11), until: undefined });
    assert.deepEqual(dayBounds(Date.UTC(2026, 4, 12), day), { from: Date.UTC(2026, 4, 11), until: Date.UTC(2026, 4, 12) });
  });
});

describe('visibility of events', () => {
  const all = {
    readProject: true,
    readIssues: true,
    readCode: true,
    readMergeRequests: true,
    readMilestones: true,
    readConfidential: true,
    readInternalSnippets: true,
    readPrivateSnippets: true,
    writeIssues: true,
  };

  it('events are visible to readers of their area, and confidential ones only with the required ability', () => {
    const guest = { ...all, readCode: false, readMergeRequests: false, readConfidential: false };
    assert.deepEqual(openAudiences(guest), [
      areas.project,
      areas.issues,
      areas.milestones,
      areas.internalSnippets,
      areas.privateSnippets,
    ]);
    const codeOnly = { ...guest, readCode: true, readIssues: false, readInternalSnippets: false, readPrivateSnippets: false };
    assert.deepEqual(openAudiences(codeOnly), [areas.project, areas.code, areas.milestones]);
    assert.deepEqual(openAudiences({ ...codeOnly, readCode: false, readMilestones: false }), [areas.project]);
    const open = openAudiences(all);
    for (const area of ['project', 'issues', 'code', 'mergeRequests', 'milestones'] as const) {
      for (const held of [{}, { confidential: true }, { internal: true }, { confidential: true, internal: true }]) {
        assert.ok(open.includes(audienceOf(area, held)), JSON.stringify([area, held]));
      }
    }
    assert.ok(open.every((audience) => audience < AUDIENCES));
  });

  it('merge requests can be excluded from feeds of users', () => {
    assert.ok(!openAudiences(all, ['mergeRequests']).some((audience) => (audience & 7) === areas.mergeRequests));
  });

  it('the SQL condition is needed only if a project or an ability is missing', () => {
    const options = { withoutMergeRequests: false };
    assert.equal(eventVisibility([{ id: 1, can: all }], 7, options).isPartial, false);
    assert.equal(eventVisibility([], 7, options).isPartial, false);
    for (const right of [
      'readIssues',
      'readCode',
      'readMergeRequests',
      'readConfidential',
      'readInternalSnippets',
      'readPrivateSnippets',
    ] as const) {
      assert.equal(eventVisibility([{ id: 1, can: { ...all, [right]: false } }], 7, options).isPartial, true, right);
    }
    assert.deepEqual(eventVisibility([{ id: 1, can: undefined }], 7, options), {
      isPartial: true,
      open: [],
      ownConfidentialIn: [],
      reader: 7,
      withoutMergeRequests: false,
    });
    const guest = { ...all, readCode: false, readMergeRequests: false, readConfidential: false };
    const visibility = eventVisibility([{ id: 3, can: guest }], 7, options);
    assert.deepEqual(
      [visibility.isPartial, visibility.open, visibility.ownConfidentialIn],
      [true, [0, 1, 4, 5, 6].map((audience) => 3 * AUDIENCES + audience), [3]],
    );
    assert.deepEqual(eventVisibility([{ id: 3, can: guest }], 0, options).ownConfidentialIn, []);
  });
});
