import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createChoices } from '../../../src/activity/choices.ts';
import { createPins, createProjectChoice } from '../../../src/activity/chosenProject.ts';
import { forgetInstance } from '../../../src/activity/forget.ts';
import { createUnread } from '../../../src/activity/unread.ts';
import { createWindowMemory } from '../../../src/support/windowMemory.ts';
import { fakeMemento } from '../../support/extension/fakes.ts';
import { event } from './events.ts';

describe('a removed instance', () => {
  it('a removed instance leaves no state of its accounts, and does not affect others', async () => {
    const memory = { ...fakeMemento(), setKeysForSync: () => undefined };
    const workspace = fakeMemento();
    const ofWindow = createWindowMemory(workspace, memory);
    const relay = { id: 42, path: 'amara/relay' };
    const remember = async (instance: string): Promise<void> => {
      const account = `${instance}#7`;
      await createChoices(ofWindow).setScope(account, { kind: 'all' });
      await createPins(memory).pin(account, relay);
      createUnread(memory).markRead(account, [event({ id: 3 })]);
      await createProjectChoice(workspace).set(instance, relay);
    };
    await remember('local/data-1');
    const cached = new Set([...memory.keys(), ...workspace.keys()].map((key) => key.replace('data-1', 'data-2')));
    await remember('local/data-2');
    const forgotten: string[] = [];
    await forgetInstance('local/data-1', ofWindow, workspace, { forget: async (account) => void forgotten.push(account) });
    assert.deepEqual(forgotten, ['local/data-1#7']);
    assert.deepEqual(new Set([...memory.keys(), ...workspace.keys()]), cached);
    assert.equal(cached.size, 4);
    assert.deepEqual(createChoices(ofWindow).scope('local/data-1#7'), { kind: 'mine' });
  });
});
