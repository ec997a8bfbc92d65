import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import {
  notificationEvents,
  notificationLevels,
  type NotificationEvent,
  type NotificationLevel,
  type RecipientType,
  type ScopedSetting,
} from '../../../src/contract/notifications.ts';
import { explainSettings, type SettingChain } from '../../../src/whyMailed/explanation.ts';

const project = (level: NotificationLevel, switches: ScopedSetting['switches'] = {}): ScopedSetting => ({
  level,
  switches,
  scope: { kind: 'project', id: 9, path: 'harbor/lamps' },
});
const group = (level: NotificationLevel): ScopedSetting => ({
  level,
  switches: {},
  scope: { kind: 'group', id: 3, path: 'harbor' },
});
const account = (level: NotificationLevel): ScopedSetting => ({
  level,
  switches: {},
  scope: { kind: 'global', id: 0, path: '' },
});

const explained = (event: NotificationEvent, chain: SettingChain, ...types: readonly RecipientType[]) =>
  explainSettings(
    event,
    chain,
    types.map((type) => ({ type, reason: null })),
  );

describe('the explanation from settings alone', () => {
  it('applies the first setting that does not inherit', () => {
    const { setting, mailed } = explained('new_note', [project('global'), group('watch'), account('mention')]);
    assert.equal(setting.scope.path, 'harbor');
    assert.equal(mailed, true);
  });

  const cases: readonly (readonly [NotificationLevel, readonly RecipientType[], mailed: boolean, reach: string])[] = [
    ['watch', [], true, 'always'],
    ['participating', ['participating'], true, 'participating'],
    ['participating', [], false, 'participating'],
    ['mention', ['participating'], false, 'mention'],
    ['mention', ['subscription'], true, 'mention'],
    ['disabled', ['participating'], false, 'never'],
    ['disabled', ['subscription'], true, 'never'],
    ['custom', ['participating'], false, 'mention'],
  ];
  for (const [level, types, mailed, reach] of cases) {
    it(`says ${mailed ? 'yes' : 'no'} to a comment at level ${level} with relations: ${types.join(', ') || 'none'}`, () => {
      const result = explained('new_note', [project(level), account('participating')], ...types);
      assert.deepEqual([result.mailed, result.reach], [mailed, reach]);
    });
  }

  it('offers the smallest change of the level of the project, the switch of level custom, and a subscription', () => {
    const inherited = explained('new_note', [project('global'), account('disabled')], 'participating');
    assert.deepEqual(
      inherited.remedies.map((one) => (one.kind === 'set_level' ? `${one.scope.kind} ${one.level}` : one.kind)),
      ['project participating', 'subscribe'],
    );
    const custom = explained('new_note', [project('custom', { new_note: true }), account('watch')]);
    assert.deepEqual(
      custom.remedies.map((one) =>
        one.kind === 'set_level' ? one.level : one.kind === 'set_event' ? `${one.event} ${one.value}` : one.kind,
      ),
      ['participating', 'new_note false'],
    );
    const pipeline = explained('success_pipeline', [project('watch'), account('watch')]);
    assert.equal(pipeline.mailed, false);
    assert.deepEqual(pipeline.remedies, []);
  });

  it('offers only changes that reverse the result, for every event and level', () => {
    for (const event of notificationEvents) {
      for (const level of notificationLevels) {
        const { mailed, remedies } = explained(event, [project(level), account('participating')], 'participating');
        for (const remedy of remedies) {
          const changed =
            remedy.kind === 'set_level'
              ? explained(event, [project(remedy.level), account('participating')], 'participating')
              : remedy.kind === 'set_event'
                ? explained(event, [project(level, { [event]: remedy.value }), account('participating')], 'participating')
                : explained(event, [project(level), account('participating')], 'participating', 'subscription');
          assert.notEqual(changed.mailed, mailed, `${event} ${level} ${remedy.kind}`);
        }
      }
    }
  });
});
