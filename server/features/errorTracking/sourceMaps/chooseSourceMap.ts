import { decodedPath } from '../../../../src/contract/decodedPath.ts';
import type { Frame } from '../event/trackedEvent.ts';
import { limits } from '../event/eventLimits.ts';
import { type MapProblem, mapProblems } from '../event/sourceMapProblems.ts';
import { clean, cut } from '../event/readValue.ts';
import { programOf } from '../releases/releaseOrder.ts';
import type { OriginalLocation, SourceMapReading } from './parseSourceMap.ts';

/** A source map uploaded to a project. */
export interface UploadedMap {
  /**
   * Generated file: a path, a URL, or `~/` and the path of a URL, with or without `.map` at its end. Empty if the map is
   * identified by its debug ID only.
   */
  readonly file: string;
  readonly debugId: string | undefined;
  /** Release of the application, or undefined for any. */
  readonly appRelease: string | undefined;
  /** Undefined for any. */
  readonly dist: string | undefined;
  /** Milliseconds since 1970. */
  readonly uploadedAt: number;
}

/** Maps of a project, indexed by data of frames. */
export interface MapIndex<T extends UploadedMap> {
  readonly byDebugId: ReadonlyMap<string, T>;
  /** By the last segment of the generated file. */
  readonly byName: ReadonlyMap<string, readonly NamedMap<T>[]>;
  /** Applications of the maps. Empty text: a map may be of any. */
  readonly programs: ReadonlySet<string>;
}

interface NamedMap<T> {
  readonly map: T;
  readonly segments: readonly string[];
}

/** Data used to choose a map. */
export interface MapMetadata<T extends UploadedMap> {
  readonly index: MapIndex<T>;
  /** Debug IDs of the event by `comparablePath` of its files, like its release and distribution. */
  readonly debugIds: ReadonlyMap<string, string>;
  readonly appRelease: string | undefined;
  readonly dist: string | undefined;
}

export interface ChosenMap<T> {
  readonly map: T;
  /** Path of the frame. */
  readonly path: string;
  /** True if the map was found by name. Only a debug ID identifies it with certainty. */
  readonly isByName: boolean;
  /** Reason why the map may be of another release or build. Undefined if the event and the map agree. */
  readonly doubt: MapProblem | undefined;
}

/** Map of a frame, or why there is none. Undefined if there is nothing to map, such as in code of Node. */
export type MapChoice<T> = ChosenMap<T> | MapProblem | undefined;

/** Mapped frame, or why it could not be mapped, or undefined if it stays unchanged. */
export type MappedFrame = Frame | MapProblem | undefined;

const CONTEXT_LINES = 5;
/** Number of characters at the end of a function name that contain the name itself. */
const MAX_NAME_SUFFIX = 256;

export function indexMaps<T extends UploadedMap>(maps: readonly T[]): MapIndex<T> {
  const byDebugId = new Map<string, T>();
  const byName = new Map<string, NamedMap<T>[]>();
  for (const map of maps) {
    if (map.debugId !== undefined) {
      const id = normalisedId(map.debugId);
      const before = byDebugId.get(id);
      if (before === undefined || map.uploadedAt > before.uploadedAt) byDebugId.set(id, map);
    }
    const segments = segmentsOf(map.file.replace(/\.map$/, ''));
    const name = segments.at(-1);
    if (name === undefined) continue;
    const known = byName.get(name);
    if (known === undefined) byName.set(name, [{ map, segments }]);
    else known.push({ map, segments });
  }
  return { byDebugId, byName, programs: new Set(maps.map(({ appRelease }) => programOf(appRelease ?? ''))) };
}

