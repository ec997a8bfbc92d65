import assert from 'node:assert/strict';
import { isChangedLine } from '../../../server/features/commitComments/rules.ts';

const PATCH = `@@ -2,3 +2,4 @@ lamps
 two
-three
+three!
+three and a half
 four
@@ -10 +11,0 @@
-ten
`;

describe('changed lines of a patch', () => {
  it('are the added lines on the new side and the removed ones on the old side', () => {
    const lines = (side: 'new' | 'old') =>
      Array.from({ length: 14 }, (_, line) => line).filter((line) => isChangedLine(PATCH, side, line));
    assert.deepEqual(lines('new'), [3, 4]);
    assert.deepEqual(lines('old'), [3, 10]);
    assert.equal(isChangedLine('', 'new', 1), false);
  });
});
