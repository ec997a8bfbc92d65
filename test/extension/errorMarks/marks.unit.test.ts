import assert from 'node:assert/strict';
import { createDocumentMarks, type FrameOfError, lineAfter } from '../../../src/errorMarks/marks.ts';
import type { Edit, Lines } from '../../../src/errorCode/place.ts';
import { errorDetail } from '../errorPanel/details.ts';

const lines: Lines = { lineCount: 9, textOf: (line) => `line ${line + 1}` };

function frame(id: string, line: number, code: string | undefined = `line ${line}`): FrameOfError {
  const detail = errorDetail({ id });
  const now = { kind: 'same', line } as const;
  const project = { account: 'https://gitlab.example.com#1', id: 1, path: 'acme/shop' };
  return {
    project,
    error: detail,
    detail,
    frame: { location: { filename: 'a.js', absPath: null }, line, column: null, code },
    now,
  };
}

/** Text that is inserted into a line (0-based). */
const typed = (line: number, text: string, character = 0): Edit => ({
  ...{ startLine: line, startCharacter: character, endLine: line, endCharacter: character, text },
});

const shown = (frames: readonly FrameOfError[]) => {
  const marks = createDocumentMarks();
  marks.setFrames(frames, lines);
  return marks.get().map(({ line, errors }) => [line + 1, errors.map(({ error }) => error.id).join()]);
};