export function chooseMap<T extends UploadedMap>(frame: Frame, metadata: MapMetadata<T>): MapChoice<T> {
  const path = pathOf(frame);
  if (path === undefined) return undefined;
  const { index, debugIds, appRelease, dist } = metadata;
  const debugId = debugIds.get(comparablePath(frame.absPath ?? '')) ?? debugIds.get(comparablePath(frame.filename ?? ''));
  const proven = debugId === undefined ? undefined : index.byDebugId.get(normalisedId(debugId));
  if (proven !== undefined) return { map: proven, path, isByName: false, doubt: undefined };
  const wanted = segmentsOf(path);
  const fitting = (index.byName.get(wanted.at(-1) ?? '') ?? [])
    .map((one) => ({ ...one, fits: commonEnd(one.segments, wanted) }))
    .filter(({ segments, fits }) => fits === segments.length || fits === wanted.length);
  if (fitting.length === 0) {
    const isUnmapped = isSource(wanted.at(-1) ?? '') || isWithoutMaps(appRelease, index);
    return debugId === undefined && isUnmapped ? undefined : mapProblems.no_map(path, debugId);
  }
  const ofBuild = fitting.filter(({ map }) =>
    mayBeOf(map.debugId && normalisedId(map.debugId), debugId && normalisedId(debugId)),
  );
  if (ofBuild.length === 0) {
    return mapProblems.other_build(path, sampleOf(fitting.map(({ map }) => map.debugId ?? '')), debugId ?? '');
  }
  const ofRelease = ofBuild.filter(({ map }) => mayBeOf(map.appRelease, appRelease));
  if (ofRelease.length === 0) {
    return mapProblems.other_release(path, sampleOf(ofBuild.map(({ map }) => map.appRelease ?? '')), appRelease ?? '');
  }
  const usable = ofRelease.filter(({ map }) => mayBeOf(map.dist, dist));
  if (usable.length === 0) return mapProblems.other_dist(path, sampleOf(ofRelease.map(({ map }) => map.dist ?? '')), dist ?? '');
  const most = Math.max(...usable.map(({ fits }) => fits));
  const best = usable.filter(({ fits }) => fits === most);
  const nearest = preferMatching(
    preferMatching(best, ({ map }) => map.appRelease === appRelease),
    ({ map }) => map.dist === dist,
  );
  const names = new Set(nearest.map(({ segments }) => segments.join('/')));
  const [first, ...others] = nearest;
  if (first === undefined || names.size > 1) return mapProblems.several_maps(path, sampleOf([...names]));
  const newest = others.reduce((one, other) => (other.map.uploadedAt > one.map.uploadedAt ? other : one), first);
  return { map: newest.map, path, isByName: true, doubt: doubtOf(newest.map, path, debugId, metadata) };
}

/** Returns why a map that was found by name may be of another release or build. A map without release and debug ID applies to all. */
function doubtOf(
  map: UploadedMap,
  path: string,
  debugId: string | undefined,
  { appRelease, dist }: Pick<MapMetadata<UploadedMap>, 'appRelease' | 'dist'>,
): MapProblem | undefined {
  if (map.appRelease !== undefined && appRelease === undefined) return mapProblems.unknown_release(path, map.appRelease);
  if (map.dist !== undefined && dist === undefined) return mapProblems.unknown_dist(path, map.dist);
  // The release is known to be the same.
  if (map.appRelease !== undefined) return undefined;
  if (debugId !== undefined && map.debugId === undefined) return mapProblems.unknown_build(path, debugId, 'map');
  if (debugId === undefined && map.debugId !== undefined) return mapProblems.unknown_build(path, map.debugId, 'event');
  return undefined;
}

