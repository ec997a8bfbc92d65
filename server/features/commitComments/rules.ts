/** Returns true if a line is in the hunks of a patch: an added line on the new side, or a removed one on the old side. */
export function isChangedLine(patch: string, side: 'new' | 'old', line: number): boolean {
  let [before, after] = [0, 0];
  for (const text of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (hunk !== null) {
      [before, after] = [Number(hunk[1]), Number(hunk[2])];
    } else if (before > 0 || after > 0) {
      if (text.startsWith('+')) {
        if (side === 'new' && after === line) return true;
        after += 1;
      } else if (text.startsWith('-')) {
        if (side === 'old' && before === line) return true;
        before += 1;
      } else if (text.startsWith(' ')) {
        before += 1;
        after += 1;
      }
    }
  }
  return false;
}
