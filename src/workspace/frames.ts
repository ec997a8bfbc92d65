/** Location of a stack frame. */
export interface FrameLocation {
  readonly filename: string | null;
  readonly absPath: string | null;
  /** Class in Java, package in Go. */
  readonly module?: string | null;
}

/** Maximum number of files to offer if several match equally well. */
export const MAX_CANDIDATES = 3;

/**
 * Returns the segments of a frame's path, from the outermost folder to the file, without prefixes of tools (`webpack:///./`, `app:///`,
 * `file://`, `~/`) and without a query. Empty if the path names no file.
 */
export function pathParts(path: string): readonly string[] {
  const plain = path
    .replace(/^(?:webpack(?:-internal)?:\/\/\/?(?:\([^)]*\)\/)?|[a-z][a-z0-9+.-]+:\/\/)/i, '')
    .replace(/^[A-Za-z]:(?=[\\/])/, '')
    .replace(/[?#].*$/s, '');
  // Names of code without a file: `<anonymous>`, `node:internal/…`.
  if (/^(?:<.*>|node:.*|native)$/s.test(plain)) return [];
  const parts: string[] = [];
  for (const part of plain.split(/[\\/]+/)) {
    if (part === '' || part === '.' || part === '~') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts;
}

/**
 * Returns the absolute path of a file on this machine; undefined for relative paths and paths with `..`. Paths of network shares are
 * refused as well, because looking at one sends the credentials of the user to a host that the sender of the event has chosen.
 */
export function absolutePath(path: string, isWindows: boolean): string | undefined {
  const plain = path.replace(/^file:\/\/(?=\/)/, '');
  if (/(?:^|[\\/])\.\.(?:[\\/]|$)/.test(plain) || plain.includes('\0')) return undefined;
  if (isWindows) {
    const [, drive] = /^\/?([A-Za-z]:[\\/].*)$/s.exec(plain) ?? [];
    return drive;
  }
  return /^\/(?!\/)/.test(plain) ? plain : undefined;
}

/** Returns true if the path looks like library code. Used for events that do not mark the frames of the application. */
export function isLibraryPath(path: string): boolean {
  return /(?:^|[\\/])(?:node_modules|bower_components|site-packages|dist-packages|vendor|\.cargo|go[\\/]pkg[\\/]mod)[\\/]|^(?:node:|internal[\\/]|<)/.test(
    path,
  );
}
