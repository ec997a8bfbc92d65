import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { FrameFiles } from './files.ts';

/** Lets the user select folders that were chosen for stack frames, and forgets them. */
export async function forgetFolders(files: FrameFiles): Promise<void> {
  const items = files.learnt().map((folder) => ({
    folder,
    label: folder.from === '' ? l10n.t('Relative paths') : folder.from,
    description: `→ ${vscode.workspace.asRelativePath(folder.to, true)}`,
    detail: folder.project,
  }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(l10n.t('No folders were chosen for stack frames in this workspace.'));
    return;
  }
  const chosen = await vscode.window.showQuickPick(items, {
    title: l10n.t('Forget Folders of Stack Frames'),
    placeHolder: l10n.t('Select the folders to forget'),
    canPickMany: true,
    matchOnDescription: true,
    matchOnDetail: true,
  });
  if (chosen !== undefined && chosen.length > 0) await files.forgetLearnt(chosen.map(({ folder }) => folder));
}
