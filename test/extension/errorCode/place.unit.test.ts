import assert from 'node:assert/strict';
import type { LineNow } from '../../../src/errorCode/lines.ts';
import { type Edit, type Lines, movedPlace, type Place, placeOf } from '../../../src/errorCode/place.ts';

const lines = (text: string): Lines => {
  const all = text.split('\n');
  return { lineCount: all.length, textOf: (line) => all[line] ?? '' };
};

const unknown = (line: number): LineNow => ({ kind: 'unknown', line, why: 'unknownRelease' });
const CODE = 'const a = 1;\n\nfunction greet(name) {\n  return name.trim();\n}\n';
const at = (text: string, line: number, code?: string): readonly [number, boolean] => {
  const { line: found, doubt } = placeOf(lines(text), unknown(line), code);
  return [found + 1, doubt === null];
};
const doubtOf = (now: LineNow, code?: string): readonly unknown[] => {
  const { line, doubt } = placeOf(lines(CODE), now, code);
  return [line + 1, doubt];
};

describe('the place of a mark', () => {
  it('is the reported line if it has the reported code, compared without white space', () => {
    assert.deepEqual(at(CODE, 4, '\treturn name.trim( );'), [4, true]);
  });

  it('is the nearest line with the code, at most 50 lines away', () => {
    assert.deepEqual(at(`x\n${CODE}`, 4, '  return name.trim();'), [5, true]);
    assert.deepEqual(at('a\nb\na\n', 2, 'a'), [1, true]);
    assert.deepEqual(at(`${'x\n'.repeat(50)}a\n`, 1, 'a'), [51, true]);
    assert.deepEqual(at(`${'x\n'.repeat(51)}a\n`, 1, 'a'), [1, false]);
  });

  it('is uncertain at the reported line, or the last one, if the code is unknown or elsewhere', () => {
    assert.deepEqual(at(CODE, 4, 'other()'), [4, false]);
    assert.deepEqual(at(CODE, 4), [4, false]);
    assert.deepEqual(at(CODE, 400, 'other()'), [6, false]);
    assert.deepEqual(at('', 4), [1, false]);
  });

  it('is the line that the diff since the release leads to, even if the event has no code', () => {
    assert.deepEqual(doubtOf({ kind: 'same', line: 4 }), [4, null]);
    assert.deepEqual(doubtOf({ kind: 'same', line: 2 }, '  return name.trim();'), [4, null]);
    assert.deepEqual(doubtOf({ kind: 'same', line: 4 }, 'other()'), [4, 'otherCode']);
    assert.deepEqual(doubtOf({ kind: 'changed', line: 4 }, 'other()'), [4, 'changed']);
    assert.deepEqual(doubtOf({ kind: 'changed', line: 4 }), [4, 'changed']);
    assert.deepEqual(doubtOf({ kind: 'changed', line: 1 }, '  return name.trim();'), [4, null]);
    assert.deepEqual(doubtOf({ kind: 'unknown', line: 4, why: 'missingCommit' }), [4, 'missingCommit']);
  });

  const PYTHON = [
    ...['def price(item):', '    if item.price is None:', '        return Price.zero()', '    return item.price', '', ''],
    ...[
      'def name(item):',
      '    if item.name is None:',
      '        return None',
      '    return shout(item.name)',
      '    return shout(item.name)',
    ],
  ].join('\n');
  const inPython = (now: LineNow, code: string, added?: readonly number[]): readonly unknown[] => {
    const { line, doubt } = placeOf(lines(PYTHON), now, code, added && ((one) => added.includes(one)));
    return [line + 1, doubt];
  };

  it('stays where git says that the code was changed if the same text was elsewhere before', () => {
    assert.deepEqual(inPython({ kind: 'changed', line: 3 }, '        return None', [3]), [3, 'changed']);
    assert.deepEqual(inPython({ kind: 'changed', line: 3 }, '    return item.price', [3]), [3, 'changed']);
    assert.deepEqual(inPython({ kind: 'changed', line: 3 }, '    if item.name is None:', [3]), [3, 'changed']);
    // The line before removed lines is another line.
    assert.deepEqual(inPython({ kind: 'changed', line: 4 }, '    return item.price', []), [4, 'changed']);
  });

  it('follows code to the only line that was added with it since the release', () => {
    assert.deepEqual(inPython({ kind: 'changed', line: 3 }, 'if item.name is None:', [3, 7, 8]), [8, null]);
    assert.deepEqual(inPython({ kind: 'changed', line: 3 }, 'return shout(item.name)', [3, 10]), [10, null]);
    assert.deepEqual(inPython({ kind: 'changed', line: 3 }, 'return shout(item.name)', [3, 10, 11]), [3, 'changed']);
    assert.deepEqual(inPython({ kind: 'changed', line: 3 }, 'return None', [3, 9]), [3, 'changed']);
  });

  it('is certain for a line whose white space was changed', () => {
    assert.deepEqual(inPython({ kind: 'changed', line: 9 }, '    return None', [9]), [9, null]);
  });

  it('is not moved to a line that many functions have, and is uncertain there unless git has followed it', () => {
    for (const code of [
      'return None',
      '}',
      '});',
      'return null;',
      'else:',
      'raise',
      '} catch (e) {',
      'return err',
      'end',
      'pass',
    ]) {
      const text = `a\nb\n${code}\n`;
      assert.deepEqual(at(text, 2, code), [2, false], code);
      assert.deepEqual(at(text, 3, code), [3, false], code);
      const found = placeOf(lines(text), { kind: 'same', line: 3 }, code);
      assert.deepEqual([found.line, found.doubt], [2, null], code);
    }
    const repeated = `${'  log(x);\n'.repeat(3)}a\n`;
    assert.deepEqual(at(repeated, 4, 'log(x);'), [4, false]);
    assert.deepEqual(at(repeated, 2, 'log(x);'), [2, true]);
  });

  it('is uncertain if the release has other code there, and several lines nearby have that of the event', () => {
    assert.deepEqual(inPython({ kind: 'same', line: 2 }, 'return shout(item.name)'), [2, 'otherCode']);
    assert.deepEqual(inPython({ kind: 'same', line: 2 }, 'return None'), [2, 'otherCode']);
    assert.deepEqual(inPython({ kind: 'same', line: 2 }, 'return item.price'), [4, null]);
  });

  it('is found by the part of a long line that an SDK sends', () => {
    const long = `x(${'1'.repeat(200)}, broken(), ${'2'.repeat(200)})`;
    assert.deepEqual(at(`\n${long}\n`, 2, `'{snip} 111, broken(), 222 {snip}`), [2, true]);
  });
});

