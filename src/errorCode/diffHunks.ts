/** Change between two versions of a file, as in the header of a hunk without context. Lines are 1-based. */
export interface Hunk {
  /** First line that was replaced or removed; the line before the insertion if `oldCount` is 0. */
  readonly oldStart: number;
  readonly oldCount: number;
  /** First new line; the line before the removed ones if `newCount` is 0. */
  readonly newStart: number;
  readonly newCount: number;
}

/** Line in the newer version of a file. */
export interface LineInNewer {
  /** 1-based. For a removed line, the line before it. */
  readonly line: number;
  /** True if the line was changed or removed. */
  readonly isChanged: boolean;
}

/** Reads the hunks from the output of `git diff --unified=0` for one file. */
export function readHunks(diff: string): readonly Hunk[] {
  const headers = diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm);
  return [...headers].map(([, oldStart, oldCount = '1', newStart, newCount = '1']) => ({
    ...{ oldStart: Number(oldStart), oldCount: Number(oldCount) },
    ...{ newStart: Number(newStart), newCount: Number(newCount) },
  }));
}

/** Returns where a line (1-based) of the older version is in the newer one. The hunks are in the order of the file. */
export function lineInNewer(hunks: readonly Hunk[], line: number): LineInNewer {
  let shift = 0;
  for (const { oldStart, oldCount, newStart, newCount } of hunks) {
    const isBefore = oldCount === 0 ? oldStart < line : oldStart + oldCount <= line;
    if (isBefore) shift += newCount - oldCount;
    else if (oldCount > 0 && oldStart <= line)
      return { line: Math.max(1, newStart + Math.max(0, Math.min(line - oldStart, newCount - 1))), isChanged: true };
    else break;
  }
  return { line: line + shift, isChanged: false };
}

/** Returns where a line (1-based) of the newer version was in the older one; undefined if it was added or changed. */
export function lineInOlder(hunks: readonly Hunk[], line: number): number | undefined {
  let shift = 0;
  for (const { oldCount, newStart, newCount } of hunks) {
    const isBefore = newCount === 0 ? newStart < line : newStart + newCount <= line;
    if (isBefore) shift += oldCount - newCount;
    else if (newCount > 0 && newStart <= line) return undefined;
    else break;
  }
  return line + shift;
}

/** Returns the change that leads from the lines of a file to others: what is between their common beginning and their common end. */
export function changeBetween(older: readonly string[], newer: readonly string[]): readonly Hunk[] {
  const shorter = Math.min(older.length, newer.length);
  let start = 0;
  while (start < shorter && older[start] === newer[start]) start += 1;
  let end = 0;
  while (end < shorter - start && older.at(-1 - end) === newer.at(-1 - end)) end += 1;
  const [oldCount, newCount] = [older.length - start - end, newer.length - start - end];
  if (oldCount === 0 && newCount === 0) return [];
  // As in a diff, an empty side is named by the line before it.
  return [{ oldStart: start + (oldCount === 0 ? 0 : 1), oldCount, newStart: start + (newCount === 0 ? 0 : 1), newCount }];
}
