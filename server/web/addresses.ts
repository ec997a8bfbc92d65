/**
 * A path of names as it stands in an address, segment by segment, so that `#`, `?` and `%` in a name stay in it. A segment that is a dash
 * is encoded too: `/-/` in an address parts a project from what is shown of it.
 */
export function addressPath(path: string): string {
  return path
    .toWellFormed()
    .split('/')
    .map((segment) => (segment === '-' ? '%2D' : encodeURIComponent(segment)))
    .join('/');
}
