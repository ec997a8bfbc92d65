import * as vscode from 'vscode';
import { bestCandidates, type FramePlace, pathParts } from './frames.ts';

/** Files of one name that are looked at; no program has more of its own. */
const MOST_FILES = 500;

/** Files of the open folders that a frame may be of, the likeliest ones; none outside of them. */
export async function filesOfFrame(place: FramePlace): Promise<readonly vscode.Uri[]> {
  const names = [place.filename, place.absPath].map((path) => pathParts(path ?? '').at(-1)).filter((name) => name !== undefined);
  const exact = await fileAt(place.absPath ?? '');
  if (exact !== undefined) return [exact];
  const found = (await Promise.all([...new Set(names)].map(filesNamed))).flat();
  const unique = [...new Map(found.map((file) => [file.toString(), file])).values()];
  const ignoresCase = process.platform === 'win32' || process.platform === 'darwin';
  return bestCandidates(
    place,
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
  try {
    return (await vscode.workspace.fs.stat(file)).type === vscode.FileType.Directory ? undefined : file;
  } catch {
    // Not there: the program ran elsewhere.
    return undefined;
  }
}

async function filesNamed(name: string): Promise<readonly vscode.Uri[]> {
  // What a pattern would read otherwise (vscode.GlobPattern).
  const escaped = name.replace(/[*?{}[\]]/g, '[$&]');
  const found = await vscode.workspace.findFiles(`**/${escaped}`, '**/node_modules/**', MOST_FILES);
  return found.filter((file) => vscode.workspace.getWorkspaceFolder(file) !== undefined);
}
