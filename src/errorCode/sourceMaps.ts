import { type EncodedSourceMap, originalPositionFor, TraceMap } from '@jridgewell/trace-mapping';
import { isJsonObject, parseJson } from '../contract/json.ts';

/** Position in the source that a bundle or compiled file was made of. */
export interface OriginalPosition {
  /** Relative to the folder of the map, or absolute, or a URL; as the map has it. */
  readonly source: string;
  /** 1-based. */
  readonly line: number;
}

/** Maximum number of characters of a map. Reading a larger one would delay everything else. */
export const MAX_MAP_LENGTH = 8 * 1024 * 1024;

/** Source map of one file. */
export interface SourceMap {
  /** Returns the original of a position (1-based; null for an unknown column); undefined if the map does not say it. */
  readonly originalOf: (line: number, column: number | null) => OriginalPosition | undefined;
}

/** Returns the map of a text; undefined if it is not a source map (https://tc39.es/ecma426/). */
export function readSourceMap(text: string): SourceMap | undefined {
  const json = parseJson(text.replace(/^\)\]\}'.*\n/, ''));
  if (!isMap(json)) return undefined;
  let map: TraceMap;
  try {
    map = new TraceMap(json);
  } catch {
    return undefined;
  }
  return {
    originalOf: (line, column) => {
      const found = originalPositionFor(map, { line, column: Math.max(0, (column ?? 1) - 1) });
      return found.source === null ? undefined : { source: found.source, line: found.line };
    },
  };
}

function isMap(value: unknown): value is EncodedSourceMap {
  return isJsonObject(value) && value.version === 3 && typeof value.mappings === 'string' && Array.isArray(value.sources);
}

/** Returns the map that the end of a file contains or names: its text, or its path relative to the file. */
export function mapOf(code: string, name: string): { readonly text: string } | { readonly path: string } {
  const [, url] = /\/\/[#@] sourceMappingURL=(\S+)\s*$/.exec(code.slice(-MAX_MAP_LENGTH)) ?? [];
  const [, base64] = /^data:application\/json[^,]*;base64,(.*)$/.exec(url ?? '') ?? [];
  if (base64 !== undefined) return { text: Buffer.from(base64, 'base64').toString() };
  // A URL of another host is not in the workspace.
  return { path: url === undefined || /^[a-z][a-z0-9+.-]*:/i.test(url) ? `${name}.map` : url };
}
