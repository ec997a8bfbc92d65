import * as vscode from 'vscode';
import { bestCandidates, type FrameLocation, pathParts } from './frames.ts';

/** Maximum number of files with the same name to compare. */
const MAX_FILES = 500;
/** Maximum number of path segments of a frame to try, from the end. */
const MAX_PARTS = 12;

/** Returns the files in the open folders that match a frame best. Files outside of the folders are never returned. */
export async function filesOfFrame(location: FrameLocation): Promise<readonly vscode.Uri[]> {
  const names = [location.filename, location.absPath]
    .map((path) => pathParts(path ?? '').at(-1))
    .filter((name) => name !== undefined);
  const exact = await fileAt(location.absPath ?? '');
  if (exact !== undefined) return [exact];
  const searches = [...new Set(names)].map(filesNamed);
  const found = (await Promise.all([...searches, filesAt(location)])).flat();
  const unique = [...new Map(found.map((file) => [file.toString(), file])).values()];
  const ignoresCase = process.platform === 'win32' || process.platform === 'darwin';
  return bestCandidates(
    location,
    unique.map((file) => ({ file, path: file.path })),
    ignoresCase,
  ).map(({ file }) => file);
}

/** Returns the file with exactly this path, if it is in one of the open folders. */
async function fileAt(path: string): Promise<vscode.Uri | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const plain = path.replace(/^file:\/\//, '');
  if (folder === undefined || !/^(?:\/(?!\/)|[A-Za-z]:[\\/])/.test(plain) || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(plain))
    return undefined;
  const file = folder.uri.with({ path: vscode.Uri.file(plain).path });
  if (vscode.workspace.getWorkspaceFolder(file) === undefined) return undefined;
  return (await isFile(file)) ? file : undefined;
}

/** Returns files whose relative path is an end of the frame's path. Works without file search, which not every file system supports. */
async function filesAt({ filename, absPath }: FrameLocation): Promise<readonly vscode.Uri[]> {
  const ends = [filename, absPath].flatMap((path) => {
    const parts = pathParts(path ?? '').slice(-MAX_PARTS);
    return parts.map((_, at) => parts.slice(at).join('/'));
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
    const found = await vscode.workspace.findFiles(`**/${escaped}`, '**/node_modules/**', MAX_FILES);
    return found.filter((file) => vscode.workspace.getWorkspaceFolder(file) !== undefined);
  } catch {
    // Without file search, `filesAt` still finds files by their path.
    return [];
  }
}
