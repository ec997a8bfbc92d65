import assert from 'node:assert/strict';
import { notificationEvents, type NotificationEvent, type NotificationLevel } from '../../../src/contract/notifications.ts';
import type { NotificationApi } from '../../../src/notifications/api.ts';
import { createNotificationsModel } from '../../../src/notifications/model.ts';
import { findRow, type NotificationRow, notificationRows } from '../../../src/notifications/rows.ts';
import {
  globalScope,
  groupScope,
  keyOfScope,
  type NotificationScope,
  readProjectScope,
} from '../../../src/notifications/scopes.ts';
import {
  appliedSetting,
  changeOfSwitch,
  changeTo,
  differenceOf,
  isSameSetting,
  type KnownSetting,
  neededScope,
  switchesLike,
} from '../../../src/notifications/settings.ts';
import { formatDifference } from '../../../src/notifications/texts.ts';
import { germanTexts, useLanguage } from '../../support/extension/language.ts';

const group = groupScope('tidemark', 1);
const below = groupScope('tidemark/berths', 2);
const project: NotificationScope = {
  ...{ kind: 'project', id: 3, path: 'tidemark/berths/api', name: 'API' },
  parents: ['tidemark/berths', 'tidemark'],
};
const setting = (level: NotificationLevel, switches: KnownSetting['switches'] = {}): KnownSetting => ({ level, switches });
const inherit = setting('global');
const lookupIn =
  (known: Readonly<Record<string, KnownSetting>>) =>
  (scope: NotificationScope): KnownSetting | undefined =>
    known[keyOfScope(scope)];

describe('the setting that applies', () => {
  const chains: readonly (readonly [what: string, known: Readonly<Record<string, KnownSetting>>, source: string])[] = [
    ['its own', { 'project:tidemark/berths/api': setting('watch') }, 'project:tidemark/berths/api'],
    [
      'that of its group',
      { 'project:tidemark/berths/api': inherit, 'group:tidemark/berths': setting('watch') },
      'group:tidemark/berths',
    ],
    [
      'that of a group further up',
      { 'project:tidemark/berths/api': inherit, 'group:tidemark/berths': inherit, 'group:tidemark': setting('mention') },
      'group:tidemark',
    ],
    [
      'the global one',
      {
        ...{ 'project:tidemark/berths/api': inherit, 'group:tidemark/berths': inherit, 'group:tidemark': inherit },
        'global:': setting('participating'),
      },
      'global:',
    ],
  ];
  for (const [what, known, source] of chains)
    it(`to a project is ${what}, without asking for more`, () => {
      const applied = appliedSetting(project, lookupIn(known));
      assert.ok(applied !== undefined);
      assert.equal(keyOfScope(applied.source), source);
      assert.equal(neededScope(project, lookupIn(known)), undefined);
    });

  it('is unknown until the nearer settings are known', () => {
    const known = { 'project:tidemark/berths/api': inherit, 'global:': setting('watch') };
    assert.equal(appliedSetting(project, lookupIn(known)), undefined);
    assert.equal(neededScope(project, lookupIn(known))?.path, 'tidemark/berths');
  });

  it('of a personal project never asks for groups', () => {
    const personal = readProjectScope({
      id: 4,
      path_with_namespace: 'amara/notes',
      namespace: { kind: 'user', full_path: 'amara' },
    });
    assert.deepEqual(personal?.parents, []);
  });
});

describe('the switches that equal a level', () => {
  const on = (level: NotificationLevel): readonly string[] =>
    Object.entries(switchesLike(setting(level))).flatMap(([event, isOn]) => (isOn ? [event] : []));

  it('are all but successful pipelines and approvals for watch', () => {
    assert.deepEqual(
      notificationEvents.filter((event) => !on('watch').includes(event)),
      ['success_pipeline', 'approver'],
    );
  });

  it('contain threads for participating, and neither for mention nor for disabled', () => {
    assert.ok(on('participating').includes('new_note'));
    assert.ok(!on('mention').includes('new_note'));
    assert.ok(!on('disabled').includes('new_note'));
    assert.ok(!on('disabled').includes('failed_pipeline'));
  });

  it('keep what was set, and omit what is unknown', () => {
    const custom = setting('custom', { new_note: true, new_issue: false, failed_pipeline: null });
    assert.deepEqual(switchesLike(custom), { new_issue: false, new_note: true, failed_pipeline: true });
  });
});

