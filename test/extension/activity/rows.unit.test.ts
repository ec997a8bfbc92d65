import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { groupByDay } from '../../../src/activity/days.ts';
import { hoverOfEvent } from '../../../src/activity/hover.ts';
import { type ActivityRow, type RowSettings, rowsOf } from '../../../src/activity/rows.ts';
import type { FeedState } from '../../../src/activity/model.ts';
import { readProjectBasic } from '../../../src/contract/projects.ts';
import { changedRows } from '../../../src/ui/changedRows.ts';
import { event, noteEvent, plainEvent, pushEvent } from './events.ts';

const now = new Date(2026, 10, 20, 15, 0);
const at = (month: number, day: number, hour = 12, year = 2026): string => new Date(year, month - 1, day, hour).toISOString();
const project = readProjectBasic({
  id: 42,
  name: 'Relay',
  path_with_namespace: 'signals/relay',
  web_url: 'https://gitlab.example.com/signals/relay',
});

const settings: RowSettings = {
  prefix: 'local/7/mine',
  details: 'project',
  isUnread: () => false,
  maxEvents: 100,
  project: (id) => (id === 42 ? project : undefined),
  now,
  locale: 'en-GB',
};
const ready = (events: readonly ReturnType<typeof event>[], next?: string): FeedState => ({
  kind: 'ready',
  events,
  next,
  at: 0,
  isCached: false,
  problem: undefined,
});

describe('days', () => {
  it('days are today, yesterday and dates, in the order of the events', () => {
    const events = [at(11, 20, 14), at(11, 20, 1), at(11, 19, 23), at(11, 18), at(12, 31, 12, 2025)].map((created_at, id) =>
      event({ id, created_at }),
    );
    const days = groupByDay(events, now, 'en-GB');
    assert.deepEqual(
      days.map(({ key, label, events: ofDay }) => [key, label.replace(',', ''), ofDay.map(({ id }) => id)]),
      [
        ['2026-11-20', 'Today', [0, 1]],
        ['2026-11-19', 'Yesterday', [2]],
        ['2026-11-18', 'Wednesday 18 November', [3]],
        ['2025-12-31', 'Wednesday 31 December 2025', [4]],
      ],
    );
  });

  it('days recognize yesterday on the first of a month', () => {
    const [day] = groupByDay([event({ created_at: at(10, 31) })], new Date(2026, 10, 1, 0, 5), 'en-GB');
    assert.equal(day?.label, 'Yesterday');
  });

  it('days use the language of the editor', () => {
    const [day] = groupByDay([event({ created_at: at(11, 18) })], now, 'de');
    assert.equal(day?.label, 'Mittwoch, 18. November');
  });
});

describe('rows of an activity view', () => {
  it('rows of an activity view are days with their events, and "Load more" while there is more', () => {
    const rows = rowsOf(ready([event({ created_at: at(11, 20, 9) })], 'https://next'), settings);
    assert.deepEqual(
      rows.map(({ kind, id }) => [kind, id]),
      [
        ['day', 'local/7/mine/day/2026-11-20'],
        ['more', 'local/7/mine/more'],
      ],
    );
    const [row] = childrenOf(rows[0]);
    assert.ok(row?.kind === 'event');
    assert.deepEqual(
      [row.id, row.label, row.description, row.spoken],
      [
        'local/7/mine/event/1',
        'Opened #12 Relay flickers',
        'signals/relay · 09:00',
        'Opened issue 12: Relay flickers, in signals/relay, by Ana Novak, Today 09:00',
      ],
    );
  });

  it('rows of an activity view name the author in the view of a project', () => {
    const [row] = childrenOf(rowsOf(ready([event({ created_at: at(11, 20, 9) })]), { ...settings, details: 'author' })[0]);
    assert.ok(row?.kind === 'event');
    assert.deepEqual([row.label, row.description], ['@ana opened #12 Relay flickers', '09:00']);
  });

  it('rows of an activity view omit the name of an unknown project', () => {
    const [row] = childrenOf(rowsOf(ready([event({ project_id: 43, created_at: at(11, 20, 9) })]), settings)[0]);
    assert.equal(row?.kind === 'event' && row.description, '09:00');
  });

  it('rows of an activity view keep their ids when new events are added', () => {
    const old = event({ id: 1, created_at: at(11, 20, 9) });
    const before = idsOf(rowsOf(ready([old], 'a'), settings));
    const after = idsOf(rowsOf(ready([event({ id: 2, created_at: at(11, 20, 10) }), old], 'b'), settings));
    for (const id of before) assert.ok(after.includes(id), id);
    assert.equal(new Set(after).size, after.length, 'ids are unique');
  });

  it('rows of an activity view name project and author in the list of all projects', () => {
    const [row] = childrenOf(rowsOf(ready([event({ created_at: at(11, 20, 9) })]), { ...settings, details: 'both' })[0]);
    assert.ok(row?.kind === 'event');
    assert.deepEqual([row.label, row.description], ['@ana opened #12 Relay flickers', 'signals/relay · 09:00']);
  });

  it('rows of an activity view mark unread events with a symbol, and with a word for screen readers', () => {
    const all = { ...settings, isUnread: ({ id }: { id: number }) => id === 2 };
    const [news, old] = childrenOf(rowsOf(ready([2, 1].map((id) => event({ id, created_at: at(11, 20, 9) }))), all)[0]);
    assert.ok(news?.kind === 'event' && old?.kind === 'event');
    assert.equal(news.description, '● · signals/relay · 09:00');
    assert.match(news.spoken, /^Unread, Opened issue 12/);
    assert.doesNotMatch(old.description + old.spoken, /●|New/);
  });

  it('rows of an activity view are limited in number, with "Load more" for the other loaded events', () => {
    const events = [4, 3, 2, 1].map((id) => event({ id, created_at: at(11, 20, 9) }));
    const rows = rowsOf(ready(events), { ...settings, maxEvents: 3 });
    assert.equal(childrenOf(rows[0]).length, 3);
    assert.equal(rows[1]?.kind, 'more');
    assert.equal(rowsOf(ready(events), { ...settings, maxEvents: 4 }).length, 1);
  });

  it('rows of an activity view show a bulk push as one row with the number of its refs', () => {
    const bulk = pushEvent('pushed', { ref: null, ref_count: 9, commit_count: 0, commit_to: null });
    const [row, ...others] = childrenOf(rowsOf(ready([bulk]), settings)[0]);
    assert.equal(row?.kind === 'event' && row.label, 'Pushed to 9 branches');
    assert.equal(others.length, 0);
  });

  it('rows of an activity view are empty before the first response', () => {
    for (const kind of ['idle', 'loading'] as const) assert.deepEqual(rowsOf({ kind }, settings), []);
  });
});

