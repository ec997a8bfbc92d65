import type { ErrorDetail } from '../contract/errorDetail.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import type { TracedLine } from '../errorCode/lines.ts';
import { releaseOf } from '../errorCode/releaseOf.ts';
import { keyOfLocation, type MarkedFrame } from '../errorCode/frames.ts';
import { type ErrorProject, keyOfProject } from '../errorTracking/source.ts';
import { breaksLine, type Edit, type Lines, movedPlace, type Place, placeOf } from '../errorCode/place.ts';
import type { MarkedError } from './texts.ts';

/** Frame of an error in a document, and where its line is now. */
export interface FrameOfError extends TracedLine {
  readonly project: ErrorProject;
  readonly error: TrackedError;
  readonly detail: ErrorDetail;
  readonly frame: MarkedFrame;
}

/** Marked line of a document. */
export interface Mark {
  /** 0-based. */
  readonly line: number;
  /** Those of the selected project first, in the order of the lists of errors. */
  readonly errors: readonly MarkedError[];
}

/** Marks of an open document, which move with its lines. */
export interface DocumentMarks {
  /** Replaces the frames. A frame that is known keeps its line, which may have moved by edits, unless more is known about it. */
  readonly setFrames: (frames: readonly FrameOfError[], lines: Lines) => void;
  /**
   * Moves the marks. Returns true if they must be painted again. VS Code moves what is painted with the text, so that most edits need no
   * painting.
   */
  readonly edit: (edits: readonly Edit[], lines: Lines) => boolean;
  /** Forgets the lines, because the document has other content. */
  readonly forget: () => void;
  /** Returns the marked lines from top to bottom. */
  readonly get: () => readonly Mark[];
}

/** Number of lines that may move without painting. Marks further away than this from the visible lines are painted too. */
const MAX_MOVED_LINES = 50;

export function createDocumentMarks(): DocumentMarks {
  let movedLines = 0;
  let frames: readonly FrameOfError[] = [];
  const places = new Map<string, { readonly place: Place; readonly code: string | undefined }>();
  return {
    setFrames: (next, lines) => {
      frames = next;
      const keys = new Set(next.map(keyOf));
      for (const key of places.keys()) if (!keys.has(key)) places.delete(key);
      for (const one of next) {
        const { code } = one.frame;
        if (!places.has(keyOf(one))) places.set(keyOf(one), { place: placeOf(lines, one.now, code, one.isNew), code });
      }
    },
    edit: (edits, lines) => {
      movedLines += edits.reduce((sum, edit) => sum + linesMovedBy(edit), 0);
      let isDifferent = movedLines > MAX_MOVED_LINES;
      if (isDifferent) movedLines = 0;
      const { first, last } = linesAffectedBy(edits);
      for (const [key, { place, code }] of places) {
        // The code of a deleted line can come back at another line.
        if (!place.isDeleted && (place.line < first || place.line > last)) continue;
        const moved = movedPlace(place, edits, lines, code);
        const isBroken = !place.isDeleted && edits.some((edit) => breaksLine(edit, place));
        isDifferent ||= isBroken || place.isDeleted !== moved.isDeleted;
        places.set(key, { place: moved, code });
      }
      return isDifferent;
    },
    forget: () => places.clear(),
    get: () => {
      const marks = new Map<number, Map<string, MarkedError>>();
      for (const one of frames) {
        const { project, error, detail, frame } = one;
        const place = places.get(keyOf(one))?.place;
        if (place === undefined || place.isDeleted) continue;
        const errors = marks.get(place.line) ?? new Map<string, MarkedError>();
        const own = place.doubt ?? (frame.isMapDoubtful ? 'doubtfulMap' : null);
        const key = `${keyOfProject(project)} ${error.id}`;
        const doubt = errors.get(key)?.doubt === null ? null : own;
        marks.set(place.line, errors.set(key, { project, error, detail, doubt }));
      }
      return [...marks]
        .map(([line, errors]) => ({ line, errors: [...errors.values()] }))
        .toSorted((one, other) => one.line - other.line);
    },
  };
}

/** Returns by how many lines an edit moves the text below it, up or down. */
function linesMovedBy({ startLine, endLine, text }: Edit): number {
  return Math.abs(text.split('\n').length - 1 - (endLine - startLine));
}

/** Returns the lines (0-based) that edits change or move. Most edits are of one line, and every keystroke is one. */
function linesAffectedBy(edits: readonly Edit[]): { readonly first: number; readonly last: number } {
  const keepLines = edits.every(({ startLine, endLine, text }) => startLine === endLine && !text.includes('\n'));
  return {
    first: Math.min(...edits.map(({ startLine }) => startLine)),
    last: keepLines ? Math.max(...edits.map(({ endLine }) => endLine)) : Number.POSITIVE_INFINITY,
  };
}

/** Frames with the same key are at the same line. The reason why the line is unknown can go away, for example with a fetch. */
function keyOf({ project, detail, frame: { location, line, code }, now }: FrameOfError): string {
  const why = now.kind === 'unknown' ? now.why : '';
  return JSON.stringify([keyOfProject(project), keyOfLocation(location), line, code, releaseOf(detail)?.version ?? '', why]);
}

/** Returns the next marked line in a direction, from the other end after the last one; undefined without marks. */
export function lineAfter(marks: readonly Mark[], current: number, direction: 'next' | 'previous'): number | undefined {
  const lines = marks.map(({ line }) => line);
  return direction === 'next'
    ? (lines.find((line) => line > current) ?? lines.at(0))
    : (lines.findLast((line) => line < current) ?? lines.at(-1));
}
