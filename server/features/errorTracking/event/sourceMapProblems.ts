/** Reason why a JavaScript frame could not be mapped by the source maps of its project, or why its map may be another one. */
export interface MapProblem {
  readonly kind: MapProblemKind;
  /** Description as a sentence. */
  readonly text: string;
}

export const mapProblemKinds = [
  'no_map',
  'other_release',
  'other_dist',
  'other_build',
  'unknown_release',
  'unknown_dist',
  'unknown_build',
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
  other_build: (path: string, debugIds: string, debugId: string) =>
    problem('other_build', `The source map for ${path} has the debug ID ${debugIds}, but the file of the event has ${debugId}.`),
  unknown_release: (path: string, release: string) =>
    problem(
      'unknown_release',
      `The position may be wrong: the source map for ${path} was uploaded for ${release}, but the event names no release.`,
    ),
  unknown_dist: (path: string, dist: string) =>
    problem(
      'unknown_dist',
      `The position may be wrong: the source map for ${path} was uploaded for the distribution ${dist}, but the event names none.`,
    ),
  unknown_build: (path: string, debugId: string, without: 'map' | 'event') =>
    problem(
      'unknown_build',
      without === 'map'
        ? `The position may be wrong: the file of the event has the debug ID ${debugId}, but the source map for ${path} has none.`
        : `The position may be wrong: the source map for ${path} has the debug ID ${debugId}, but the file of the event has none.`,
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