/** Applies edits in VS Code's manner: all are relative to the text before, without overlap. */
function edited(text: string, edits: readonly Edit[]): string {
  const offset = (line: number, character: number): number =>
    text
      .split('\n')
      .slice(0, line)
      .reduce((sum, one) => sum + one.length + 1, 0) + character;
  return [...edits]
    .toSorted((one, other) => other.startLine - one.startLine)
    .reduce((result, edit) => {
      const [start, end] = [offset(edit.startLine, edit.startCharacter), offset(edit.endLine, edit.endCharacter)];
      return result.slice(0, start) + edit.text + result.slice(end);
    }, text);
}

const edit = (start: readonly [number, number], end: readonly [number, number], text: string): Edit => ({
  ...{ startLine: start[0], startCharacter: start[1], endLine: end[0], endCharacter: end[1], text },
});
const RETURN = '  return name.trim();';

/** Returns the text of the marked line after the edits; undefined if the mark is not shown. */
function after(...edits: readonly Edit[]): string | undefined {
  return textAt(CODE, placeOf(lines(CODE), unknown(4), RETURN), edits);
}

function textAt(text: string, place: Place, edits: readonly Edit[]): string | undefined {
  const result = lines(edited(text, edits));
  const moved = movedPlace(place, edits, result, RETURN);
  return moved.isDeleted ? undefined : result.textOf(moved.line);
}

