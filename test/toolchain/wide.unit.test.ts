import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

describe('the wide tests', () => {
  it('every wide test file says in its first line what is wide about it', () => {
    const files = globSync('test/**/*.wide.test.ts', { cwd: root });
    const silent = files.filter((file) => !/^\/\/ Wide: [A-Z].*[.]\n/.test(readFileSync(path.join(root, file), 'utf8')));
    assert.deepEqual(silent, [], 'the first line must be a comment like “// Wide: Every route with every generated value.”');
  });
});
