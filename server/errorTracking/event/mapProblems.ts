/** Why a frame of JavaScript is shown where it was minified to, although it was looked up in source maps. */
export interface MapProblem {
  readonly kind: MapProblemKind;
  /** A sentence. */
  readonly text: string;
}

export const mapProblemKinds = [
  'no_map',
  'other_release',
  'other_dist',
  'several_maps',
  'other_file',
  'no_position',
  'no_mapping',
  'no_source',
  'unreadable',
] as const;

type MapProblemKind = (typeof mapProblemKinds)[number];

/** The one table of these sentences. `path` is that of the frame. */
export const mapProblems = {
  no_map: (path: string, debugId: string | undefined) =>
    reported('no_map', `No source map was uploaded for ${path}${debugId === undefined ? '' : ` or the debug id ${debugId}`}.`),
  other_release: (path: string, releases: string, release: string) =>
    reported('other_release', `The source map for ${path} was uploaded for ${releases}; the event is of ${release}.`),
  other_dist: (path: string, dists: string, dist: string) =>
    reported('other_dist', `The source map for ${path} was uploaded for the distribution ${dists}; the event is of ${dist}.`),
  several_maps: (path: string, names: string) => reported('several_maps', `Several source maps fit ${path}: ${names}.`),
  other_file: (path: string, file: string) =>
    reported('other_file', `The source map that was uploaded for ${path} is of ${file}.`),
  no_position: (missing: 'line' | 'column') =>
    reported('no_position', `The frame has no ${missing}, without which a source map says nothing.`),
  no_mapping: (path: string, line: number, column: number) =>
    reported('no_mapping', `The source map for ${path} has nothing at line ${line}, column ${column}.`),
  no_source: (path: string, line: number, column: number) =>
    reported('no_source', `The source map for ${path} names no source for line ${line}, column ${column}.`),
  unreadable: (path: string, why: string) => reported('unreadable', `The source map for ${path} cannot be read: ${why}.`),
} satisfies Readonly<Record<MapProblemKind, (...metadata: never[]) => MapProblem>>;

function reported(kind: MapProblemKind, text: string): MapProblem {
  return { kind, text };
}
