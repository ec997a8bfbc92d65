import type { Frame } from './event.ts';
import type { OriginalPlace, SourceMapReader } from './traceMapping.ts';

/** A source map that was uploaded to a project. */
export interface UploadedMap {
  /** The generated file: a path, a URL, or `~/` and the path of a URL; with `.map` at its end or without. */
  readonly file: string;
  readonly debugId: string | undefined;
  /** Of the program; undefined: of any. */
  readonly appRelease: string | undefined;
  /** Milliseconds since 1970. */
  readonly uploadedAt: number;
}

export interface SourceMapFacts<T extends UploadedMap> {
  readonly maps: readonly T[];
  /** The bytes of one of them, as they were uploaded. Asked once for each that is needed. */
  readonly read: (map: T) => Uint8Array | Promise<Uint8Array>;
  /** Bytes that one may have. */
  readonly longest: number;
  /** Of the event. */
  readonly debugIds: ReadonlyMap<string, string>;
  readonly appRelease: string | undefined;
}

export interface MappedFrame {
  /** With its original place, or as sent. */
  readonly frame: Frame;
  /** Before it was mapped; undefined: it was not. */
  readonly sent: Frame | undefined;
  /** Why it could not be mapped; undefined also where there is nothing to map, such as in code of Node itself. */
  readonly problem: MapProblem | undefined;
}

export interface MapProblem {
  readonly kind: 'no_map' | 'other_release' | 'several_maps' | 'other_file' | 'no_position' | 'no_mapping' | 'unreadable';
  /** A sentence. */
  readonly words: string;
}

const CONTEXT_LINES = 5;
const LONGEST_CONTEXT_LINE = 1_024;

/** JavaScript frames with the places where their code was written, one for each, in the same order. Nothing is fetched. */
export async function applySourceMaps<T extends UploadedMap>(
  frames: readonly Frame[],
  facts: SourceMapFacts<T>,
): Promise<MappedFrame[]> {
  const readers = new Map<T, ReturnType<typeof readOne<T>>>();
  const mapped: MappedFrame[] = [];
  let caller: OriginalPlace | undefined;
  for (const frame of frames) {
    const path = pathOf(frame);
    const found = path === undefined ? undefined : findMap(path, frame, facts);
    let place: OriginalPlace | MapProblem | undefined;
    if (found !== undefined && path !== undefined) {
      if ('kind' in found) {
        place = found;
      } else {
        const reading = readers.get(found.map) ?? readOne(found.map, facts);
        readers.set(found.map, reading);
        place = placeOf(frame, path, found, await reading);
      }
    }
    if (place === undefined || 'kind' in place) {
      mapped.push({ frame, sent: undefined, problem: place });
      caller = undefined;
    } else {
      mapped.push({ frame: frameAt(frame, place, caller), sent: frame, problem: undefined });
      caller = place;
    }
  }
  return mapped;
}

/** Why something cannot be kept as a source map, as the end of a sentence; undefined when it can. */
export async function problemOfSourceMap(bytes: Uint8Array, longest: number): Promise<string | undefined> {
  const reading = await readBytes(bytes, longest);
  return 'problem' in reading ? reading.problem : undefined;
}

type Reading = { readonly map: SourceMapReader } | { readonly problem: string };

async function readOne<T extends UploadedMap>(map: T, { read, longest }: SourceMapFacts<T>): Promise<Reading> {
  return readBytes(await read(map), longest);
}

async function readBytes(bytes: Uint8Array, longest: number): Promise<Reading> {
  const { readSourceMap } = await import('./traceMapping.ts');
  return readSourceMap(bytes, longest);
}

/** Undefined for code that no bundler has made. */
function pathOf({ filename, absPath }: Frame): string | undefined {
  const path = filename ?? absPath;
  return path === undefined || path === '' || /^(?:node:|<|\[native code\]$|native$)/.test(path) ? undefined : path;
}

interface FoundMap<T> {
  readonly map: T;
  /** A debug id is proof; a name is not. */
  readonly isByName: boolean;
}

