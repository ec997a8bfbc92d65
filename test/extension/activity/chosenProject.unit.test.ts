import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createPins, createProjectChoice } from '../../../src/activity/chosenProject.ts';
import { fakeMemento } from '../../support/extension/fakes.ts';

const relay = { id: 42, path: 'signals/relay' };
const byPath = { id: undefined, path: 'signals/lamps' };

describe('the selected project', () => {
  it('the selected project is stored for each instance, by id or path', async () => {
    const memory = fakeMemento();
    const choice = createProjectChoice(memory);
    await choice.set('local', relay);
    await choice.set('https://gitlab.example.com', byPath);
    assert.deepEqual(createProjectChoice(memory).get('local'), relay);
    assert.deepEqual(choice.get('https://gitlab.example.com'), byPath);
    assert.equal(choice.get('https://other.example.com'), undefined);
  });

  it('the selected project is undefined when the stored value is invalid', () => {
    assert.equal(createProjectChoice(fakeMemento({ 'activity.project/local': { id: 42 } })).get('local'), undefined);
  });
});

describe('pinned projects', () => {
  it('pinned projects are stored per account without duplicates, until they are unpinned', async () => {
    const memory = fakeMemento();
    const pins = createPins(memory);
    await pins.pin('a', relay);
    await pins.pin('a', byPath);
    await pins.pin('a', { ...relay, id: undefined });
    assert.deepEqual(createPins(memory).list('a'), [byPath, { ...relay, id: undefined }]);
    assert.deepEqual(pins.list('b'), []);
    await pins.unpin('a', byPath);
    await pins.unpin('a', relay);
    assert.equal(memory.values.size, 0);
  });
});
