/**
 * Returns true if a text has more than `most` characters (code points). It does not count the characters of a much longer text: splitting a
 * megabyte into characters takes longer than the rest of its request.
 */
export function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || [...text].length > most;
}
