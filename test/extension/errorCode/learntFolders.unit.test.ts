import assert from 'node:assert/strict';
import { createLearntFolders, type ProjectFolder } from '../../../src/errorCode/learntFolders.ts';
import { fakeMemento } from '../../support/extension/fakes.ts';

const folder = (from: string, to: string, project = 'ana/lamps'): ProjectFolder => ({ project, from, to, isRooted: true });

describe('folders chosen for stack frames', () => {
  it('are stored, replaced by a later choice for the same frames of the project, and can be forgotten', async () => {
    const memory = fakeMemento();
    const folders = createLearntFolders(memory);
    await folders.add(folder('app', '/w/one'));
    await folders.add(folder('app', '/w/other', 'ana/gates'));
    await folders.add(folder('app', '/w/two'));
    assert.deepEqual(createLearntFolders(memory).all(), [folder('app', '/w/other', 'ana/gates'), folder('app', '/w/two')]);
    await folders.remove([folder('app', '/w/two')]);
    assert.deepEqual(folders.all(), [folder('app', '/w/other', 'ana/gates')]);
  });

  it('are limited, and values that nobody has stored here are ignored', async () => {
    const memory = fakeMemento();
    const folders = createLearntFolders(memory);
    for (let number = 0; number < 110; number += 1) await folders.add(folder(`app${number}`, '/w'));
    assert.deepEqual([folders.all().length, folders.all()[0]?.from], [100, 'app10']);
    await memory.update('errorCode.folders', [7, { project: 'x' }, folder('app', '/w')]);
    assert.deepEqual(folders.all(), [folder('app', '/w')]);
  });
});
