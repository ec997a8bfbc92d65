import assert from 'node:assert/strict';
import {
  detailedStatus,
  isDraft,
  issuesNamed,
  mergeStatus,
  readPerson,
  titleAs,
} from '../../../server/features/mergeRequests/rules.ts';

describe('rules of merge requests', () => {
  it('a draft is recognized by the prefix of its title', () => {
    for (const title of ['Draft: x', 'draft: x', '[Draft] x', '(draft) x', ' DRAFT:x']) assert.ok(isDraft(title), title);
    for (const title of ['Drafts: x', 'x Draft:', 'WIP: x', 'drafty']) assert.ok(!isDraft(title), title);
    assert.equal(titleAs('x', true), 'Draft: x');
    assert.equal(titleAs('[draft] x', true), '[draft] x');
    assert.equal(titleAs('Draft: [draft] x', false), 'x');
  });

  for (const [text, closed, named] of [
    ['Closes #1', ['#1'], []],
    ['closes: #1, #2 and a/b#3', ['#1', '#2', 'a/b#3'], []],
    ['Fixed #4. Implements issue #5', ['#4', '#5'], []],
    ['Resolving #6 but see #7', ['#6'], ['#7']],
    ['See a/b/c#8 and #8', [], ['a/b/c#8', '#8']],
    ['Closes nothing, encloses #9 maybe', [], ['#9']],
    ['abc#1 and ##2 and x/#3', [], []],
    ['Closes #1 closes #1 #1', ['#1'], []],
  ] as const) {
    it(`issue references are parsed in: ${text}`, () => {
      const all = issuesNamed([text]).map((issue) => [`${issue.project ?? ''}#${issue.iid}`, issue.closes] as const);
      assert.deepEqual(
        all.filter(([, closes]) => closes).map(([name]) => name),
        closed,
      );
      assert.deepEqual(
        all.filter(([, closes]) => !closes).map(([name]) => name),
        named,
      );
    });
  }

  for (const [metadata, status, detailed] of [
    [{ isOpen: true, isDraft: false, hasCommits: true, conflicts: false }, 'can_be_merged', 'mergeable'],
    [{ isOpen: true, isDraft: true, hasCommits: true, conflicts: false }, 'can_be_merged', 'draft_status'],
    [{ isOpen: true, isDraft: false, hasCommits: true, conflicts: true }, 'cannot_be_merged', 'conflict'],
    [{ isOpen: true, isDraft: false, hasCommits: false, conflicts: undefined }, 'cannot_be_merged', 'commits_status'],
    [{ isOpen: true, isDraft: true, hasCommits: true, conflicts: undefined }, 'unchecked', 'unchecked'],
    [{ isOpen: true, isDraft: false, hasCommits: undefined, conflicts: undefined }, 'unchecked', 'unchecked'],
    [{ isOpen: false, isDraft: false, hasCommits: true, conflicts: false }, 'can_be_merged', 'not_open'],
  ] as const) {
    it(`the status of ${JSON.stringify(metadata)} is ${detailed}`, () => {
      assert.equal(mergeStatus(metadata), status);
      assert.equal(detailedStatus(metadata), detailed);
    });
  }

  it('a user filter is an id or a keyword', () => {
    assert.deepEqual(['7', 'none', 'NONE', '0', 'Any', 'ada', '-1', ''].map(readPerson), [
      7,
      'None',
      'None',
      'None',
      'Any',
      undefined,
      undefined,
      undefined,
    ]);
  });
});
