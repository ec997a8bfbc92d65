/**
 * Whether a text has more than `most` characters (code points). Does not count all characters of a text that is much longer: a text of
 * a megabyte as a list of its characters takes longer than the rest of its request.
 */
export function isLongerThan(text: string, most: number): boolean {
  if (text.length <= most) return false;
  return text.length > 2 * most || [...text].length > most;
}
