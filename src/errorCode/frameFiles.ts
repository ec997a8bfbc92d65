import path from 'node:path';
import * as vscode from 'vscode';
import { decodedPath } from '../contract/decodedPath.ts';
import {
  type FolderFile,
  type FrameMatch,
  type GoModule,
  type LearntFolder,
  learntPaths,
  matchFrame,
} from '../workspace/frameMatch.ts';
import { type FramePath, framePaths } from '../workspace/framePaths.ts';
import type { FrameLocation } from '../workspace/frames.ts';
import { MAX_MAP_LENGTH, mapOf, readSourceMap } from './sourceMaps.ts';

/** Maximum number of files with the same name to compare. */
const MAX_FILES = 500;
/** Maximum number of path segments of a frame to try, from the end. */
const MAX_PARTS = 12;
const MAX_MODULES = 50;
const IGNORED_FOLDERS = '**/{node_modules,vendor,.git}/**';

/**
 * Returns the file in the open folders that a frame names. Files outside of the folders are never returned. `isOwn` returns true for files that
 * can be of the program; others must have exactly the path of the frame, or be in a folder that the user has chosen.
 */
export async function fileOfFrame(
  location: FrameLocation,
  learnt: readonly LearntFolder[],
  goModules: () => Promise<readonly GoModule[]>,
  isOwn: (file: vscode.Uri) => boolean,
): Promise<FrameMatch<vscode.Uri>> {
  const path = location.absPath ?? location.filename ?? '';
  const exact = (await fileAt(path)) ?? (await fileAt(decodedPath(path)));
  if (exact !== undefined) return { kind: 'file', file: exact };
  const paths = framePaths(location);
  const names = paths.map(({ parts }) => parts.at(-1)).filter((name) => name !== undefined);
  if (names.length === 0) return { kind: 'none' };
  const isGo = names.some((name) => name.endsWith('.go'));
  const [found, modules] = await Promise.all([candidates(names, paths, learnt, isOwn), isGo ? goModules() : []]);
  const ignoresCase = process.platform === 'win32' || process.platform === 'darwin';
  return matchFrame(location, found, { ignoresCase, learnt, goModules: modules });
}

async function candidates(
  names: readonly string[],
  paths: readonly FramePath[],
  learnt: readonly LearntFolder[],
  isOwn: (file: vscode.Uri) => boolean,
): Promise<readonly FolderFile<vscode.Uri>[]> {
  const searches = [...new Set(names)].map(filesNamed);
  const chosen = Promise.all(learntPaths(paths, learnt).map((path) => folderFile(path)));
  const own = (await Promise.all([...searches, filesAt(paths)])).flat().filter(isOwn);
  const found = [...own, ...(await chosen).filter((file) => file !== undefined)];
  const unique = new Map(found.map((file) => [file.toString(), file]));
  return [...unique.values()].flatMap((file) => {
    const folder = vscode.workspace.getWorkspaceFolder(file)?.uri.path;
    return folder === undefined ? [] : [{ file, path: file.path, folder: folder.replace(/\/$/, '') }];
  });
}

/** Returns the modules of all `go.mod` files in the open folders. */
export async function findGoModules(): Promise<readonly GoModule[]> {
  const files = await vscode.workspace.findFiles('**/go.mod', IGNORED_FOLDERS, MAX_MODULES);
  const modules = await Promise.all(
    files.map(async (file) => {
      try {
        const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
        const name = /^\s*module\s+"?([^\s"]+)/m.exec(text)?.[1];
        return name === undefined ? [] : [{ name, folder: file.path.replace(/\/go\.mod$/, '') }];
      } catch {
        // Deleted meanwhile.
        return [];
      }
    }),
  );
  return modules.flat().toSorted((one, other) => other.name.length - one.name.length);
}

/**
 * Returns the source in the open folders that a position of a compiled file was made of; undefined without a source map. `isOwn` returns true
 * for files that can be of the program.
 */