describe('marks of a document', () => {
  it('are ordered by line, and have each error once', () => {
    assert.deepEqual(shown([frame('1', 5), frame('2', 2), frame('3', 5), frame('1', 5)]), [
      [2, '2'],
      [5, '1,3'],
    ]);
    assert.deepEqual(shown([]), []);
  });

  it('of errors of several projects with the same ID are all there', () => {
    const one = frame('1', 5);
    const other = { ...one, project: { ...one.project, id: 2, path: 'acme/stock' } };
    assert.deepEqual(shown([one, other, other]), [[5, '1,1']]);
  });

  it('keep their moved lines when errors are loaded again, and forget those of errors that are gone', () => {
    const marks = createDocumentMarks();
    marks.setFrames([frame('1', 5), frame('2', 2)], lines);
    const inserted = { startLine: 3, startCharacter: 0, endLine: 3, endCharacter: 0, text: 'x\n'.repeat(80) };
    marks.edit([inserted], lines);
    marks.setFrames([frame('1', 5), frame('3', 5)], lines);
    assert.deepEqual(
      marks.get().map(({ line }) => line + 1),
      [85],
    );
    marks.setFrames([], lines);
    marks.setFrames([frame('1', 5)], lines);
    assert.deepEqual(
      marks.get().map(({ line }) => line + 1),
      [5],
    );
  });

  it('are placed again when more is known about a line, or when the document has other content', () => {
    const marks = createDocumentMarks();
    const at = (now: FrameOfError['now']): readonly unknown[] => {
      marks.setFrames([{ ...frame('1', 5, 'elsewhere'), now }], lines);
      return marks.get().map(({ line, errors }) => [line + 1, errors[0]?.doubt]);
    };
    assert.deepEqual(at({ kind: 'unknown', line: 5, why: 'missingCommit' }), [[5, 'missingCommit']]);
    assert.deepEqual(at({ kind: 'changed', line: 7 }), [[7, 'changed']]);
    assert.deepEqual(at({ kind: 'changed', line: 8 }), [[7, 'changed']]);
    marks.forget();
    assert.deepEqual(at({ kind: 'changed', line: 8 }), [[8, 'changed']]);
  });

  it('are uncertain where the source map of the frame may be of another build, unless the place has another doubt', () => {
    const doubtOf = (one: FrameOfError): unknown => {
      const marks = createDocumentMarks();
      marks.setFrames([{ ...one, frame: { ...one.frame, isMapDoubtful: true } }], lines);
      return marks.get()[0]?.errors[0]?.doubt;
    };
    assert.equal(doubtOf(frame('1', 5)), 'doubtfulMap');
    assert.equal(doubtOf(frame('1', 5, 'elsewhere')), 'otherCode');
  });

  it('move below a new line only, and not while a line is edited', () => {
    const marks = createDocumentMarks();
    marks.setFrames([frame('1', 2), frame('2', 5), frame('3', 8)], lines);
    const linesAfter = (...edits: readonly Edit[]): readonly number[] => {
      marks.edit(edits, lines);
      return marks.get().map(({ line }) => line + 1);
    };
    assert.deepEqual(linesAfter(typed(4, 'x')), [2, 5, 8]);
    assert.deepEqual(linesAfter(typed(4, '\n')), [2, 6, 9]);
    assert.deepEqual(linesAfter(typed(6, 'x'), typed(0, '\n')), [3, 7, 10]);
  });

  it('are painted again only after edits that VS Code follows differently', () => {
    const isPainted = (...edits: readonly Edit[]): boolean => {
      const marks = createDocumentMarks();
      marks.setFrames([frame('1', 5)], lines);
      return marks.edit(edits, lines);
    };
    assert.equal(isPainted(typed(4, 'x')), false, 'typing in the line');
    assert.equal(isPainted(typed(4, '\n')), false, 'a new line before its code');
    assert.equal(isPainted(typed(2, '\n'), typed(6, '\n')), false, 'new lines above and below');
    assert.equal(isPainted({ ...typed(1, ''), endLine: 2 }), false, 'a line deleted above');
    assert.equal(isPainted(typed(4, '\n', 2)), true, 'a new line within its code');
    assert.equal(isPainted(typed(4, '\n', 6)), true, 'a new line at its end, where the range of VS Code may end later');
    assert.equal(isPainted({ ...typed(4, ''), endLine: 5 }), true, 'the line deleted');
    assert.equal(isPainted({ ...typed(4, ''), endCharacter: 6 }), true, 'its code deleted');
    assert.equal(
      isPainted({ ...typed(3, 'x'), endLine: 4, endCharacter: 3 }),
      true,
      'a selection replaced that ends in its code',
    );
  });

  it('are painted again when unpainted ones may have come near the visible lines', () => {
    const marks = createDocumentMarks();
    marks.setFrames([frame('1', 5)], lines);
    const deleted = { ...typed(20, ''), endLine: 45 };
    assert.deepEqual(
      [1, 2, 3, 4, 5].map(() => marks.edit([deleted], lines)),
      [false, false, true, false, false],
    );
  });

  it('come back when the code of a deleted line is inserted elsewhere', () => {
    const marks = createDocumentMarks();
    marks.setFrames([frame('1', 5)], lines);
    const without: Lines = { ...lines, textOf: () => '' };
    const deleted = { startLine: 4, startCharacter: 0, endLine: 5, endCharacter: 0, text: '' };
    assert.equal(marks.edit([deleted], without), true);
    assert.deepEqual(marks.get(), []);
    const inserted = { startLine: 7, startCharacter: 0, endLine: 7, endCharacter: 0, text: 'line 5' };
    assert.equal(marks.edit([inserted], { ...lines, textOf: (line) => (line === 7 ? 'line 5' : '') }), true);
    assert.deepEqual(
      marks.get().map(({ line }) => line + 1),
      [8],
    );
  });

  it('can be visited in both directions, from the other end after the last one', () => {
    const marks = createDocumentMarks();
    marks.setFrames([frame('1', 3), frame('2', 6)], lines);
    const all = marks.get();
    assert.deepEqual([lineAfter(all, 0, 'next'), lineAfter(all, 2, 'next'), lineAfter(all, 5, 'next')], [2, 5, 2]);
    assert.deepEqual([lineAfter(all, 8, 'previous'), lineAfter(all, 5, 'previous'), lineAfter(all, 2, 'previous')], [5, 2, 5]);
    assert.equal(lineAfter([], 0, 'next'), undefined);
  });
});
