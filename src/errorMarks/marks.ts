import type { ErrorDetail } from '../contract/errorDetail.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { keyOfLocation, type MarkedFrame } from './frames.ts';
import { type Edit, type Lines, movedPlace, type Place, placeOf } from './place.ts';
import type { MarkedError } from './texts.ts';

/** Frame of an error in a document. */
export interface FrameOfError {
  readonly error: TrackedError;
  readonly detail: ErrorDetail;
  readonly frame: MarkedFrame;
}

/** Marked line of a document. */
export interface Mark {
  /** 0-based. */
  readonly line: number;
  /** In the order of the list of errors. */
  readonly errors: readonly MarkedError[];
}

/** Marks of an open document, which move with its lines. */
export interface DocumentMarks {
  /** Replaces the frames. A frame that is known keeps its line, which may have moved by edits. */
  readonly setFrames: (frames: readonly FrameOfError[], lines: Lines) => void;
  /** Moves the marks. Returns true if any has moved. */
  readonly edit: (edits: readonly Edit[], lines: Lines) => boolean;
  /** Returns the marked lines from top to bottom. */
  readonly get: () => readonly Mark[];
}

export function createDocumentMarks(): DocumentMarks {
  let frames: readonly FrameOfError[] = [];
  const places = new Map<string, { readonly place: Place; readonly code: string | undefined }>();
  return {
    setFrames: (next, lines) => {
      frames = next;
      const keys = new Set(next.map(({ frame }) => keyOf(frame)));
      for (const key of places.keys()) if (!keys.has(key)) places.delete(key);
      for (const { frame } of next) {
        const { line, code } = frame;
        if (!places.has(keyOf(frame))) places.set(keyOf(frame), { place: placeOf(lines, line, code), code });
      }
    },
    edit: (edits, lines) => {
      let hasMoved = false;
      for (const [key, { place, code }] of places) {
        const moved = movedPlace(place, edits, lines, code);
        if (moved === place) continue;
        hasMoved = true;
        places.set(key, { place: moved, code });
      }
      return hasMoved;
    },
    get: () => {
      const marks = new Map<number, Map<string, MarkedError>>();
      for (const { error, detail, frame } of frames) {
        const place = places.get(keyOf(frame))?.place;
        if (place === undefined || place.isDeleted) continue;
        const errors = marks.get(place.line) ?? new Map<string, MarkedError>();
        const isCertain = place.isCertain || errors.get(error.id)?.isCertain === true;
        marks.set(place.line, errors.set(error.id, { error, detail, isCertain }));
      }
      return [...marks]
        .map(([line, errors]) => ({ line, errors: [...errors.values()] }))
        .toSorted((one, other) => one.line - other.line);
    },
  };
}

function keyOf({ location, line, code }: MarkedFrame): string {
  return JSON.stringify([keyOfLocation(location), line, code]);
}

/** Returns the next marked line in a direction, from the other end after the last one; undefined without marks. */
export function lineAfter(marks: readonly Mark[], current: number, direction: 'next' | 'previous'): number | undefined {
  const lines = marks.map(({ line }) => line);
  return direction === 'next'
    ? (lines.find((line) => line > current) ?? lines.at(0))
    : (lines.findLast((line) => line < current) ?? lines.at(-1));
}
