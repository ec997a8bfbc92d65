import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TrackedFrame } from '../contract/trackedErrors.ts';
import { filesOfFrame } from '../workspace/frameFiles.ts';
import { MAX_CANDIDATES } from '../workspace/frames.ts';

/** Opens the line of a frame in the best matching file of the open folders. Asks if several files match equally well. */
export async function openFrame(frame: TrackedFrame): Promise<void> {
  const files = await filesOfFrame({ filename: frame.filename, absPath: frame.abs_path });
  const [first, ...others] = files.slice(0, MAX_CANDIDATES);
  if (first === undefined) {
    await tellMissing(frame.filename ?? frame.abs_path ?? frame.module ?? '');
    return;
  }
  const file = others.length === 0 ? first : await pickFile([first, ...others]);
  if (file === undefined) return;
  const document = await vscode.workspace.openTextDocument(file);
  const location = new vscode.Position((frame.line ?? 1) - 1, (frame.column ?? 1) - 1);
  // The file may be shorter now than when the error occurred.
  const selection = document.validateRange(new vscode.Range(location, location));
  const editor = await vscode.window.showTextDocument(document, { selection });
  editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function pickFile(files: readonly vscode.Uri[]): Promise<vscode.Uri | undefined> {
  const items = files.map((file) => ({
    file,
    label: vscode.workspace.asRelativePath(file, true),
    iconPath: vscode.ThemeIcon.File,
  }));
  const placeHolder = l10n.t('Several files match. Select one');
  return (await vscode.window.showQuickPick(items, { title: l10n.t('Open Stack Frame'), placeHolder }))?.file;
}

async function tellMissing(path: string): Promise<void> {
  const folder = l10n.t('Open Folder…');
  const text =
    path === '' ? l10n.t('This stack frame has no file name.') : l10n.t('No file in the open folders matches {0}.', path);
  const hasFolders = (vscode.workspace.workspaceFolders ?? []).length > 0;
  const choice = await vscode.window.showInformationMessage(text, ...(hasFolders || path === '' ? [] : [folder]));
  if (choice === folder) await vscode.commands.executeCommand('workbench.action.files.openFolder');
}