/** Returns the form in which the files of frames and of debug IDs are compared. */
export function comparablePath(path: string): string {
  return decodedPath(path.replace(/[?#].*$/s, ''));
}

/** Maps the frames of a stack, in the same order. Nothing is fetched. */
export function mapFrames<T>(
  frames: readonly Frame[],
  choices: readonly MapChoice<T>[],
  open: (map: T) => SourceMapReading,
): MappedFrame[] {
  let caller: OriginalLocation | undefined;
  return frames.map((frame, index) => {
    const choice = choices[index];
    const location = choice === undefined || 'kind' in choice ? choice : originalLocation(frame, choice, open(choice.map));
    if (location === undefined || 'kind' in location) {
      caller = undefined;
      return location;
    }
    const mapped = frameAt(frame, location, caller);
    caller = location;
    return mapped;
  });
}

/** Returns undefined for code that was not bundled. */
function pathOf({ filename, absPath }: Frame): string | undefined {
  const path = filename ?? absPath;
  return path === undefined || path === '' || /^(?:node:|<|\[native code\]$|native$)/.test(path) ? undefined : path;
}

/** Returns true for a release of an application, if all maps are of other applications. */
function isWithoutMaps(appRelease: string | undefined, { programs }: Pick<MapIndex<UploadedMap>, 'programs'>): boolean {
  const program = programOf(appRelease ?? '');
  return program !== '' && !programs.has('') && !programs.has(program);
}

/** A file with the extension of a source is not minified. */
function isSource(name: string): boolean {
  return /\.(?:[cm]?tsx?|vue|svelte)$/.test(name);
}

/** An unknown value on either side matches. */
function mayBeOf(uploaded: string | undefined, sent: string | undefined): boolean {
  return uploaded === undefined || sent === undefined || uploaded === sent;
}

/** Returns the maps that match exactly, or all if none does. */
function preferMatching<T>(maps: readonly T[], is: (map: T) => boolean): readonly T[] {
  const exact = maps.filter(is);
  return exact.length > 0 ? exact : maps;
}

function sampleOf(names: readonly string[]): string {
  return [...new Set(names)].slice(0, 3).join(', ');
}

/** Returns an ID without dashes, in lower case. */
function normalisedId(id: string): string {
  return id.replaceAll('-', '').toLowerCase();
}

/** Returns the same segments for `https://host/static/%5Bid%5D.js?1`, `~/static/[id].js` and `./static/[id].js`. */
function segmentsOf(path: string): string[] {
  const [before = ''] = path.slice(0, 4_096).split(/[?#]/, 1);
  const local = before.replace(/^[a-z][a-z0-9+.-]{0,30}:\/\/[^/]*/i, '').replaceAll('\\', '/');
  return local
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.' && segment !== '~')
    .map(decodedPath);
}

function commonEnd(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < Math.min(one.length, other.length) && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}

function originalLocation(
  { line, column }: Frame,
  { path, isByName }: ChosenMap<unknown>,
  reading: SourceMapReading,
): OriginalLocation | MapProblem {
  if ('problem' in reading) return mapProblems.unreadable(path, reading.problem);
  const { file } = reading.map;
  if (isByName && file !== undefined && segmentsOf(file).at(-1) !== segmentsOf(path).at(-1)) {
    return mapProblems.other_file(path, cut(clean(file), limits.frameText));
  }
  if (line === undefined) return mapProblems.no_position('line');
  if (column === undefined) return mapProblems.no_position('column');
  const location = reading.map.originalOf(line, column);
  return typeof location === 'string' ? mapProblems[location](path, line, column) : location;
}

function frameAt(frame: Frame, location: OriginalLocation, caller: OriginalLocation | undefined): Frame {
  const { line, column, content } = location;
  const source = cut(clean(location.source), limits.frameText);
  const filename = fileOf(source);
  const lines = content === undefined ? [] : linesAround(content, line);
  const at = lines.findIndex(({ number }) => number === line);
  return {
    ...frame,
    filename,
    absPath: source,
    // The module named the bundle.
    module: undefined,
    function: functionOf(frame, location, caller),
    line,
    column,
    contextLine: lines[at]?.text,
    preContext: at < 0 ? [] : lines.slice(0, at).map(({ text }) => text),
    postContext: at < 0 ? [] : lines.slice(at + 1).map(({ text }) => text),
    inApp: frame.inApp && !/(?:^|\/)node_modules\/|^\(?webpack\)?\//.test(filename),
  };
}

/** Removes parts added by the bundler: `webpack://shop/./src/cart.ts?1a2b` and `../src/cart.ts` are the same file. */
function fileOf(source: string): string {
  const local = /^(?:webpack|turbopack):\/\/[^/]*\/(.+?)(?:\?[^/]*)?$/s.exec(source)?.[1] ?? source;
  return local.replace(/^(?:\.{0,2}\/)+/, '');
}

/**
 * Returns the original name of a function. A map has names of positions, and a function's name is at the position of its call in
 * the calling frame. The caller may be unrelated in other threads and callbacks, so the name must occur in the file. Minified
 * names are dropped, because they change with each build.
 */
function functionOf(
  { function: sent }: Frame,
  { content }: OriginalLocation,
  caller: OriginalLocation | undefined,
): string | undefined {
  const name = caller?.name;
  if (sent === undefined) return undefined;
  if (name !== undefined && (content === undefined || content.includes(name))) return cut(clean(name), limits.frameText);
  const own = /([\w$]+)(?: \[as [\w$]+\])?$/.exec(sent.slice(-MAX_NAME_SUFFIX))?.[1];
  // Placeholders such as `?` and `<anonymous>`.
  if (own === undefined) return sent;
  const isWritten = content === undefined ? own.length > 3 : own.length > 2 && content.includes(own);
  return isWritten ? sent : undefined;
}

/** Returns the lines around a line, without splitting the whole file. */
function linesAround(content: string, line: number): { readonly number: number; readonly text: string }[] {
  const lines: { number: number; text: string }[] = [];
  let from = 0;
  for (let number = 1; number <= line + CONTEXT_LINES && from <= content.length; number += 1) {
    const newline = content.indexOf('\n', from);
    const to = newline < 0 ? content.length : newline;
    if (number >= line - CONTEXT_LINES) {
      lines.push({
        number,
        text: clean(content.slice(from, Math.min(to, from + limits.contextLine)).replace(/\r$/, '')),
      });
    }
    from = to + 1;
  }
  return lines;
}
