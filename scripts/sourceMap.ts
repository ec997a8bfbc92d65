import { decode, encode, type SourceMapSegment } from '@jridgewell/sourcemap-codec';

/** Source map in the form that esbuild writes (https://tc39.es/ecma426/). */
export interface SourceMap {
  readonly version: number;
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
}

/**
 * Returns a source map without the code of packages. It makes up a third of a map, and nobody who reads a stack trace of Signalbox needs
 * its lines.
 */
export function withoutPackages(map: SourceMap): SourceMap {
  const isPackage = map.sources.map((source) => /(?:^|\/)node_modules\//.test(source));
  const names: string[] = [];
  const known = new Map<number, number>();

  function nameOf(index: number): number {
    const at = known.get(index) ?? names.length;
    if (at === names.length) names.push(map.names[index] ?? '');
    known.set(index, at);
    return at;
  }

  function ownSegments(segments: readonly SourceMapSegment[]): SourceMapSegment[] {
    const result: SourceMapSegment[] = [];
    for (const segment of segments) {
      const isUnmapped = segment.length === 1 || isPackage[segment[1]] === true;
      // Ends the segment before it.
      if (isUnmapped && result.at(-1)?.length !== 1) result.push([segment[0]]);
      if (isUnmapped) continue;
      result.push(segment.length === 4 ? segment : [segment[0], segment[1], segment[2], segment[3], nameOf(segment[4])]);
    }
    return result;
  }

  const mappings = encode(decode(map.mappings).map(ownSegments));
  return { ...map, names, mappings };
}