function findMap<T extends UploadedMap>(path: string, frame: Frame, facts: SourceMapFacts<T>): FoundMap<T> | MapProblem {
  const { maps, debugIds, appRelease } = facts;
  const debugId = debugIds.get(frame.absPath ?? '') ?? debugIds.get(frame.filename ?? '');
  if (debugId !== undefined) {
    const map = newest(maps.filter((one) => one.debugId !== undefined && sameId(one.debugId, debugId)));
    if (map !== undefined) return { map, isByName: false };
  }
  const wanted = segmentsOf(path);
  const fitting = maps
    .map((map) => ({ map, segments: segmentsOf(map.file.replace(/\.map$/, '')) }))
    .map((one) => ({ ...one, fits: commonEnd(one.segments, wanted) }))
    .filter(({ segments, fits }) => fits > 0 && (fits === segments.length || fits === wanted.length));
  if (fitting.length === 0) {
    const id = debugId === undefined ? '' : ` or the debug id ${debugId}`;
    return { kind: 'no_map', words: `No source map was uploaded for ${path}${id}.` };
  }
  const usable = fitting.filter(({ map }) => [undefined, appRelease].includes(map.appRelease) || appRelease === undefined);
  if (usable.length === 0) {
    const releases = [...new Set(fitting.map(({ map }) => map.appRelease))].slice(0, 3).join(', ');
    return {
      kind: 'other_release',
      words: `The source map for ${path} was uploaded for ${releases}; the event is of ${appRelease}.`,
    };
  }
  const most = Math.max(...usable.map(({ fits }) => fits));
  const best = usable.filter(({ fits }) => fits === most);
  const ofRelease = best.filter(({ map }) => map.appRelease !== undefined && map.appRelease === appRelease);
  const chosen = ofRelease.length > 0 ? ofRelease : best;
  const names = new Set(chosen.map(({ segments }) => segments.join('/')));
  const map = newest(chosen.map(({ map }) => map));
  if (names.size > 1 || map === undefined) {
    return { kind: 'several_maps', words: `Several source maps fit ${path}: ${[...names].slice(0, 3).join(', ')}.` };
  }
  return { map, isByName: true };
}

function newest<T extends UploadedMap>(maps: readonly T[]): T | undefined {
  return maps.reduce<T | undefined>(
    (one, other) => (one === undefined || other.uploadedAt > one.uploadedAt ? other : one),
    undefined,
  );
}

/** With dashes or without, in any case. */
function sameId(one: string, other: string): boolean {
  return one.replaceAll('-', '').toLowerCase() === other.replaceAll('-', '').toLowerCase();
}

/** `https://host/static/app.js?1`, `~/static/app.js` and `./static/app.js` are the same. */
function segmentsOf(path: string): string[] {
  const [before = ''] = path.slice(0, 4_096).split(/[?#]/, 1);
  const local = before.replace(/^[a-z][a-z0-9+.-]{0,30}:\/\/[^/]*/i, '').replaceAll('\\', '/');
  return local.split('/').filter((segment) => segment !== '' && segment !== '.' && segment !== '~');
}

function commonEnd(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < Math.min(one.length, other.length) && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}

function placeOf<T extends UploadedMap>(
  frame: Frame,
  path: string,
  found: FoundMap<T>,
  reading: Reading,
): OriginalPlace | MapProblem {
  if ('problem' in reading) {
    return { kind: 'unreadable', words: `The source map for ${path} cannot be read: ${reading.problem}.` };
  }
  const { file } = reading.map;
  if (found.isByName && file !== undefined && segmentsOf(file).at(-1) !== segmentsOf(path).at(-1)) {
    return { kind: 'other_file', words: `The source map that was uploaded for ${path} is of ${file}.` };
  }
  const { line, column } = frame;
  if (line === undefined || column === undefined) {
    const missing = line === undefined ? 'line' : 'column';
    return { kind: 'no_position', words: `The frame has no ${missing}, without which a source map says nothing.` };
  }
  const place = reading.map.originalOf(line, column);
  return place ?? { kind: 'no_mapping', words: `The source map for ${path} has nothing at line ${line}, column ${column}.` };
}

function frameAt(frame: Frame, place: OriginalPlace, caller: OriginalPlace | undefined): Frame {
  const { source, line, column, content } = place;
  const lines = content === undefined ? [] : linesAround(content, line);
  const at = lines.findIndex(({ number }) => number === line);
  return {
    ...frame,
    filename: source.replace(/^(?:\.{0,2}\/)+/, ''),
    absPath: source,
    // It named the bundle.
    module: undefined,
    function: functionOf(frame, place, caller),
    line,
    column,
    contextLine: lines[at]?.text,
    preContext: at < 0 ? [] : lines.slice(0, at).map(({ text }) => text),
    postContext: at < 0 ? [] : lines.slice(at + 1).map(({ text }) => text),
    inApp: frame.inApp && !/(?:^|\/)node_modules\//.test(source),
  };
}

/**
 * A map names what stands at a place. The name of a function stands where it is called, which is the place of the frame before. Frames of
 * other threads and callbacks have other callers: what the file does not know is not the name of its function.
 */
function functionOf(frame: Frame, place: OriginalPlace, caller: OriginalPlace | undefined): string | undefined {
  if (frame.function === undefined || caller?.name === undefined) return frame.function;
  return place.content === undefined || place.content.includes(caller.name) ? caller.name : frame.function;
}

/** Of a file, without taking it apart as a whole. */
function linesAround(content: string, line: number): { readonly number: number; readonly text: string }[] {
  const lines: { number: number; text: string }[] = [];
  let from = 0;
  for (let number = 1; number <= line + CONTEXT_LINES && from <= content.length; number += 1) {
    const newline = content.indexOf('\n', from);
    const to = newline < 0 ? content.length : newline;
    if (number >= line - CONTEXT_LINES) {
      lines.push({ number, text: content.slice(from, Math.min(to, from + LONGEST_CONTEXT_LINE)).replace(/\r$/, '') });
    }
    from = to + 1;
  }
  return lines;
}
