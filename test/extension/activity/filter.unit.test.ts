import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createChoices } from '../../../src/activity/choices.ts';
import {
  type ActivityFilter,
  filterActions,
  filterTargets,
  filterLike,
  filterQueries,
  MAX_LISTS,
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
    const query = (dates: ActivityFilter['dates']) => filterQueries({ ...NO_FILTER, dates }, now)[0];
    assert.deepEqual(query({ kind: 'last', days: 1 }), { after: '2026-02-28' });
    assert.deepEqual(query({ kind: 'last', days: 7 }), { after: '2026-02-22' });
    const between = { kind: 'between', first: '2026-01-01', last: '2026-02-28' } as const;
    assert.deepEqual(query(between), { after: '2025-12-31', before: '2026-03-01' });
    assert.deepEqual(filterQueries(NO_FILTER, now), [{}]);
    const whole: ActivityFilter = { ...NO_FILTER, actions: ['commented'], targets: ['note'], text: 'lamp' };
    assert.deepEqual(filterQueries(whole, now), [{ action: 'commented', target_type: 'note' }]);
  });

  it('the activity filter requests each combination of several actions and types, because the API takes one of each', () => {
    const filter: ActivityFilter = { ...NO_FILTER, actions: ['closed', 'reopened'], targets: ['issue', 'epic'] };
    assert.deepEqual(filterQueries({ ...filter, dates: { kind: 'last', days: 1 } }, now), [
      { action: 'closed', target_type: 'issue', after: '2026-02-28' },
      { action: 'closed', target_type: 'epic', after: '2026-02-28' },
      { action: 'reopened', target_type: 'issue', after: '2026-02-28' },
      { action: 'reopened', target_type: 'epic', after: '2026-02-28' },
    ]);
    assert.deepEqual(filterQueries({ ...filter, actions: [] }, now), [{ target_type: 'issue' }, { target_type: 'epic' }]);
  });

  it('the activity filter parses one or two dates in any order and rejects invalid ones', () => {
    const one = { kind: 'between', first: '2026-02-28', last: '2026-02-28' };
    assert.deepEqual(parseDates(' 2026-02-28 '), one);
    assert.deepEqual(parseDates('2026-03-02 – 2026-02-28'), { ...one, last: '2026-03-02' });
    for (const text of ['', 'today', '2026-02-30', '2026-13-01', '2026-1-1', '2026-01-01 2026-01-02 2026-01-03', '2026-01-01 7'])
      assert.equal(parseDates(text), undefined, text);
  });

  it('the activity filter is formatted as text', () => {
    const filter: ActivityFilter = {
      ...{ actions: ['pushed', 'closed'], targets: ['project'] },
      ...{ dates: { kind: 'last', days: 7 }, text: 'lamp' },
    };
    assert.equal(formatFilter(filter), 'pushes, closed · projects · last 7 days · “lamp”');
    assert.equal(formatFilter({ ...NO_FILTER, dates: { kind: 'between', first: 'a', last: 'b' } }), 'a to b');
    assert.equal(formatFilter(NO_FILTER), '');
  });

  it('the activity filter is derived from an event in both dialects', () => {
    const like = (of: ReturnType<typeof event>) => filterLike(of, NO_FILTER);
    assert.deepEqual(like(event()), { ...NO_FILTER, actions: ['created'], targets: ['issue'] });
    for (const name of ['pushed', 'pushed to', 'pushed new', 'deleted'])
      assert.deepEqual(like(pushEvent(name, {})), { ...NO_FILTER, actions: ['pushed'] });
    assert.deepEqual(like(noteEvent({})), { ...NO_FILTER, actions: ['commented'], targets: ['note'] });
    assert.deepEqual(like(noteEvent({}, { target_type: 'DiffNote' })), { ...NO_FILTER, actions: ['commented'] });
    assert.deepEqual(like(plainEvent('joined')), { ...NO_FILTER, actions: ['joined'] });
    const dates = { kind: 'last', days: 7 } as const;
    assert.deepEqual(filterLike(event(), { ...NO_FILTER, dates }).dates, dates);
  });

  it('the activity filter is stored per account and ignores invalid values', async () => {
    const memory = fakeMemento();
    const choices = createChoices(memory);
    const filter: ActivityFilter = {
      actions: ['closed', 'merged'],
      targets: ['issue'],
      text: 'lamp',
      dates: { kind: 'between', first: '2026-01-01', last: '2026-01-02' },
    };
    await choices.setFilter('local/1', filter);
    assert.deepEqual(createChoices(memory).filter('local/1'), filter);
    assert.deepEqual(choices.filter('local/2'), NO_FILTER);
    await choices.setFilter('local/1', NO_FILTER);
    assert.deepEqual(createChoices(memory).filter('local/1'), NO_FILTER);
    for (const odd of [undefined, 7, [], { actions: ['eaten'], targets: 1, dates: { kind: 'last', days: -1 }, text: '' }])
      assert.deepEqual(readFilter(odd), NO_FILTER);
    const tooMany = { ...NO_FILTER, actions: filterActions, targets: filterTargets };
    assert.ok(filterActions.length * filterTargets.length > MAX_LISTS);
    assert.deepEqual(readFilter(tooMany), NO_FILTER);
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
      addresses.map(({ path, queries }) => [path, queries[0]?.scope]),
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
    const keys = [of(NO_FILTER), of({ ...NO_FILTER, actions: ['closed'] }), of(NO_FILTER, 'local/2')];
    assert.deepEqual(keys, ['local/1/mine', 'local/1/mine?action=closed', 'local/2/mine']);
    assert.equal(of({ ...NO_FILTER, actions: ['closed', 'merged'] }), 'local/1/mine?action=closed|action=merged');
    assert.equal(of({ ...NO_FILTER, text: 'lamp' }), of(NO_FILTER), 'the text is searched in the loaded events');
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
    await second.setFilter('a', { ...NO_FILTER, actions: ['closed'] });
    assert.deepEqual([first.scope('a'), first.filter('a').actions], [{ kind: 'all' }, ['closed']]);
    assert.deepEqual(second.scope('a'), { kind: 'mine' });
    assert.deepEqual([open(0).scope('a'), open(1).scope('a')], [{ kind: 'all' }, { kind: 'mine' }]);
    const newWindow = createChoices(createWindowMemory(fakeMemento(), shared));
    assert.deepEqual([newWindow.scope('a'), newWindow.filter('a').actions], [{ kind: 'mine' }, ['closed']]);
  });
});
