import assert from 'node:assert/strict';
import { createDocumentMarks, type FrameOfError, lineAfter } from '../../../src/errorMarks/marks.ts';
import type { Lines } from '../../../src/errorMarks/place.ts';
import { errorDetail } from '../errorPanel/details.ts';

const lines: Lines = { lineCount: 9, textOf: (line) => `line ${line + 1}` };

function frame(id: string, line: number, code: string | undefined = `line ${line}`): FrameOfError {
  const detail = errorDetail({ id });
  return { error: detail, detail, frame: { location: { filename: 'a.js', absPath: null }, line, code } };
}

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

  it('keep their moved lines when errors are loaded again, and forget those of errors that are gone', () => {
    const marks = createDocumentMarks();
    marks.setFrames([frame('1', 5), frame('2', 2)], lines);
    const inserted = { startLine: 3, startCharacter: 0, endLine: 3, endCharacter: 0, text: 'x\n'.repeat(80) };
    assert.equal(marks.edit([inserted], lines), true);
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

  it('do not report edits that move nothing', () => {
    const marks = createDocumentMarks();
    marks.setFrames([frame('1', 2)], lines);
    assert.equal(marks.edit([{ startLine: 5, startCharacter: 0, endLine: 5, endCharacter: 0, text: 'x\n' }], lines), false);
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
