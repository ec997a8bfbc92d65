import assert from 'node:assert/strict';
import type { TrackedFrame } from '../../../src/contract/trackedErrors.ts';
import { FAILED_LINE, frameText, hasCode } from '../../../src/errorTracking/frameText.ts';

const frame: TrackedFrame = {
  ...{ filename: 'app/ship.py', abs_path: '/srv/app/ship.py', module: null, function: 'load', line: 10, column: null },
  ...{ codeBefore: ['def load():', '    check()'], code: '    raise ValueError()', codeAfter: ['', 'load()'], in_app: true },
};

describe('the document of a stack frame', () => {
  it('the document of a stack frame has the code of the event with its line numbers and a mark at the line that failed', () => {
    const text = frameText(frame, 'ValueError: cannot load');
    assert.equal(
      text,
      `# load

app/ship.py:10

ValueError: cannot load

This is the code that the application sent with the event. No file in the open folders matches it.

\`\`\`py
   8 │ def load():
   9 │     check()
> 10 │     raise ValueError()
  11 │
  12 │ load()
\`\`\`
`,
    );
    assert.equal(text.split('\n').filter((line) => FAILED_LINE.test(line)).length, 1);
  });

  it('the document of a stack frame counts from the first line of the code if the line is not known', () => {
    assert.match(
      frameText({ ...frame, line: null }, 'x'),
      /\n {2}1 │ def load\(\):\n {2}2 │ {5}check\(\)\n> 3 │ {5}raise ValueError/,
    );
  });

  it('the document of a stack frame cannot be broken by its code, its names or invisible characters', () => {
    const text = frameText({ ...frame, function: 'a\n# b', code: '```\u202e' }, 'x\ny');
    assert.ok(text.startsWith('# a # b\n\napp/ship.py:10\n\nx y\n'), text);
    assert.ok(text.includes('\n````py\n') && text.includes('> 10 │ ```⟦U+202E⟧\n'), text);
  });

  it('the document of a stack frame is offered only if the event contains code', () => {
    const without = { ...frame, code: null, codeBefore: [], codeAfter: [' '] };
    assert.deepEqual([hasCode(frame), hasCode(without), hasCode({ ...without, codeAfter: ['x'] })], [true, false, true]);
  });
});
