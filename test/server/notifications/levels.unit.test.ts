import assert from 'node:assert/strict';
import {
  effectiveSetting,
  type NotificationEvent,
  notificationEvents,
  notificationLevels,
  type NotificationSetting,
  reachOf,
  type ScopedSetting,
} from '../../../src/contract/notifications.ts';

const at = (kind: 'project' | 'group' | 'global', id: number, setting: NotificationSetting): ScopedSetting => ({
  ...setting,
  scope: { kind, id, path: kind === 'global' ? '' : `path-${id}` },
});

describe('notification levels', () => {
  it('the nearest setting that is not global applies', () => {
    const global = at('global', 0, { level: 'watch', switches: {} });
    const top = at('group', 1, { level: 'mention', switches: {} });
    const sub = at('group', 2, { level: 'global', switches: {} });
    const project = at('project', 3, { level: 'global', switches: {} });
    assert.equal(effectiveSetting([project, sub, top, global]), top);
    assert.equal(effectiveSetting([project, sub, global]), global);
    assert.equal(effectiveSetting([{ ...project, level: 'disabled' }, sub, top, global]).level, 'disabled');
  });

  it('the global setting applies even at level global', () => {
    const global = at('global', 0, { level: 'global', switches: {} });
    assert.equal(effectiveSetting([at('project', 3, { level: 'global', switches: {} }), global]), global);
  });

  const reaches = (level: NotificationSetting['level'], switches: NotificationSetting['switches'] = {}) =>
    Object.groupBy(notificationEvents, (event) => reachOf({ level, switches }, event));

  it('levels disabled and global at the top let nothing through', () => {
    for (const level of ['disabled', 'global'] as const) {
      assert.deepEqual(Object.keys(reaches(level)), ['never'], level);
    }
  });

  it('level mention lets mentions and moved projects through', () => {
    const { always, never, participating } = reaches('mention');
    assert.deepEqual(always, ['moved_project']);
    assert.equal(participating, undefined);
    assert.deepEqual(never, ['new_release', 'failed_pipeline', 'fixed_pipeline', 'success_pipeline', 'approver']);
  });

  it('level participating lets own threads, own failed and fixed pipelines and moved projects through', () => {
    const { always, never, mention } = reaches('participating');
    assert.deepEqual(always, ['failed_pipeline', 'fixed_pipeline', 'moved_project']);
    assert.deepEqual(never, ['new_release', 'success_pipeline', 'approver']);
    assert.equal(mention, undefined);
  });

  it('level watch lets everything through but pushes, due dates, successful pipelines and approvals', () => {
    const { participating, never, mention } = reaches('watch');
    assert.deepEqual(participating, ['issue_due', 'push_to_merge_request']);
    assert.deepEqual(never, ['success_pipeline', 'approver']);
    assert.equal(mention, undefined);
  });

  it('level custom lets its events and mentions through', () => {
    const { always, participating, never } = reaches('custom', {
      new_note: true,
      failed_pipeline: false,
      success_pipeline: true,
    });
    assert.deepEqual(always, ['new_note', 'fixed_pipeline', 'success_pipeline', 'moved_project']);
    assert.equal(participating, undefined);
    assert.deepEqual(never, ['new_release', 'failed_pipeline', 'approver']);
  });

  it('failed and fixed pipelines are on at level custom until they are switched off', () => {
    const reach = (event: NotificationEvent, value?: boolean) =>
      reachOf({ level: 'custom', switches: value === undefined ? {} : { [event]: value } }, event);
    assert.deepEqual(
      [reach('failed_pipeline'), reach('fixed_pipeline'), reach('success_pipeline')],
      ['always', 'always', 'never'],
    );
    assert.deepEqual([reach('failed_pipeline', false), reach('fixed_pipeline', false)], ['never', 'never']);
  });

  it('the position of a level is its number in permissions', () => {
    assert.deepEqual(notificationLevels, ['disabled', 'participating', 'watch', 'global', 'mention', 'custom']);
  });
});
