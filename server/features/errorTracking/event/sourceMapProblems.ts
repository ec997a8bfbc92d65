/** Reason why a JavaScript frame could not be mapped by the source maps of its project. */
export interface MapProblem {
  readonly kind: MapProblemKind;
  /** Description as a sentence. */
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

/** Factories of the problems. `path` is the path of the frame. */
export const mapProblems = {
  no_map: (path: string, debugId: string | undefined) =>
    problem('no_map', `No source map was uploaded for ${path}${debugId === undefined ? '' : ` or the debug ID ${debugId}`}.`),
  other_release: (path: string, releases: string, release: string) =>
    problem('other_release', `The source map for ${path} was uploaded for ${releases}, but the event is from ${release}.`),
  other_dist: (path: string, dists: string, dist: string) =>
    problem(
      'other_dist',
      `The source map for ${path} was uploaded for the distribution ${dists}, but the event is from ${dist}.`,
    ),
  several_maps: (path: string, names: string) => problem('several_maps', `Several source maps match ${path}: ${names}.`),
  other_file: (path: string, file: string) => problem('other_file', `The source map uploaded for ${path} belongs to ${file}.`),
  no_position: (missing: 'line' | 'column') =>
    problem('no_position', `The frame has no ${missing} number, which a source map needs.`),
  no_mapping: (path: string, line: number, column: number) =>
    problem('no_mapping', `The source map for ${path} has no mapping for line ${line}, column ${column}.`),
  no_source: (path: string, line: number, column: number) =>
    problem('no_source', `The source map for ${path} has no source for line ${line}, column ${column}.`),
  unreadable: (path: string, reason: string) => problem('unreadable', `The source map for ${path} cannot be read: ${reason}.`),
} satisfies Readonly<Record<MapProblemKind, (...metadata: never[]) => MapProblem>>;

function problem(kind: MapProblemKind, text: string): MapProblem {
  return { kind, text };
}
