import assert from 'node:assert/strict';
import { actionName, actionNumbers } from '../../../server/features/activity/rules.ts';
import { describeEvent } from '../../../src/activity/describe.ts';
import { filterActions, filterLike, NO_FILTER } from '../../../src/activity/filter.ts';
import type { ActivityEvent } from '../../../src/contract/activity.ts';
import { noteEvent, plainEvent, pushEvent } from './events.ts';

/** An event with each action that the server writes. */
function eventOf(action: keyof typeof actionNumbers): ActivityEvent {
  if (action === 'pushed') return pushEvent('pushed to', {});
  if (action === 'commented') return noteEvent({});
  return plainEvent(actionName(actionNumbers[action], null));
}

describe('an activity action', () => {
  const unknown = describeEvent(plainEvent('rearranged'), 'en');

  for (const action of Object.keys(actionNumbers) as (keyof typeof actionNumbers)[]) {
    it(`the activity action ${action} has an icon, a sentence and a filter`, () => {
      const event = eventOf(action);
      const { icon, label } = describeEvent(event, 'en');
      assert.notEqual(icon, unknown.icon);
      assert.notEqual(label, describeEvent({ ...event, action_name: 'rearranged', push_data: null, note: null }, 'en').label);
      assert.doesNotMatch(label, /rearranged/);
      const [filtered] = filterLike(event, NO_FILTER).actions;
      assert.ok(filtered !== undefined && filterActions.includes(filtered), filtered);
    });
  }
});