describe('a mark follows edits of the document', () => {
  for (const [what, edits] of [
    ['a line inserted above', [edit([0, 0], [0, 0], 'x\n')]],
    ['a line inserted at its start', [edit([3, 0], [3, 0], 'x\n')]],
    ['Enter before its code', [edit([3, 2], [3, 2], '\n  ')]],
    ['Enter at its end', [edit([3, 21], [3, 21], '\n  ')]],
    ['a line deleted above', [edit([0, 0], [1, 0], '')]],
    ['all lines above deleted', [edit([0, 0], [3, 0], '')]],
    ['lines below deleted', [edit([3, 21], [5, 0], '')]],
    ['edits above and below', [edit([4, 0], [4, 0], 'y\n'), edit([0, 0], [0, 0], 'x\n\n')]],
    ['a move of the line up', [edit([2, 0], [3, 0], ''), edit([3, 21], [3, 21], '\nfunction greet(name) {')]],
    ['the whole text replaced by the formatter', [edit([0, 0], [5, 0], `\n\n\n${CODE}`)]],
  ] as const)
    it(`a mark follows edits of the document: ${what}`, () => {
      assert.equal(after(...edits)?.trim(), RETURN.trim());
    });

  it('stays at its line when the line is edited', () => {
    assert.equal(after(edit([3, 20], [3, 20], '.x')), '  return name.trim().x;');
    assert.equal(after(edit([3, 0], [3, 21], '  return null;')), '  return null;');
  });

  it('is not shown once the line is deleted, and again after undo', () => {
    assert.equal(after(edit([3, 0], [4, 0], '')), undefined);
    assert.equal(after(edit([2, 22], [3, 21], '')), undefined);
    assert.equal(after(edit([3, 0], [3, 21], '')), undefined);
    const cut = edit([3, 0], [4, 0], '');
    const without = edited(CODE, [cut]);
    const deleted = movedPlace(placeOf(lines(CODE), unknown(4), RETURN), [cut], lines(without), RETURN);
    assert.equal(textAt(without, deleted, [edit([3, 0], [3, 0], `${RETURN}\n`)]), RETURN);
  });

  it('does not come back at an equal line that was there before', () => {
    const twice = `${CODE}\nfunction shout(name) {\n  return name.trim();\n}\n`;
    assert.equal(textAt(twice, placeOf(lines(twice), unknown(4), RETURN), [edit([3, 0], [4, 0], '')]), undefined);
  });

  it('comes back where a line that many functions have is restored, and not where another one is written', () => {
    const text = 'if (a) {\n  return null;\n}\nb();\nc();\nd();\n';
    const code = '  return null;';
    const cut = edit([1, 0], [2, 0], '');
    const without = edited(text, [cut]);
    const deleted = movedPlace(placeOf(lines(text), { kind: 'same', line: 2 }, code), [cut], lines(without), code);
    assert.ok(deleted.isDeleted);
    for (const [line, isShown] of [
      [1, true],
      [4, false],
    ] as const) {
      const paste = edit([line, 0], [line, 0], `${code}\n`);
      const moved = movedPlace(deleted, [paste], lines(edited(without, [paste])), code);
      assert.deepEqual([moved.isDeleted, moved.line], isShown ? [false, 1] : [true, 1], `line ${line}`);
    }
  });

  it('keeps the same object if nothing moves', () => {
    const place = placeOf(lines(CODE), unknown(4), RETURN);
    assert.equal(movedPlace(place, [edit([4, 1], [4, 1], ' // end')], lines(CODE), RETURN), place);
  });
});