describe('the change of a ticked event', () => {
  it('only sets the switch if the level is custom', () => {
    const own = setting('custom', { new_note: true });
    assert.deepEqual(changeOfSwitch(own, own, 'new_note', false), { switches: { new_note: false } });
  });

  it('starts with the events of the level that applies', () => {
    const change = changeOfSwitch(inherit, setting('watch'), 'new_release', false);
    assert.equal(change.level, 'custom');
    assert.deepEqual([change.switches?.new_release, change.switches?.new_note], [false, true]);
  });
});

describe('the difference of two settings', () => {
  const different: readonly (readonly [what: string, before: KnownSetting, after: KnownSetting, text: string | undefined])[] = [
    ['the same level', setting('watch'), setting('watch'), undefined],
    ['another level', setting('watch'), setting('mention'), 'Watch → On Mention'],
    ['the same switches', setting('custom', { new_note: true }), setting('custom', { new_note: true }), undefined],
    [
      'other switches',
      setting('custom', { new_note: true, new_issue: false, new_epic: true }),
      setting('custom', { new_note: false, new_issue: true, new_epic: null }),
      '− New comment · + New issue · New epic: default',
    ],
    ['custom instead of a level', setting('global'), setting('custom', { new_note: true }), 'Inherited → Custom · + New comment'],
    [
      'custom with defaults',
      setting('global'),
      setting('custom', { new_note: true, new_issue: null }),
      'Inherited → Custom · + New comment',
    ],
    ['a level instead of custom', setting('custom', { new_note: true }), setting('disabled'), 'Custom → Disabled'],
  ];
  for (const [what, before, after, text] of different)
    it(`is ${text === undefined ? 'nothing' : `“${text}”`} for ${what}`, () => {
      const difference = differenceOf(before, changeTo(after));
      assert.equal(difference && formatDifference(difference), text);
      assert.equal(isSameSetting(before, after), text === undefined);
    });
});

describe('the settings that the view has loaded', () => {
  it('are not replaced by a response that was requested before a change', async () => {
    const model = createNotificationsModel();
    const response = Promise.withResolvers<KnownSetting>();
    const never = (): Promise<never> => new Promise(() => undefined);
    const api: NotificationApi = { read: () => response.promise, write: never, list: never, follow: never, emails: never };
    model.setSource({ key: 'test#1', api: () => api, pins: () => [] });
    const resolving = model.resolve(globalScope);
    model.put(globalScope, setting('watch'));
    response.resolve(setting('mention'));
    await resolving;
    assert.equal(model.setting(globalScope)?.level, 'watch');
  });
});

