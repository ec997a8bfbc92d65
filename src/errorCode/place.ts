import { isCommonLine } from './commonLines.ts';
import type { LineDoubt, LineNow, TracedLine } from './lines.ts';

/** Position of a mark in an open document. */
export interface Place {
  /** 0-based. */
  readonly line: number;
  /** Number of blank characters before the code of the line when the mark was placed. */
  readonly indent: number;
  /** Number of characters of the line up to the end of its code when the mark was placed. */
  readonly length: number;
  /** Null if the line is that of the event. */
  readonly doubt: LineDoubt | null;
  /** True after the line was deleted. Its mark is not shown unless the code comes back. */
  readonly isDeleted: boolean;
}

/** Line of a frame in a file. */
export interface FramePlace {
  /** 1-based. */
  readonly line: number;
  /** Sentence that says why the line may be another one; null if it is that of the frame. */
  readonly doubt: string | null;
}

/** Lines of a document. */
export interface Lines {
  readonly lineCount: number;
  /** Returns the text of a line, which is 0-based. */
  readonly textOf: (line: number) => string;
}

/** Edit of a document, with lines and characters (0-based) as before the edit. */
export interface Edit {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

/** Number of lines before and after the reported one in which its code is searched. */
const SEARCHED_LINES = 50;
/** Number of equal lines nearby from which none of them is taken for another one. */
const MANY_LINES = 3;

/**
 * Returns the line that an event reports, after the changes since its release, or another one nearby with the code of the event. Where git
 * has followed the line, that must be the only such line, and one that was not in the release already. `isNew` says whether a line (1-based)
 * was added since. Code that many lines have shows nothing.
 */
export function placeOf(lines: Lines, now: LineNow, code: string | undefined, isNew?: TracedLine['isNew']): Place {
  const line = Math.min(now.line - 1, Math.max(0, lines.lineCount - 1));
  const doubt = now.kind === 'same' ? null : now.kind === 'changed' ? 'changed' : now.why;
  if (code === undefined) return placeAt(lines, line, doubt);
  const mayBe = (one: number): boolean => now.kind !== 'changed' || isNew === undefined || isNew(one + 1);
  const found = matchingLines(lines, now.line - 1, code).filter(mayBe);
  const [nearest] = found;
  const isFollowed = now.kind === 'same' || (now.kind === 'changed' && isNew !== undefined);
  if (nearest === now.line - 1 && (isFollowed || !isCommonLine(code))) return placeAt(lines, nearest, null);
  const most = now.kind === 'unknown' ? MANY_LINES - 1 : 1;
  if (nearest !== undefined && found.length <= most && !isCommonLine(code)) return placeAt(lines, nearest, null);
  return placeAt(lines, line, doubt ?? 'otherCode');
}

function placeAt(lines: Lines, line: number, doubt: LineDoubt | null): Place {
  const text = lines.textOf(line).trimEnd();
  return { line, indent: text.length - text.trimStart().length, length: text.length, doubt, isDeleted: false };
}

/** Returns the lines (0-based) with a code that are near another one, the nearest first. */
function matchingLines(lines: Lines, from: number, code: string): readonly number[] {
  const matches = matcherOf(code);
  const found: number[] = [];
  for (let distance = 0; distance <= SEARCHED_LINES; distance += 1) {
    for (const line of new Set([from - distance, from + distance])) {
      if (line >= 0 && line < lines.lineCount && matches(lines.textOf(line))) found.push(line);
    }
  }
  return found;
}

/** Returns a function that compares lines with a code. It ignores white space, because formatting changes it. JavaScript SDKs replace the ends of a long line by `{snip}`. */
export function matcherOf(code: string): (text: string) => boolean {
  const middle = code.replace(/^'\{snip\} /, '').replace(/ \{snip\}$/, '');
  const wanted = withoutSpaces(middle);
  return middle === code ? (text) => withoutSpaces(text) === wanted : (text) => withoutSpaces(text).includes(wanted);
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Returns the place after edits of the document. All edits are relative to the same state of the document, in any order. */
export function movedPlace(place: Place, edits: readonly Edit[], lines: Lines, code: string | undefined): Place {
  const moved = shifted(place, edits);
  if (!moved.isDeleted || code === undefined) return moved;
  // The line may have been moved, or a deletion undone. What the edits have not written is another line.
  const isWritten = writtenLines(edits);
  const found = matchingLines(lines, moved.line, code).filter(isWritten);
  const [nearest] = found;
  if (nearest === undefined) return moved;
  if (Math.abs(nearest - moved.line) <= 1) return placeAt(lines, nearest, null);
  if (isCommonLine(code)) return moved;
  return placeAt(lines, nearest, found.length === 1 ? null : 'changed');
}

/** Returns a function that says whether edits have written a line (0-based) of the document. */
function writtenLines(edits: readonly Edit[]): (line: number) => boolean {
  let shift = 0;
  const written = edits
    .toSorted((one, other) => one.startLine - other.startLine || one.startCharacter - other.startCharacter)
    .map(({ startLine, endLine, text }) => {
      const added = text.split('\n').length - 1;
      const start = startLine + shift;
      shift += added - (endLine - startLine);
      // A line break at an end of the text is that of another line.
      const isAfter = /^\r?\n/.test(text);
      return {
        first: start + (isAfter ? 1 : 0),
        last: start + added - (text.endsWith('\n') && added > (isAfter ? 1 : 0) ? 1 : 0),
      };
    });
  return (line) => written.some(({ first, last }) => line >= first && line <= last);
}

function shifted(place: Place, edits: readonly Edit[]): Place {
  let { line, isDeleted } = place;
  for (const edit of edits) {
    const added = edit.text.split('\n').length - 1;
    if (removes(edit, place)) {
      isDeleted = true;
      // The code is searched around the same line, as far as there is text in place of the old one.
      line -= Math.max(0, place.line - edit.startLine - added);
    } else if (isBefore(edit, place)) line += added - (edit.endLine - edit.startLine);
  }
  return line === place.line && isDeleted === place.isDeleted ? place : { ...place, line: Math.max(0, line), isDeleted };
}

/**
 * Returns true if an edit does more to the line than to move it or to change text in it. VS Code, which moves a range with its text, then
 * has the range elsewhere than `movedPlace`.
 */
export function breaksLine(edit: Edit, place: Place): boolean {
  const { startLine, endLine, endCharacter, text } = edit;
  if (removes(edit, place)) return true;
  const isWithinLine = startLine === endLine && !text.includes('\n');
  const endsBeforeCode = endLine < place.line || (endLine === place.line && endCharacter <= place.indent);
  return startLine <= place.line && !isWithinLine && !endsBeforeCode;
}

/** Returns true if the edit is before the code of the line. */
function isBefore(edit: Edit, place: Place): boolean {
  return edit.endLine < place.line || (edit.endLine === place.line && startsBefore(edit, place));
}

/** Returns true if the edit removes the whole code of the line. Other code in the same line is an edit of the line. */
function removes(edit: Edit, place: Place): boolean {
  const { startLine, endLine, endCharacter, text } = edit;
  const endsAfter = endLine > place.line || (endLine === place.line && endCharacter >= place.length);
  return endsAfter && startsBefore(edit, place) && !(startLine === endLine && text !== '');
}

function startsBefore({ startLine, startCharacter }: Edit, { line, indent }: Place): boolean {
  return startLine < line || (startLine === line && startCharacter <= indent);
}
