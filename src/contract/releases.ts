/** A release of the platform, `major.minor`. */
export type Release = `${number}.${number}`;

/** Negative when `a` is older than `b`, zero when they are the same, positive when it is newer. */
export function compareReleases(a: Release, b: Release): number {
  const [majorA = 0, minorA = 0] = a.split('.').map(Number);
  const [majorB = 0, minorB = 0] = b.split('.').map(Number);
  return majorA - majorB || minorA - minorB;
}