describe('repainting', () => {
  const rows = (...events: readonly ReturnType<typeof event>[]) => rowsOf(ready(events), settings);
  const today = event({ id: 2, created_at: at(11, 20, 9) });
  const old = event({ id: 1, created_at: at(11, 18, 9) });

  it('repainting is skipped when a refresh changes nothing', () => {
    assert.deepEqual(changedRows(rows(today, old), rows(today, old)), []);
  });

  it('repainting affects only the day with a new event', () => {
    const changed = changedRows(rows(today, old), rows(event({ id: 3, created_at: at(11, 20, 10) }), today, old));
    assert.deepEqual(changed !== 'all' && changed.map(({ id }) => id), ['local/7/mine/day/2026-11-20']);
  });

  it('repainting affects the whole tree when a day is added or removed', () => {
    assert.equal(changedRows(rows(old), rows(today, old)), 'all');
    assert.equal(changedRows(rows(today), []), 'all');
    assert.equal(changedRows(rows(today), rows(old)), 'all');
  });
});

describe('hover of an event', () => {
  it('the hover of an event shows action, author, project, time and a link to its page', () => {
    const hover = hoverOfEvent(event({ created_at: at(11, 20, 9) }), project, 'en-GB');
    assert.match(
      hover,
      /^\*\*Opened \\#12 Relay flickers\*\*\n\nAna Novak \\\(&#64;ana\\\) · \[signals&#47;relay\]\(https:\/\/gitlab\.example\.com\/signals\/relay\)/,
    );
    assert.match(hover, /Friday,? 20 November 2026(,| at) 09&#58;00/);
    assert.match(hover, /\[Open in Browser\]\(https:\/\/gitlab\.example\.com\/signals\/relay\/-\/issues\/12\)$/);
  });

  it('the hover of an event shows the details of a push', () => {
    const hover = hoverOfEvent(pushEvent('pushed to', { commit_count: 3 }), project, 'en-GB');
    assert.match(hover, /branch main · 3 commits · `11111111` … `22222222`/);
    assert.match(hover, /\n\nTighten the relay\n/);
  });

  it('the hover of an event shows why a bulk push has none', () => {
    const hover = hoverOfEvent(
      pushEvent('pushed', { ref: null, ref_count: 9, commit_count: 0, commit_to: null }),
      project,
      'en-GB',
    );
    assert.match(hover, /Commits are not listed/);
  });

  it('the hover of an event shows the comment, truncated if it is long', () => {
    const hover = hoverOfEvent(noteEvent({ body: `first\nsecond ${'x'.repeat(2_000)}` }), project, 'en-GB');
    assert.match(hover, /---\n\nfirst {2}\nsecond x{700}/);
    assert.ok(hover.length < 1_500);
  });

  it('the hover of an event escapes texts of the instance', () => {
    const evil =
      '<img src=x onerror=alert(1)> [click](command:evil) ![x](https://evil.example/x.png) **b** `c` $(zap) https://evil.example a@b.c &lt;';
    const hover = hoverOfEvent(noteEvent({ body: evil }, { target_title: evil }), project, 'en-GB');
    const unescaped = hover
      .replace(/\\[^\n]/g, '')
      .replaceAll(/\[Open in Browser\]\([^)]*\)|\[signals&#47;relay\]\([^)]*\)|^\*\*|\*\*$/gm, '');
    assert.doesNotMatch(unescaped, /[<[\]`*]|:\/\/|@|\$\(/);
    assert.doesNotMatch(hover, /&lt;/);
  });

  it('the hover of an event links only to http and https URLs', () => {
    const strange = {
      ...project,
      id: 42,
      name: 'x',
      path_with_namespace: 'x',
      name_with_namespace: 'x',
      description: null,
      web_url: 'command:evil',
    };
    assert.doesNotMatch(hoverOfEvent(plainEvent('joined'), strange, 'en-GB'), /command:/);
  });
});

function childrenOf(row: ActivityRow | undefined): readonly ActivityRow[] {
  return row?.kind === 'day' ? row.rows : [];
}

function idsOf(rows: readonly ActivityRow[]): readonly string[] {
  return rows.flatMap((row) => [row.id, ...idsOf(childrenOf(row))]);
}
