import * as vscode from 'vscode';
import { decodedPath } from '../contract/decodedPath.ts';
import { absolutePath, type FrameLocation } from './frames.ts';

/**
 * Returns the file of a frame on the disk of the extension host, whether or not it is in an open folder. Only looks whether it exists: it
 * must not be opened before the user has agreed, because the path comes from whoever sent the event.
 */
export async function fileOnDisk({ filename, absPath }: FrameLocation): Promise<vscode.Uri | undefined> {
  if (vscode.workspace.fs.isWritableFileSystem('file') === undefined) return undefined;
  const paths = [absPath, filename].flatMap((path) => [path ?? '', decodedPath(path ?? '')]);
  for (const path of new Set(paths)) {
    const absolute = absolutePath(path, process.platform === 'win32');
    if (absolute === undefined) continue;
    const file = vscode.Uri.file(absolute);
    try {
      if (((await vscode.workspace.fs.stat(file)).type & vscode.FileType.File) !== 0) return file;
    } catch {
      // Missing: the program ran elsewhere.
    }
  }
  return undefined;
}
