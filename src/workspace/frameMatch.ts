import { type FramePath, framePaths } from './framePaths.ts';
import type { FrameLocation } from './frames.ts';

/** File of an open folder. */
export interface FolderFile<File> {
  readonly file: File;
  /** Absolute path with `/` as separator. */
  readonly path: string;
  /** Absolute path of the open folder, with `/` as separator. */
  readonly folder: string;
}

/** Go module in the open folders. */
export interface GoModule {
  /** Path that `go.mod` names. */
  readonly name: string;
  /** Absolute path of the folder with `go.mod`. */
  readonly folder: string;
}

/** Folder that the user has chosen for the frames below another one. */
export interface LearntFolder {
  /** Leading parts of the paths of frames, joined with `/`. */
  readonly from: string;
  /** Absolute path of the folder that stands for them. */
  readonly to: string;
  /** True if the frames were below the root of a file system or server. */
  readonly isRooted: boolean;
}

export interface MatchSettings {
  /** True for case-insensitive file systems. */
  readonly ignoresCase: boolean;
  readonly goModules: readonly GoModule[];
  readonly learnt: readonly LearntFolder[];
}

export type FrameMatch<File> =
  | { readonly kind: 'file'; readonly file: File }
  /** Several files match as well, or those with the same name are in other folders. The user can decide. */
  | { readonly kind: 'ambiguous'; readonly files: readonly File[] }
  | { readonly kind: 'none' };

/** Number of common trailing parts from which a match is no coincidence. */
const MANY_PARTS = 3;

/** Returns which of the files, which have the name of the frame's file, is that of the frame. */
export function matchFrame<File>(
  location: FrameLocation,
  files: readonly FolderFile<File>[],
  settings: MatchSettings,
): FrameMatch<File> {
  const paths = framePaths(location);
  if (paths.length === 0) return { kind: 'none' };
  // Some file systems take a composed and a decomposed character for the same.
  const fold = (text: string): string => (settings.ignoresCase ? text.toLowerCase() : text).normalize('NFC');
  const fileAt = (path: string): File | undefined => files.find((one) => fold(one.path) === fold(path))?.file;
  for (const path of learntPaths(paths, settings.learnt)) {
    const file = fileAt(path);
    if (file !== undefined) return { kind: 'file', file };
  }
  const ofModule = pathInModule(location, settings.goModules);
  if (ofModule !== undefined) {
    const file = ofModule === 'otherModule' ? undefined : fileAt(ofModule);
    return file === undefined ? { kind: 'none' } : { kind: 'file', file };
  }
  const ranked = files
    .map(({ file, path, folder }) => ({ file, rank: rankOf(paths, path, folder, fold) }))
    .filter(({ rank }) => rank > 0);
  const best = Math.max(0, ...ranked.map(({ rank }) => rank));
  const [first, ...others] = ranked.filter(({ rank }) => rank === best).map(({ file }) => file);
  if (first === undefined) return { kind: 'none' };
  return best >= SURE && others.length === 0 ? { kind: 'file', file: first } : { kind: 'ambiguous', files: [first, ...others] };
}

/** Ranks from which a file is that of the frame unless another one has the same rank. Below are the numbers of common parts. */
const SURE = 1_000;
const WHOLE = 2_000;

/** Returns 0 for a file that cannot be that of the frame, and otherwise the more, the better it matches. */
function rankOf(paths: readonly FramePath[], path: string, folder: string, fold: (text: string) => string): number {
  const parts = path.split('/').map(fold);
  const inFolder = path.slice(folder.length).split('/').filter(Boolean).length;
  const isLibrary = paths.some(({ libraryAt }) => libraryAt !== undefined);
  const ranks = paths.map((one) => {
    const common = commonEnd(one.parts.map(fold), parts);
    if (common === 0) return 0;
    if (one.packageIs !== undefined && common < one.parts.length) return one.packageIs === 'path' ? 0 : common;
    // The folder of a library must be in the workspace, too.
    if (isLibrary) return one.libraryAt !== undefined && common >= one.parts.length - one.libraryAt ? SURE + common : 0;
    const isWholeFrame = common >= one.parts.length - one.rootLength && (!one.isRooted || one.rootLength > 0);
    const isWholeFile = common >= inFolder;
    if (isWholeFrame && isWholeFile) return WHOLE + common;
    // A file directly in an open folder can be anywhere on another machine, but not in another folder of the program.
    if (isWholeFrame || (isWholeFile && (inFolder > 1 || one.isRooted)) || common >= MANY_PARTS) return SURE + common;
    return common;
  });
  return Math.max(...ranks);
}

function commonEnd(one: readonly string[], other: readonly string[]): number {
  let length = 0;
  while (length < one.length && length < other.length && one.at(-1 - length) === other.at(-1 - length)) length += 1;
  return length;
}

/** Returns paths of files that the folders chosen by the user lead to, those of the longest prefix first. */
export function learntPaths(paths: readonly FramePath[], learnt: readonly LearntFolder[]): readonly string[] {
  return paths
    .flatMap(({ parts, isRooted, libraryAt }) =>
      learnt.flatMap(({ from, to, isRooted: isFromRoot }) => {
        const joined = parts.join('/');
        const isBelow = isFromRoot === isRooted && (from === '' || joined.startsWith(`${from}/`));
        if (!isBelow || libraryAt !== undefined) return [];
        return [{ length: from.length, path: `${to}/${joined.slice(from === '' ? 0 : from.length + 1)}` }];
      }),
    )
    .toSorted((one, other) => other.length - one.length)
    .map(({ path }) => path);
}

/** Returns what the choice of a file for a frame says about other frames; undefined if the file has another name. */
export function learnFolder(location: FrameLocation, path: string): LearntFolder | undefined {
  const parts = path.split('/');
  const [best] = framePaths(location)
    .map((one) => ({ ...one, common: commonEnd(one.parts, parts) }))
    .toSorted((one, other) => other.common - one.common);
  if (best === undefined || best.common === 0) return undefined;
  return {
    from: best.parts.slice(0, best.parts.length - best.common).join('/'),
    to: parts.slice(0, parts.length - best.common).join('/'),
    isRooted: best.isRooted,
  };
}

/**
 * Returns the path of the file of a Go frame, whose package is named by its module. `otherModule`: the package is in none of the open
 * folders. Undefined if the package does not decide it.
 */
function pathInModule(
  { filename, absPath, module }: FrameLocation,
  modules: readonly GoModule[],
): string | 'otherModule' | undefined {
  const path = (absPath ?? filename ?? '').replaceAll('\\', '/');
  if (modules.length === 0 || !path.endsWith('.go')) return undefined;
  // Programs that are built with -trimpath have paths that begin with the module.
  const trimmed = modules.find(({ name }) => path.startsWith(`${name}/`));
  if (trimmed !== undefined) return `${trimmed.folder}/${path.slice(trimmed.name.length + 1)}`;
  if (module === null || module === undefined || module === 'main' || module === '') return undefined;
  const own = modules.find(({ name }) => module === name || module.startsWith(`${name}/`));
  if (own === undefined) return 'otherModule';
  return [own.folder, module.slice(own.name.length + 1), path.split('/').at(-1)].filter(Boolean).join('/');
}
