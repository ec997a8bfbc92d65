import assert from 'node:assert/strict';
import { digestsOf } from '../../scripts/check-rules.ts';
import { tools } from '../../scripts/check.ts';

const files = {
  'server/base.ts': 'export const one = 1;',
  'server/middle.ts': "export { one } from './base.ts';",
  'server/top.ts': "import { one } from './middle.ts';\nconsole.log(one);",
  'server/other.ts': 'export const other = 2;',
};

/** Returns the files whose digests differ, sorted. */
function changedDigests(changed: Readonly<Record<string, string>>, common = 'rules'): readonly string[] {
  const [before, after] = [digestsOf(files, 'rules'), digestsOf({ ...files, ...changed }, common)];
  return [...after.keys()].filter((file) => before.get(file) !== after.get(file)).toSorted();
}

function toolsFor(file: string): readonly string[] {
  return Object.entries(tools).flatMap(([name, { inputs }]) => (inputs.test(file) ? [name] : []));
}

describe('the checks after a change', () => {
  it('the rules are checked again for a changed file and the files that import it, directly or through others', () => {
    assert.deepEqual(changedDigests({ 'server/base.ts': 'export const one = 3;' }), [
      'server/base.ts',
      'server/middle.ts',
      'server/top.ts',
    ]);
    assert.deepEqual(changedDigests({ 'server/top.ts': 'console.log(1);' }), ['server/top.ts']);
  });

  it('the rules are checked again for every file when their configuration has changed', () => {
    assert.deepEqual(changedDigests({}, 'other rules'), Object.keys(files).toSorted());
  });

  it('the rules are not checked again when nothing has changed', () => {
    assert.deepEqual(changedDigests({}), []);
  });

  it('a changed source file of the server is checked by all tools that read it, but not by those of the extension', () => {
    const names = toolsFor('server/app.ts');
    for (const name of ['rules', 'types', 'types of server', 'format', 'unused', 'names', 'structure', 'schema', 'docs'])
      assert.ok(names.includes(name), name);
    for (const name of ['types of src', 'types of pages', 'translations', 'manifest']) assert.ok(!names.includes(name), name);
  });

  it('a changed document is checked without compiling anything', () => {
    assert.deepEqual(toolsFor('docs/contributing.md').toSorted(), ['docs', 'format']);
  });

  it('a changed lockfile is checked by the tools that depend on packages', () => {
    const names = toolsFor('package-lock.json');
    for (const name of ['rules', 'types', 'unused', 'notices']) assert.ok(names.includes(name), name);
  });
});
