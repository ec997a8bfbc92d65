import { type EncodedSourceMap, originalPositionFor, TraceMap, traceSegment } from '@jridgewell/trace-mapping';
import { isJsonObject, type JsonObject, parseJson } from '../../../../src/contract/json.ts';

// The only module that imports the source map library. Only the source map thread loads it.

/** Lookup in a source map (ECMA-426). */
export interface SourceMapReader {
  /** Generated file, as stated in the map. */
  readonly file: string | undefined;
  /** Debug ID as stated in the map (ECMA-426), any text. */
  readonly debugId: string | undefined;
  /** Returns the original position of a position in the generated file, or why there is none. Lines and columns are from 1. */
  originalOf(line: number, column: number): OriginalLocation | 'no_mapping' | 'no_source';
}

export type SourceMapReading = { readonly map: SourceMapReader } | { readonly problem: string };

export interface OriginalLocation {
  /** Source as stated in the map, with its `sourceRoot`. */
  readonly source: string;
  readonly line: number;
  readonly column: number;
  /** Original name at this position. */
  readonly name: string | undefined;
  /** Content of the whole file. */
  readonly content: string | undefined;
}

/** Limits memory, because each mapping becomes an array when it is decoded. */
const MAX_MAPPINGS = 3_000_000;
const MAX_SOURCES = 100_000;
const MAX_NAMES = 1_000_000;
const MAX_SECTIONS = 10_000;
const MAX_PATH_LENGTH = 4_096;

/** Reason why a map cannot be read, as the end of a sentence. */
class Unreadable extends Error {}

/**
 * Reads an uploaded source map, without following or fetching references. `problem` is the end of a sentence, such as `it is no
 * JSON`. `longest` is the maximum size in bytes.
 */
export function readSourceMap(bytes: Uint8Array, longest: number): SourceMapReading {
  try {
    return { map: readerOf(bytes, longest) };
  } catch (error) {
    if (error instanceof Unreadable) return { problem: error.message };
    throw error;
  }
}

function readerOf(bytes: Uint8Array, longest: number): SourceMapReader {
  demand(bytes.byteLength <= longest, `it has ${bytes.byteLength} bytes, and ${longest} are the most`);
  const sent = parseJson(textOf(bytes));
  demand(sent !== undefined, 'it is no JSON');
  demand(isJsonObject(sent), 'it is no JSON object');
  demand(sent.version === 3, 'its version is not 3');
  const file = typeof sent.file === 'string' ? sent.file : undefined;
  // Name in the standard, and the name used before it.
  const debugId = [sent['debugId'], sent['debug_id']].find(isString);
  if (sent.sections === undefined) return { file, debugId, originalOf: lookupOf(plainMapOf(sent)) };
  return { file, debugId, originalOf: lookupInSections(sectionsOf(sent.sections)) };
}

/** Removes `)]}'`, which servers prepend to JSON so that pages cannot load it as a script. */
function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes);
  if (!text.startsWith(")]}'")) return text;
  const newline = text.indexOf('\n');
  return newline < 0 ? '' : text.slice(newline + 1);
}

function plainMapOf(sent: JsonObject): EncodedSourceMap {
  const { mappings, sources, names, sourcesContent, sourceRoot } = sent;
  demand(typeof mappings === 'string' && /^[A-Za-z0-9+/,;]*$/.test(mappings), 'its mappings are not VLQ');
  demand(countMappings(mappings) <= MAX_MAPPINGS, `it has more than ${MAX_MAPPINGS} mappings`);
  demand(isList(sources, isPathOrNull), 'its sources are no list of paths');
  demand(names === undefined || isList(names, isString, MAX_NAMES), 'its names are no list of strings');
  const isWithContent = sourcesContent !== undefined && sourcesContent !== null;
  demand(!isWithContent || isList(sourcesContent, isStringOrNull), 'the content of its sources is no list of strings');
  const root = sourceRoot ?? '';
  demand(isString(root) && root.length <= MAX_PATH_LENGTH, 'its root is no path');
  return { version: 3, mappings, sources, names: names ?? [], sourceRoot: root, ...(isWithContent && { sourcesContent }) };
}

function countMappings(mappings: string): number {
  let count = 1;
  for (let at = 0; at < mappings.length; at += 1) {
    const code = mappings.charCodeAt(at);
    // `,` and `;`
    if (code === 44 || code === 59) count += 1;
  }
  return count;
}

interface Section {
  /** From 0. */
  readonly line: number;
  readonly column: number;
  readonly map: EncodedSourceMap;
}

function sectionsOf(sent: unknown): Section[] {
  demand(Array.isArray(sent) && sent.length <= MAX_SECTIONS, `its sections are no list of at most ${MAX_SECTIONS}`);
  let mappings = 0;
  let before: Section | undefined;
  return sent.map((section: unknown) => {
    demand(isJsonObject(section) && isJsonObject(section.offset), 'one of its sections has no offset');
    const { line, column } = section.offset;
    demand(isOffset(line) && isOffset(column), 'one of its sections has no offset');
    demand(
      before === undefined || before.line < line || (before.line === line && before.column <= column),
      'its sections are not in order',
    );
    demand(isJsonObject(section.map), 'one of its sections holds no map, and what it may refer to is not fetched');
    demand(section.map.sections === undefined, 'one of its sections has sections');
    const map = plainMapOf(section.map);
    mappings += countMappings(map.mappings);
    demand(mappings <= MAX_MAPPINGS, `it has more than ${MAX_MAPPINGS} mappings`);
    before = { line, column, map };
    return before;
  });
}

type Lookup = SourceMapReader['originalOf'];

function lookupOf(plain: EncodedSourceMap): Lookup {
  let traced: TraceMap | undefined;
  return (line, column) => {
    if (!(line >= 1) || !(column >= 1)) return 'no_mapping';
    traced ??= new TraceMap(plain);
    const location = originalPositionFor(traced, { line, column: column - 1 });
    // Invalid maps can contain any numbers.
    if (typeof location.source !== 'string' || location.source === '' || !(location.line >= 1) || !(location.column >= 0))
      return traceSegment(traced, line - 1, column - 1) === null ? 'no_mapping' : 'no_source';
    const content = traced.sourcesContent?.[traced.resolvedSources.indexOf(location.source)] ?? undefined;
    return {
      source: location.source,
      line: location.line,
      column: location.column + 1,
      name: location.name ?? undefined,
      content,
    };
  };
}

function lookupInSections(sections: readonly Section[]): Lookup {
  const lookups = new Map<Section, Lookup>();
  return (line, column) => {
    const section = sections.findLast((one) => one.line + 1 < line || (one.line + 1 === line && one.column < column));
    if (section === undefined) return 'no_mapping';
    const lookup = lookups.get(section) ?? lookupOf(section.map);
    lookups.set(section, lookup);
    return lookup(line - section.line, line === section.line + 1 ? column - section.column : column);
  };
}

function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Unreadable(otherwise);
}

function isList<T>(value: unknown, is: (element: unknown) => element is T, most: number = MAX_SOURCES): value is T[] {
  return Array.isArray(value) && value.length <= most && value.every(is);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isStringOrNull(value: unknown): value is string | null {
  return value === null || isString(value);
}

function isPathOrNull(value: unknown): value is string | null {
  return value === null || (isString(value) && value.length <= MAX_PATH_LENGTH);
}

function isOffset(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
