import assert from 'node:assert/strict';
import {
  dueBounds,
  dueNoticeAt,
  issueAbilities,
  readAssignee,
  taskCounts,
  titleErrors,
} from '../../../server/features/issues/rules.ts';

describe('titles of issues', () => {
  it('the title of an issue is not blank and has at most 255 characters', () => {
    assert.deepEqual(titleErrors('Lamp 7 stays dark'), []);
    assert.deepEqual(titleErrors('🚦'.repeat(255)), []);
    assert.deepEqual(titleErrors(' \t'), ["can't be blank"]);
    assert.deepEqual(titleErrors('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
  });
});

describe('task lists', () => {
  it('the items of a task list are counted by their checkboxes', () => {
    assert.deepEqual(taskCounts('- [ ] one\n* [x] two\n1. [X] three\n  - [ ] four\n'), { count: 4, completed_count: 2 });
    assert.deepEqual(taskCounts('no [x] list\n-[ ] neither\n- [y] nor this'), { count: 0, completed_count: 0 });
  });
});

describe('the assignee of a filter', () => {
  it('the assignee of a filter is a number, None or Any', () => {
    assert.equal(readAssignee('7'), 7);
    assert.equal(readAssignee('0'), 'None');
    assert.equal(readAssignee('none'), 'None');
    assert.equal(readAssignee('ANY'), 'Any');
    for (const text of ['ada', '-1', '1.5', '']) assert.equal(readAssignee(text), undefined, text);
  });
});

describe('due date filters', () => {
  it('due date keywords are converted to days', () => {
    const sunday = Date.UTC(2026, 4, 10, 9);
    assert.deepEqual(dueBounds('0', sunday), 'None');
    assert.deepEqual(dueBounds('any', sunday), 'Any');
    assert.deepEqual(dueBounds('today', sunday), { from: '2026-05-10', until: '2026-05-10' });
    assert.deepEqual(dueBounds('tomorrow', sunday), { from: '2026-05-11', until: '2026-05-11' });
    assert.deepEqual(dueBounds('overdue', sunday), { until: '2026-05-09' });
    assert.deepEqual(dueBounds('week', sunday), { from: '2026-05-04', until: '2026-05-10' });
    assert.deepEqual(dueBounds('week', Date.UTC(2026, 4, 11)), { from: '2026-05-11', until: '2026-05-17' });
    assert.deepEqual(dueBounds('month', Date.UTC(2028, 1, 29)), { from: '2028-02-01', until: '2028-02-29' });
    assert.deepEqual(dueBounds('month', Date.UTC(2026, 11, 31)), { from: '2026-12-01', until: '2026-12-31' });
    assert.deepEqual(dueBounds('next_month_and_previous_two_weeks', Date.UTC(2026, 11, 10)), {
      from: '2026-11-26',
      until: '2027-01-31',
    });
  });
});

describe('announcements of due issues', () => {
  it('an issue is announced at 00:50 UTC of the day before its due date, unless that has passed', () => {
    const notice = Date.UTC(2026, 1, 28, 0, 50);
    assert.equal(dueNoticeAt('2026-03-01', notice - 1), notice);
    assert.equal(dueNoticeAt('2026-03-01', 0), notice);
    assert.equal(dueNoticeAt('2026-03-01', notice), null);
    assert.equal(dueNoticeAt('2020-01-01', notice), null);
    assert.equal(dueNoticeAt(null, 0), null);
  });
});

describe('the abilities of a user on an issue', () => {
  const person = { canWrite: true, isReporter: false, isAuthor: false, isAssignee: false };
  it('reporters can change everything on an issue, author and assignee text and state, and others nothing', () => {
    assert.deepEqual(issueAbilities(person), { update: false, administer: false });
    assert.deepEqual(issueAbilities({ ...person, isAuthor: true }), { update: true, administer: false });
    assert.deepEqual(issueAbilities({ ...person, isAssignee: true }), { update: true, administer: false });
    assert.deepEqual(issueAbilities({ ...person, isReporter: true }), { update: true, administer: true });
    const archived = { canWrite: false, isReporter: true, isAuthor: true, isAssignee: true };
    assert.deepEqual(issueAbilities(archived), { update: false, administer: false });
  });
});
