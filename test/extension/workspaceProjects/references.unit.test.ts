import assert from 'node:assert/strict';
import {
  firstReferences,
  isSameProject,
  MAX_PROJECTS,
  type ProjectReference,
  rootOf,
  rootsIn,
} from '../../../src/workspaceProjects/references.ts';

const ADDRESS = 'https://gitlab.example.com:';

function reference(root: string, project: string | number, isFirst = true): ProjectReference {
  return { root, address: ADDRESS, project, isFirst };
}

const projectsOf = (references: readonly ProjectReference[]): readonly unknown[] => references.map(({ project }) => project);

describe('references to the projects of open folders', () => {
  it('are those to the first project of each folder, then to the second one of each, up to a maximum number of projects', () => {
    const many = Array.from({ length: 40 }, (_, at) => reference('file:///many', `acme/many-${at}`));
    const found = firstReferences([
      many,
      [reference('file:///a', 'acme/a'), reference('file:///a', 7)],
      [reference('file:///b', 'acme/b')],
    ]);
    assert.deepEqual(projectsOf(found).slice(0, 5), ['acme/many-0', 'acme/a', 'acme/b', 'acme/many-1', 7]);
    assert.equal(found.length, MAX_PROJECTS);
  });

  it('to a project that another folder has, too, do not count again', () => {
    const folders = Array.from({ length: 30 }, (_, at) => [reference(`file:///${at}`, at % 2 === 0 ? 'acme/shop' : 'Acme/Shop')]);
    assert.equal(firstReferences([...folders, [reference('file:///stock', 'acme/stock')]]).length, 31);
  });

  it('say which folders a project has: by further remotes only if it has no others', () => {
    const fork = reference('file:///fork', 'acme/shop', false);
    assert.deepEqual(rootsIn([fork, reference('file:///shop', 'acme/shop'), reference('file:///other', 3)]), [
      'file:///shop',
      'file:///other',
    ]);
    assert.deepEqual(rootsIn([fork]), ['file:///fork']);
    assert.deepEqual(rootsIn([]), []);
  });

  it('mean the same project by its ID, or by its path in any case', () => {
    const project = { id: 3, path: 'acme/shop' };
    assert.ok(isSameProject(project, { id: 'Acme/Shop', path: 'Acme/Shop' }));
    assert.ok(isSameProject(project, { id: 3, path: 'acme/former-name' }));
    assert.ok(!isSameProject(project, { id: 4, path: 'acme/stock' }));
  });
});

describe('the folder of a file', () => {
  const roots = ['file:///w', 'file:///w/shop', 'file:///w/shop-2'];

  it('is the innermost one', () => {
    assert.equal(rootOf(roots, 'file:///w/shop/src/a.js'), 'file:///w/shop');
    assert.equal(rootOf(roots, 'file:///w/shop-2/a.js'), 'file:///w/shop-2');
    assert.equal(rootOf(roots, 'file:///w/a.js'), 'file:///w');
    assert.equal(rootOf(['file:///'], 'file:///a.js'), 'file:///');
    assert.equal(rootOf(roots, 'file:///elsewhere/a.js'), undefined);
  });
});
