import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import { settings } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { settingOf } from '../support/settings.ts';

/** State on which it depends whether lines of editors are marked. */
export interface MarkSubject {
  readonly connection: Connection;
  readonly project: CurrentProject;
}

export function showsGutterIcons(): boolean {
  return settingOf<boolean>(settings.errorMarksGutter) ?? true;
}

export function showsLineTexts(): boolean {
  return settingOf<boolean>(settings.errorMarksText) ?? true;
}

export function showsBadges(): boolean {
  return settingOf<boolean>(settings.errorMarksExplorer) ?? true;
}

export function showsLenses(): boolean {
  return settingOf<boolean>(settings.errorMarksCodeLens) === true;
}

/** Returns true if at least one setting shows the lines or files of errors. */
export function showsAnything(): boolean {
  return showsGutterIcons() || showsLineTexts() || showsBadges() || showsLenses();
}

/** Returns the visible editors of files in the open folders. */
export function markableEditors(): readonly vscode.TextEditor[] {
  return vscode.window.visibleTextEditors.filter(
    ({ document }) => vscode.workspace.getWorkspaceFolder(document.uri) !== undefined,
  );
}

/** Returns true if there is an editor to mark, an account that can read errors, and a setting that shows the marks. */
export function areMarksNeeded({ connection }: Pick<MarkSubject, 'connection'>): boolean {
  return connection.usable().length > 0 && showsAnything() && markableEditors().length > 0;
}

/** Calls `changed` when `areMarksNeeded` may return another value. */
export function followNeed({ connection, project }: MarkSubject, changed: () => void): vscode.Disposable {
  return vscode.Disposable.from(
    connection.onDidChangeAccounts(changed),
    project.onDidChange(changed),
    vscode.window.onDidChangeVisibleTextEditors(changed),
    vscode.workspace.onDidChangeWorkspaceFolders(changed),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (
        change.affectsConfiguration(settings.errorMarksGutter) ||
        change.affectsConfiguration(settings.errorMarksText) ||
        change.affectsConfiguration(settings.errorMarksExplorer) ||
        change.affectsConfiguration(settings.errorMarksCodeLens)
      )
        changed();
    }),
  );
}

/** Calls `load` once, when marks are needed for the first time. */
export function loadWhenNeeded(subject: MarkSubject, load: () => void): vscode.Disposable {
  const following = followNeed(subject, check);
  function check(): void {
    if (!areMarksNeeded(subject)) return;
    following.dispose();
    load();
  }
  check();
  return following;
}
