import * as vscode from 'vscode';
import { bestCandidates, type FramePlace, pathParts } from './frames.ts';

/** Files of one name that are looked at; no program has more of its own. */
const MAX_FILES = 500;
/** Folders of the path of a frame that are looked at, the innermost ones. */
const MAX_PARTS = 12;

/** Files of the open folders that a frame may be of, the likeliest ones; none outside of them. */
export async function filesOfFrame(location: FramePlace): Promise<readonly vscode.Uri[]> {
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

/** The file itself, when the program ran in one of the open folders of this machine. */
async function fileAt(path: string): Promise<vscode.Uri | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const plain = path.replace(/^file:\/\//, '');
  if (folder === undefined || !/^(?:\/(?!\/)|[A-Za-z]:[\\/])/.test(plain) || /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(plain))
    return undefined;
  const file = folder.uri.with({ path: vscode.Uri.file(plain).path });
  if (vscode.workspace.getWorkspaceFolder(file) === undefined) return undefined;
  return (await isFile(file)) ? file : undefined;
}

/** Files at the end of the path of a frame, from each of the open folders: found without a search, which not every kind of folder has. */
async function filesAt({ filename, absPath }: FramePlace): Promise<readonly vscode.Uri[]> {
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
    // Not there: the program ran elsewhere.
    return false;
  }
}

async function filesNamed(name: string): Promise<readonly vscode.Uri[]> {
  // What a pattern would read otherwise (vscode.GlobPattern).
  const escaped = name.replace(/[*?{}[\]]/g, '[$&]');
  try {
    const found = await vscode.workspace.findFiles(`**/${escaped}`, '**/node_modules/**', MAX_FILES);
    return found.filter((file) => vscode.workspace.getWorkspaceFolder(file) !== undefined);
  } catch {
    // A folder that cannot be searched still has the files at the places that frames name.
    return [];
  }
}
