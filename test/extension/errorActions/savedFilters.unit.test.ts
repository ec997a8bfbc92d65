import assert from 'node:assert/strict';
import { createSavedFilters } from '../../../src/errorActions/savedFilters.ts';
import { USUAL_FILTER } from '../../../src/errorTracking/filter.ts';
import { createShownProjects, MAX_PROJECTS } from '../../../src/errorTracking/shownProjects.ts';
import { fakeMemento } from '../../support/extension/fakes.ts';

describe('saved filters of tracked errors', () => {
  const mine = { ...USUAL_FILTER, assignee: 'me' } as const;
  const fatal = { ...USUAL_FILTER, level: 'fatal' } as const;

  it('are stored per instance, replaced by name and deleted', async () => {
    const memory = fakeMemento();
    const saved = createSavedFilters(memory, 'https://one.example');
    await saved.save('Mine', mine);
    await saved.save('Fatal', mine);
    await saved.save('Fatal', fatal);
    assert.deepEqual(createSavedFilters(memory, 'https://one.example').list(), [
      { name: 'Fatal', filter: fatal },
      { name: 'Mine', filter: mine },
    ]);
    assert.deepEqual(createSavedFilters(memory, 'https://other.example').list(), []);
    await saved.remove('Fatal');
    await saved.remove('Mine');
    assert.deepEqual([saved.list(), memory.keys()], [[], []]);
  });

  it('are at most 50, and stored values that are not valid are ignored', async () => {
    const memory = fakeMemento();
    const saved = createSavedFilters(memory, 'x');
    for (let index = 0; index < 60; index += 1) await saved.save(`Filter ${index}`, fatal);
    assert.equal(saved.list().length, 50);
    await memory.update('errorTracking.savedFilters/x', [7, { filter: fatal }, { name: 'Odd', filter: 'x' }]);
    assert.deepEqual(saved.list(), [{ name: 'Odd', filter: USUAL_FILTER }]);
  });
});

describe('the projects of the Tracked Errors view', () => {
  it('are the current one and those that were selected, per instance, up to a limit', async () => {
    const memory = fakeMemento();
    const current = { id: 1, path: 'ada/lamps' };
    const of = (key: string) =>
      createShownProjects(
        { state: () => ({ kind: 'signedOut', instance: { key, kind: 'remote', label: '', clientId: '' } }) },
        { get: () => current },
        memory,
      );
    const shown = of('a');
    assert.deepEqual(shown.get(), [current]);
    const others = Array.from({ length: 20 }, (_, index) => ({ id: index + 2, path: `ada/p${index}` }));
    await shown.setOthers([current, ...others]);
    assert.deepEqual(shown.get().slice(0, 3), [current, ...others.slice(0, 2)]);
    assert.deepEqual([shown.get().length, of('b').get()], [MAX_PROJECTS, [current]]);
    await shown.setOthers([]);
    assert.deepEqual([shown.get(), memory.keys()], [[current], []]);
  });
});
