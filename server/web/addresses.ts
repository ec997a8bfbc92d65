/**
 * Encodes a path of names for a URL, segment by segment, so that `#`, `?` and `%` stay part of a name. A segment that is a dash is encoded
 * too, because `/-/` separates the path of a project from the page in it.
 */
export function addressPath(path: string): string {
  return path
    .toWellFormed()
    .split('/')
    .map((segment) => (segment === '-' ? '%2D' : encodeURIComponent(segment)))
    .join('/');
}