export async function sourceOf(
  file: vscode.Uri,
  line: number,
  column: number | null,
  isOwn: (file: vscode.Uri) => boolean,
): Promise<{ readonly file: vscode.Uri; readonly line: number } | undefined> {
  const code = await textOf(file);
  if (code === undefined) return undefined;
  const found = mapOf(code, path.posix.basename(file.path));
  const folder = vscode.Uri.joinPath(file, '..');
  const mapFile = 'path' in found ? vscode.Uri.joinPath(folder, decodedPath(found.path)) : file;
  if (vscode.workspace.getWorkspaceFolder(mapFile) === undefined) return undefined;
  const text = 'text' in found ? found.text : await textOf(mapFile);
  const original = text === undefined ? undefined : readSourceMap(text)?.originalOf(line, column);
  if (original === undefined) return undefined;
  const { source } = original;
  for (const path of /^[a-z][a-z0-9+.-]*:/i.test(source) ? [] : new Set([source, decodedPath(source)])) {
    const inFolder = await folderFile(resolved(vscode.Uri.joinPath(mapFile, '..'), path));
    if (inFolder !== undefined) return { file: inFolder, line: original.line };
  }
  const match = await fileOfFrame({ filename: source, absPath: null }, [], () => Promise.resolve([]), isOwn);
  return match.kind === 'file' ? { file: match.file, line: original.line } : undefined;
}

function resolved(folder: vscode.Uri, source: string): string {
  return source.startsWith('/') ? source : vscode.Uri.joinPath(folder, source).path;
}

/** Returns the text of a file; undefined if it cannot be read or is too large for a compiled file or map. */
async function textOf(file: vscode.Uri): Promise<string | undefined> {
  try {
    if ((await vscode.workspace.fs.stat(file)).size > MAX_MAP_LENGTH) return undefined;
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  } catch {
    // There is none.
    return undefined;
  }
}

/** Returns the file with exactly this path on the disk, if it is in one of the open folders. */
async function fileAt(path: string): Promise<vscode.Uri | undefined> {
  const plain = path.replace(/^file:\/\//, '');
  if (!/^(?:\/(?!\/)|[A-Za-z]:[\\/])/.test(plain) || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(plain)) return undefined;
  return folderFile(vscode.Uri.file(plain).path);
}

/** Returns the file with this path, if it exists in one of the open folders. */
async function folderFile(path: string): Promise<vscode.Uri | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const file = folder?.uri.with({ path });
  if (file === undefined || vscode.workspace.getWorkspaceFolder(file) === undefined) return undefined;
  return (await isFile(file)) ? file : undefined;
}

/** Returns files whose relative path is an end of the frame's path. Works without file search, which not every file system supports. */
async function filesAt(paths: readonly FramePath[]): Promise<readonly vscode.Uri[]> {
  const ends = paths.flatMap(({ parts }) => {
    const last = parts.slice(-MAX_PARTS);
    return last.map((_, at) => last.slice(at).join('/'));
  });
  const files = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) =>
    [...new Set(ends)].map(async (end) => {
      const file = vscode.Uri.joinPath(uri, end);
      return (await isFile(file)) ? file : undefined;
    }),
  );
  return (await Promise.all(files)).filter((file) => file !== undefined);
}

async function isFile(file: vscode.Uri): Promise<boolean> {
  try {
    return ((await vscode.workspace.fs.stat(file)).type & vscode.FileType.File) !== 0;
  } catch {
    // Missing: the program ran elsewhere.
    return false;
  }
}

async function filesNamed(name: string): Promise<readonly vscode.Uri[]> {
  // Escapes the special characters of a vscode.GlobPattern.
  const escaped = name.replace(/[*?{}[\]]/g, '[$&]');
  try {
    return await vscode.workspace.findFiles(`**/${escaped}`, '**/node_modules/**', MAX_FILES);
  } catch {
    // Without file search, `filesAt` still finds files by their path.
    return [];
  }
}
