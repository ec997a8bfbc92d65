/** Release of the API, as `major.minor`. */
export type Release = `${number}.${number}`;

/** Returns a negative number if `a` is older than `b`, zero if they are equal, and a positive number if `a` is newer. */
export function compareReleases(a: Release, b: Release): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA - majorB || minorA - minorB;
}