describe('the rows of notification settings', () => {
  /** Returns rows for these settings; groups and projects are listed without requests. */
  function rowsFor(known: Readonly<Record<string, KnownSetting>>, note?: string, readOnly?: string): readonly NotificationRow[] {
    const model = createNotificationsModel();
    const never = (): Promise<never> => new Promise(() => undefined);
    const api: NotificationApi = { read: never, write: never, list: never, follow: never, emails: never };
    model.setSource({ key: 'test#1', api: () => api, pins: () => [project] });
    for (const scope of [globalScope, group, below, project]) {
      const found = known[keyOfScope(scope)];
      if (found !== undefined) model.put(scope, found);
    }
    return notificationRows({ model, noteOf: () => note, isExpanded: () => true, version: 0, readOnly });
  }
  const pinnedOf = (rows: readonly NotificationRow[]): NotificationRow => rows[1] ?? assert.fail();
  const eventOf = (rows: readonly NotificationRow[], event: NotificationEvent) =>
    pinnedOf(rows).rows.find((row) => row.kind === 'event' && row.event === event);
  const inherited = { 'project:tidemark/berths/api': inherit, 'group:tidemark/berths': inherit };

  it('say which level applies and where it comes from', () => {
    const rows = rowsFor({
      ...inherited,
      'group:tidemark': setting('watch'),
      'global:': { ...setting('participating'), email: 'a@b.example' },
    });
    assert.equal(rows[0]?.description, 'Participating · a@b.example');
    const row = pinnedOf(rows);
    assert.deepEqual([row.label, row.description, row.icon], ['tidemark/berths/api', 'Watch, from group tidemark', 'pinned']);
    assert.equal(row.spoken, 'project, tidemark/berths/api, pinned, Watch, from group tidemark');
  });

  describe('in German', () => {
    useLanguage(germanTexts);

    it('say which level applies, where it comes from, and which events are mailed', () => {
      const rows = rowsFor({ ...inherited, 'group:tidemark': setting('watch'), 'global:': setting('participating') });
      assert.equal(rows[0]?.description, 'Teilnahme');
      assert.equal(pinnedOf(rows).description, 'Beobachten, aus der Gruppe tidemark');
      const note = eventOf(rows, 'new_note');
      assert.deepEqual([note?.label, note?.description], ['Neuer Kommentar', 'Ein, aus der Gruppe tidemark']);
    });
  });

  it('say when an inherited event is mailed, and tick it if it is', () => {
    const rows = rowsFor({ ...inherited, 'group:tidemark': setting('watch'), 'global:': setting('disabled') });
    const note = eventOf(rows, 'new_note');
    assert.deepEqual([note?.description, note?.kind === 'event' && note.isTicked], ['On, from group tidemark', true]);
    const success = eventOf(rows, 'success_pipeline');
    assert.deepEqual([success?.description, success?.kind === 'event' && success.isTicked], ['Off, from group tidemark', false]);
    const due = eventOf(rows, 'issue_due');
    assert.equal(due?.description, 'In threads that you take part in, from group tidemark');
  });

  it('show the three states of an event of level custom', () => {
    const own = setting('custom', { new_note: true, new_issue: false, new_release: null, failed_pipeline: null, new_epic: null });
    const rows = rowsFor({ 'project:tidemark/berths/api': own, 'global:': setting('watch') });
    const shown = (['new_note', 'new_issue', 'new_release', 'failed_pipeline', 'approver'] as const).map((event) => {
      const row = eventOf(rows, event);
      return row?.kind === 'event' ? [row.description, row.isTicked, row.isSet] : [];
    });
    assert.deepEqual(shown, [
      ['On', true, true],
      ['Only when mentioned', false, true],
      ['Default (off)', false, false],
      ['Default (on)', true, false],
      ['Not reported by the instance', undefined, false],
    ]);
  });

  it('say of each event why the account may only read', () => {
    const own = setting('custom', { new_note: true, new_issue: false, new_release: null });
    const reason = 'The sign-in of @amara may only read: it lacks the scope api.';
    const rows = rowsFor({ 'project:tidemark/berths/api': own, 'global:': setting('watch') }, undefined, reason);
    const shown = (['new_note', 'new_issue', 'new_release', 'approver'] as const).map((event) => {
      const row = eventOf(rows, event);
      return row?.kind === 'event' ? [row.isReadOnly, row.icon, row.tooltip, row.spoken] : [];
    });
    assert.deepEqual(shown, [
      [true, 'lock', `New comment\nOn\n${reason}`, `New comment, On, ${reason}`],
      [true, 'lock', `New issue\nOnly when mentioned\n${reason}`, `New issue, Only when mentioned, ${reason}`],
      [true, 'lock', `New release\nDefault (off)\n${reason}`, `New release, Default (off), ${reason}`],
      [
        true,
        'question',
        `You can approve a merge request\nNot reported by the instance\n${reason}`,
        `You can approve a merge request, Not reported by the instance, ${reason}`,
      ],
    ]);
  });

  it('omit epics if the instance has none', () => {
    const own = setting('custom', { new_note: true });
    const rows = rowsFor({ 'project:tidemark/berths/api': own, 'global:': setting('watch') });
    assert.equal(eventOf(rows, 'new_epic'), undefined);
  });

  it('say what the level was before a tick made it custom', () => {
    const rows = rowsFor({ 'project:tidemark/berths/api': setting('custom'), 'global:': setting('watch') }, 'was Watch');
    assert.equal(pinnedOf(rows).description, 'Custom · was Watch');
  });

  it('have no events before they are expanded, and are found by their id', () => {
    const model = createNotificationsModel();
    const never = (): Promise<never> => new Promise(() => undefined);
    const api: NotificationApi = { read: never, write: never, list: never, follow: never, emails: never };
    model.setSource({ key: 'test#1', api: () => api, pins: () => [project] });
    model.put(globalScope, setting('watch'));
    model.put(project, setting('watch'));
    const id = 'test#1/pinned/project:tidemark/berths/api';
    const rowsOf = (expanded: string): readonly NotificationRow[] =>
      notificationRows({
        model,
        noteOf: () => undefined,
        isExpanded: (one) => one === expanded,
        version: 0,
        readOnly: undefined,
      });
    assert.deepEqual(findRow(rowsOf(''), id)?.rows, []);
    assert.equal(findRow(rowsOf(id), `${id}/new_note`)?.label, 'New comment');
    assert.equal(findRow(rowsOf(id), `${id}/nothing`), undefined);
  });

  it('are none while the global settings are unknown', () => {
    assert.deepEqual(rowsFor({}), []);
  });
});
