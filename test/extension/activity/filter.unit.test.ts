import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createChoices } from '../../../src/activity/choices.ts';
import {
  type ActivityFilter,
  filterLike,
  filterQuery,
  formatFilter,
  NO_FILTER,
  parseDates,
  readFilter,
} from '../../../src/activity/filter.ts';
import { keyOfList, listOfPerson, listOfProject } from '../../../src/activity/lists.ts';
import { createWindowMemory } from '../../../src/support/windowMemory.ts';
import { fakeMemento } from '../../support/extension/fakes.ts';
import { event, noteEvent, plainEvent, pushEvent } from './events.ts';

const now = new Date(2026, 2, 1, 15, 0);

describe('activity filter', () => {
  it('the activity filter requests dates by the days around them, which the API excludes', () => {
    const query = (dates: ActivityFilter['dates']) => filterQuery({ ...NO_FILTER, dates }, now);
    assert.deepEqual(query({ kind: 'last', days: 1 }), { after: '2026-02-28' });
    assert.deepEqual(query({ kind: 'last', days: 7 }), { after: '2026-02-22' });
    const between = { kind: 'between', first: '2026-01-01', last: '2026-02-28' } as const;
    assert.deepEqual(query(between), { after: '2025-12-31', before: '2026-03-01' });
    assert.deepEqual(filterQuery(NO_FILTER, now), {});
    const whole = { action: 'commented', target: 'note', dates: undefined } as const;
    assert.deepEqual(filterQuery(whole, now), { action: 'commented', target_type: 'note' });
  });

  it('the activity filter parses one or two dates in any order and rejects invalid ones', () => {
    const one = { kind: 'between', first: '2026-02-28', last: '2026-02-28' };
    assert.deepEqual(parseDates(' 2026-02-28 '), one);
    assert.deepEqual(parseDates('2026-03-02 – 2026-02-28'), { ...one, last: '2026-03-02' });
    for (const text of ['', 'today', '2026-02-30', '2026-13-01', '2026-1-1', '2026-01-01 2026-01-02 2026-01-03', '2026-01-01 7'])
      assert.equal(parseDates(text), undefined, text);
  });

  it('the activity filter is formatted as text', () => {
    const filter: ActivityFilter = { action: 'pushed', target: 'project', dates: { kind: 'last', days: 7 } };
    assert.equal(formatFilter(filter), 'pushes · projects · last 7 days');
    assert.equal(formatFilter({ ...NO_FILTER, dates: { kind: 'between', first: 'a', last: 'b' } }), 'a to b');
    assert.equal(formatFilter(NO_FILTER), '');
  });

  it('the activity filter is derived from an event in both dialects', () => {
    const like = (of: ReturnType<typeof event>) => filterLike(of, NO_FILTER);
    assert.deepEqual(like(event()), { ...NO_FILTER, action: 'created', target: 'issue' });
    for (const name of ['pushed', 'pushed to', 'pushed new', 'deleted'])
      assert.deepEqual(like(pushEvent(name, {})), { ...NO_FILTER, action: 'pushed' });
    assert.deepEqual(like(noteEvent({})), { ...NO_FILTER, action: 'commented', target: 'note' });
    assert.deepEqual(like(noteEvent({}, { target_type: 'DiffNote' })), { ...NO_FILTER, action: 'commented' });
    assert.deepEqual(like(plainEvent('joined')), { ...NO_FILTER, action: 'joined' });
    const dates = { kind: 'last', days: 7 } as const;
    assert.deepEqual(filterLike(event(), { ...NO_FILTER, dates }).dates, dates);
  });

  it('the activity filter is stored per account and ignores invalid values', async () => {
    const memory = fakeMemento();
    const choices = createChoices(memory);
    const filter: ActivityFilter = {
      action: 'closed',
      target: 'issue',
      dates: { kind: 'between', first: '2026-01-01', last: '2026-01-02' },
    };
    await choices.setFilter('local/1', filter);
    assert.deepEqual(createChoices(memory).filter('local/1'), filter);
    assert.deepEqual(choices.filter('local/2'), NO_FILTER);
    await choices.setFilter('local/1', NO_FILTER);
    assert.deepEqual(createChoices(memory).filter('local/1'), NO_FILTER);
    for (const odd of [undefined, 7, [], { action: 'eaten', target: 1, dates: { kind: 'last', days: -1 } }])
      assert.deepEqual(readFilter(odd), NO_FILTER);
  });
});

describe('lists of events', () => {
  it('lists of events exist for own activity, own projects, a user and a project', () => {
    const addresses = [
      listOfPerson({ kind: 'mine' }, NO_FILTER, now),
      listOfPerson({ kind: 'all' }, NO_FILTER, now),
      listOfPerson({ kind: 'person', id: 7, username: 'ana' }, NO_FILTER, now),
      listOfProject({ id: 42, path: 'signals/relay' }, NO_FILTER, now),
      listOfProject({ id: undefined, path: 'signals/relay' }, NO_FILTER, now),
    ];
    assert.deepEqual(
      addresses.map(({ path, query }) => [path, query.scope]),
      [
        ['/events', undefined],
        ['/events', 'all'],
        ['/users/7/events', undefined],
        ['/projects/42/events', undefined],
        ['/projects/signals%2Frelay/events', undefined],
      ],
    );
    assert.equal(new Set(addresses.map((address) => keyOfList('local/1', address))).size, addresses.length);
  });

  it('lists of events have a separate key per filter and account', () => {
    const of = (filter: ActivityFilter, account = 'local/1') => keyOfList(account, listOfPerson({ kind: 'mine' }, filter, now));
    const keys = [of(NO_FILTER), of({ ...NO_FILTER, action: 'closed' }), of(NO_FILTER, 'local/2')];
    assert.deepEqual(keys, ['local/1/mine', 'local/1/mine?action=closed', 'local/2/mine']);
  });

  it('lists of events store the scope', async () => {
    const choices = createChoices(fakeMemento());
    const person = { kind: 'person', id: 7, username: 'ana' } as const;
    assert.deepEqual(choices.scope('a'), { kind: 'mine' });
    await choices.setScope('a', person);
    assert.deepEqual(choices.scope('a'), person);
    await choices.setScope('a', { kind: 'all' });
    assert.deepEqual([choices.scope('a'), choices.scope('b')], [{ kind: 'all' }, { kind: 'mine' }]);
  });

  it('lists of events keep the choices of a window independent of others, and start a new window with the latest ones', async () => {
    const shared = fakeMemento();
    const own = [fakeMemento(), fakeMemento()] as const;
    const open = (window: 0 | 1) => createChoices(createWindowMemory(own[window], shared));
    const [first, second] = [open(0), open(1)];
    await first.setScope('a', { kind: 'all' });
    await second.setScope('a', { kind: 'mine' });
    await second.setFilter('a', { ...NO_FILTER, action: 'closed' });
    assert.deepEqual([first.scope('a'), first.filter('a').action], [{ kind: 'all' }, 'closed']);
    assert.deepEqual(second.scope('a'), { kind: 'mine' });
    assert.deepEqual([open(0).scope('a'), open(1).scope('a')], [{ kind: 'all' }, { kind: 'mine' }]);
    const newWindow = createChoices(createWindowMemory(fakeMemento(), shared));
    assert.deepEqual([newWindow.scope('a'), newWindow.filter('a').action], [{ kind: 'mine' }, 'closed']);
  });
});
