import assert from 'node:assert/strict';
import fc from 'fast-check';
import { changeBetween, lineInNewer, lineInOlder, readHunks } from '../../../src/errorCode/diffHunks.ts';

const diff = `diff --git a/greet.js b/greet.js
index 1..2 100644
--- a/greet.js
+++ b/greet.js
@@ -2,0 +3,2 @@ function greet()
+@@ -9,9 +9,9 @@
+one
@@ -5 +7,2 @@
-old
+new
+newer
@@ -8,3 +10,0 @@
-a
`;

describe('lines in a diff', () => {
  it('of git are moved by the hunks before them', () => {
    const hunks = readHunks(diff.replace('+@@ -9,9 +9,9 @@', '+two'));
    const moved = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 40].map((line) => {
      const { line: found, isChanged } = lineInNewer(hunks, line);
      return isChanged ? -found : found;
    });
    assert.deepEqual(moved, [1, 2, 5, 6, -7, 9, 10, -10, -10, -10, 11, 40]);
  });

  it('of the newer version are those of the older one, unless they were added or changed', () => {
    const hunks = readHunks(diff.replace('+@@ -9,9 +9,9 @@', '+two'));
    const older = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 40].map((line) => lineInOlder(hunks, line));
    assert.deepEqual(older, [1, 2, undefined, undefined, 3, 4, undefined, undefined, 6, 7, 11, 40]);
    for (let line = 1; line < 60; line += 1) {
      const { line: newer, isChanged } = lineInNewer(hunks, line);
      if (!isChanged) assert.equal(lineInOlder(hunks, newer), line);
    }
  });

  it('that look like the header of a hunk are not read', () => {
    assert.equal(readHunks(diff).length, 3);
  });

  it('stay without a change, and in a new first line', () => {
    assert.deepEqual(readHunks(''), []);
    assert.deepEqual(lineInNewer([], 7), { line: 7, isChanged: false });
    assert.deepEqual(lineInNewer(readHunks('@@ -0,0 +1 @@\n+x'), 1), { line: 2, isChanged: false });
    assert.deepEqual(lineInNewer(readHunks('@@ -1,2 +0,0 @@\n-x\n-y'), 1), { line: 1, isChanged: true });
  });

  it('between two texts have the same content unless they are in the changed part', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 8 });
    fc.assert(
      fc.property(text, text, (older, newer) => {
        const hunks = changeBetween(older, newer);
        for (const [index, content] of older.entries()) {
          const { line, isChanged } = lineInNewer(hunks, index + 1);
          if (!isChanged) assert.equal(newer[line - 1], content);
        }
      }),
    );
  });
});
