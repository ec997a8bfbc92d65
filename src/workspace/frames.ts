/** Where a frame of a stack says that it is. */
export interface FramePlace {
  readonly filename: string | null;
  readonly absPath: string | null;
}

/** So many files are offered when none fits best. */
export const MAX_CANDIDATES = 3;

/**
 * The parts of the path of a frame, without what tools write in front of it (`webpack:///./`, `app:///`, `file://`, `~/`) and without a
 * query: from the outermost folder to the file. Empty when it names no file.
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

/** Whether the code is of a library, as far as its path tells; for platforms that do not say so themselves. */
export function isLibraryPath(path: string): boolean {
  return /(?:^|[\\/])(?:node_modules|bower_components|site-packages|dist-packages|vendor|\.cargo|go[\\/]pkg[\\/]mod)[\\/]|^(?:node:|internal[\\/]|<)/.test(
    path,
  );
}

export interface FileCandidate<File> {
  readonly file: File;
  /** Its path, with `/`. */
  readonly path: string;
}

/**
 * Those files whose paths end like the path of the frame, over the longest stretch that any of them has; none when not even the name is
 * the same. `ignoresCase`: as the file system of the machine does.
 */
export function bestCandidates<File>(
  { filename, absPath }: FramePlace,
  files: readonly FileCandidate<File>[],
  ignoresCase: boolean,
): readonly FileCandidate<File>[] {
  const fold = (parts: readonly string[]): readonly string[] => (ignoresCase ? parts.map((part) => part.toLowerCase()) : parts);
  const wanted = [filename, absPath].map((path) => fold(pathParts(path ?? ''))).filter((parts) => parts.length > 0);
  const ranked = files
    .map((candidate) => {
      const parts = fold(candidate.path.split('/'));
      return { candidate, length: Math.max(0, ...wanted.map((other) => commonEnd(parts, other))) };
    })
    .filter(({ length }) => length > 0);
  const longest = Math.max(0, ...ranked.map(({ length }) => length));
  return ranked.filter(({ length }) => length === longest).map(({ candidate }) => candidate);
}

function commonEnd(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}
