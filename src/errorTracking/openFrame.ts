import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TrackedFrame } from '../contract/trackedErrors.ts';
import { filesOfFrame } from '../workspace/frameFiles.ts';
import { MAX_CANDIDATES } from '../workspace/frames.ts';
import { fileOnDisk } from '../workspace/outsideFiles.ts';
import type { ErrorFrame, FrameDocuments } from './frameDocuments.ts';
import { hasCode } from './frameText.ts';

/**
 * Opens the line of a frame in the best matching file of the open folders; asks if several files match equally well. Otherwise offers to
 * open the file where it is on the disk, and shows the code that the event contains if it is not there.
 */
export async function openFrame(documents: FrameDocuments, opened: ErrorFrame): Promise<void> {
  const { frame } = opened;
  const location = { filename: frame.filename, absPath: frame.abs_path };
  const files = await filesOfFrame(location);
  const [first, ...others] = files.slice(0, MAX_CANDIDATES);
  if (first !== undefined) {
    const file = others.length === 0 ? first : await pickFile([first, ...others]);
    if (file !== undefined) await showLine(file, frame);
    return;
  }
  const outside = await fileOnDisk(location);
  if (outside !== undefined) await offerOutside(documents, opened, outside);
  else if (hasCode(frame)) await documents.open(opened);
  else await tellMissing(frame.filename ?? frame.abs_path ?? frame.module ?? '');
}

async function showLine(file: vscode.Uri, frame: TrackedFrame): Promise<void> {
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

/** The path comes from the sender of the event, so nothing outside of the open folders is opened without a question. */
async function offerOutside(documents: FrameDocuments, opened: ErrorFrame, file: vscode.Uri): Promise<void> {
  const [open, show, folder] = [l10n.t('Open File'), l10n.t('Show Reported Code'), l10n.t('Add Folder to Workspace…')];
  const choice = await vscode.window.showInformationMessage(
    l10n.t('{0} is outside the open folders.', file.fsPath),
    ...[open, ...(hasCode(opened.frame) ? [show] : []), folder],
  );
  if (choice === open) await showLine(file, opened.frame);
  if (choice === show) await documents.open(opened);
  if (choice === folder) await addFolder();
}

async function tellMissing(path: string): Promise<void> {
  const folder = l10n.t('Add Folder to Workspace…');
  const text =
    path === '' ? l10n.t('This stack frame has no file name.') : l10n.t('No file in the open folders matches {0}.', path);
  const choice = await vscode.window.showInformationMessage(text, ...(path === '' ? [] : [folder]));
  if (choice === folder) await addFolder();
}

async function addFolder(): Promise<void> {
  await vscode.commands.executeCommand('workbench.action.addRootFolder');
}
