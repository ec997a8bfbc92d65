import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TrackedFrame } from '../contract/trackedErrors.ts';
import type { ErrorFrame, FrameDocuments } from '../errorTracking/frameDocuments.ts';
import { hasCode, locationOf } from '../errorTracking/frameText.ts';
import { MAX_CANDIDATES } from '../workspace/frames.ts';
import { fileOnDisk } from '../workspace/outsideFiles.ts';
import type { FileLine, FrameFiles } from './files.ts';
import type { ProjectFolder } from './learntFolders.ts';
import type { FramePlace } from './place.ts';

/** Time for which the status bar says why a line may be another one, in milliseconds. */
const NOTICE_TIME = 10_000;

/** Returns the place of the frame in one of the open folders' files. */
type PlaceInFile = (file: FileLine, opened: ErrorFrame) => Promise<FramePlace>;

export interface OpenFrameSettings {
  readonly documents: FrameDocuments;
  readonly files: FrameFiles;
  readonly placeIn: PlaceInFile;
}

/**
 * Opens the line of a frame in its file in the open folders; asks and remembers the choice if several files can be it. Otherwise offers to
 * open the file where it is on the disk, and shows the code that the event contains if it is not there.
 */
export async function openFrame({ documents, files, placeIn }: OpenFrameSettings, opened: ErrorFrame): Promise<void> {
  const { frame, project } = opened;
  const location = { filename: frame.filename, absPath: frame.abs_path, module: frame.module };
  const { line, column } = frame;
  const match = await files.locate(project, { location, line: line ?? 1, column });
  if (match.kind === 'file') {
    await showPlace(match.file, frame, await placeIn(match.file, opened));
    return;
  }
  const outside = await fileOnDisk(location);
  if (outside !== undefined) await offerOutside(documents, opened, outside);
  else if (match.kind === 'ambiguous') {
    const offered = match.files.slice(0, MAX_CANDIDATES).map(({ uri }) => uri);
    const chosen = await pickFile(offered, locationOf(frame));
    if (chosen === undefined) return;
    const learnt = await files.learn(project.path, location, chosen);
    const file = { uri: chosen, line: line ?? 1, isOriginal: false };
    if (learnt !== undefined) tellLearnt(learnt);
    await showPlace(file, frame, await placeIn(file, opened));
  } else if (hasCode(frame)) await documents.open(opened);
  else await tellMissing(frame.filename ?? frame.abs_path ?? frame.module ?? '');
}

/** Says what was remembered, so that somebody who chose a wrong file knows that it can be forgotten. */
function tellLearnt({ from, to }: ProjectFolder): void {
  const folder = vscode.workspace.asRelativePath(to, true);
  const text =
    from === ''
      ? l10n.t('Stack frames are searched in {0} from now on.', folder)
      : l10n.t('Stack frames of {0} are searched in {1} from now on.', from, folder);
  vscode.window.setStatusBarMessage(text, NOTICE_TIME);
}

async function showPlace({ uri, isOriginal }: FileLine, frame: TrackedFrame, { line, doubt }: FramePlace): Promise<void> {
  await showLine(uri, { line, column: isOriginal ? null : frame.column });
  if (doubt !== null) vscode.window.setStatusBarMessage(doubt, NOTICE_TIME);
}

async function showLine(file: vscode.Uri, frame: Pick<TrackedFrame, 'line' | 'column'>): Promise<void> {
  const document = await vscode.workspace.openTextDocument(file);
  const location = new vscode.Position((frame.line ?? 1) - 1, (frame.column ?? 1) - 1);
  // The file may be shorter now than when the error occurred.
  const selection = document.validateRange(new vscode.Range(location, location));
  const editor = await vscode.window.showTextDocument(document, { selection });
  editor.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

async function pickFile(files: readonly vscode.Uri[], frame: string): Promise<vscode.Uri | undefined> {
  const items = files.map((file) => ({
    file,
    label: vscode.workspace.asRelativePath(file, true),
    iconPath: vscode.ThemeIcon.File,
  }));
  const placeHolder =
    files.length === 1
      ? l10n.t('One file may be {0}. Select it if it is the right one', frame)
      : l10n.t('Several files match. Select one');
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
