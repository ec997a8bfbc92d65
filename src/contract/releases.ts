/** Release of the API, as `major.minor`. */
export type Release = `${number}.${number}`;

/** Returns a negative number if `a` is older than `b`, zero if they are equal, and a positive number if `a` is newer. */
export function compareReleases(a: Release, b: Release): number {
  const [dotA, dotB] = [a.indexOf('.'), b.indexOf('.')];
  return Number(a.slice(0, dotA)) - Number(b.slice(0, dotB)) || Number(a.slice(dotA + 1)) - Number(b.slice(dotB + 1));
}
