import * as vscode from 'vscode';
import type { ErrorCode } from '../errorCode/code.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import type { TrackedErrors } from '../errorTracking/view.ts';
import type { ErrorChange } from '../stream/errorChanges.ts';
import type { Log } from '../support/log.ts';
import { coalesced } from '../ui/coalesced.ts';
import { delayed } from '../ui/delayed.ts';
import type { WorkspaceProjects } from '../workspaceProjects/workspaceProjects.ts';
import { createBadges } from './badges.ts';
import { framesIn } from './documentFrames.ts';
import { createMarkedProjects } from './markedProjects.ts';
import { createDocumentMarks, type DocumentMarks, lineAfter, type Mark } from './marks.ts';
import { areMarksNeeded, followNeed, markableEditors, type MarkSubject, showsAnything } from './needed.ts';
import { createPainter } from './painter.ts';
import type { Edit, Lines } from '../errorCode/place.ts';

export interface ErrorMarkSettings extends MarkSubject {
  readonly extensionUri: vscode.Uri;
  readonly trackedErrors: TrackedErrors;
  readonly code: ErrorCode;
  /** Projects to which the open folders belong. */
  readonly projects: WorkspaceProjects;
  /** Fires when errors may have occurred or changed. */
  readonly onDidHappen: vscode.Event<readonly ErrorChange[]>;
  readonly log: Log;
}

/** Marks in all visible editors. */
export interface ErrorMarks extends vscode.Disposable {
  /** Moves the cursor to another marked line of the active editor. */
  readonly goTo: (direction: 'next' | 'previous') => void;
}

/** Time after an edit in which further edits are waited for, in milliseconds. */
const PAUSE = 200;

export function createMarks(settings: ErrorMarkSettings): ErrorMarks {
  const { connection, code, projects, trackedErrors, log } = settings;
  const documents = new Map<vscode.TextDocument, DocumentMarks>();
  let updates = 0;
  /** True if the user has edited a document while its frames were searched. */
  let isOutdated = false;
  const marked = createMarkedProjects({
    ...{ connection, trackedErrors },
    changed: () => update(),
    warn: (failure) => log.warn(`error marks: ${failure instanceof Error ? failure.message : String(failure)}`),
  });

  const badges = createBadges(code);
  const painter = createPainter({ extensionUri: settings.extensionUri, marksOf, canChange: trackedErrors.canChange });
  const update = coalesced(() => void updateAll());
  // VS Code itself moves what is painted. Painting or searching while the user types would delay typing.
  const afterPause = delayed(() => (isOutdated ? update() : painter.paint()), PAUSE);
  let wasFocused = vscode.window.state.focused;

  async function updateAll(): Promise<void> {
    updates += 1;
    const current = updates;
    isOutdated = false;
    const edited = areMarksNeeded(settings) ? [...new Set(markableEditors().map(({ document }) => document))] : [];
    const files = edited.map(({ uri }) => uri);
    // Files are marked when it is known to which projects their folders belong.
    if (!projects.want(files)) return;
    const all = projectsToMark();
    const visible = files.map(projects.rootOf);
    marked.update(all, (project) => {
      const roots = projects.rootsOf(project);
      return files.length > 0 && (roots.length === 0 || visible.some((root) => root !== undefined && roots.includes(root)));
    });
    if (all.length === 0 || !showsAnything()) {
      documents.clear();
      void badges.show([]);
    }
    const errors = marked.errors();
    const frames = await Promise.all(edited.map(async (document) => ({ document, ...(await framesIn(code, document, errors)) })));
    if (current !== updates) return;
    for (const { document, version, found } of frames) {
      const marks = documents.get(document) ?? createDocumentMarks();
      documents.set(document, marks);
      // Lines that were found before an edit are not those after it.
      if (document.version === version) marks.setFrames(found, linesOf(document));
      else isOutdated = true;
    }
    painter.paint();
    if (isOutdated) afterPause();
    await badges.show(errors);
  }

  /** Returns the selected project, and those that the open folders belong to. */
  function projectsToMark(): readonly ErrorProject[] {
    const selected = connection.state().kind === 'signedIn' ? trackedErrors.shown()[0]?.project : undefined;
    if (selected === undefined) return projects.all();
    return [selected, ...projects.all().filter((one) => !projects.isSame(one, selected))];
  }

  function marksOf(document: vscode.TextDocument | undefined): readonly Mark[] {
    return (document && documents.get(document)?.get()) ?? [];
  }

  const subscriptions = [
    followNeed(settings, update),
    projects.onDidChange(update),
    code.onDidChange(update),
    settings.onDidHappen(marked.refresh),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused && !wasFocused) update();
      wasFocused = focused;
    }),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const marks = documents.get(document);
      if (marks === undefined || contentChanges.length === 0) return;
      if (!document.isDirty) {
        // Another version was checked out, or another program has written the file.
        marks.forget();
        update();
      } else if (marks.edit(contentChanges.map(editOf), linesOf(document)) || isOutdated) afterPause();
    }),
    vscode.workspace.onDidCloseTextDocument((document) => documents.delete(document)),
    afterPause,
    badges,
    painter,
    marked,
  ];
  update();
  return {
    goTo: (direction) => {
      const editor = vscode.window.activeTextEditor;
      const line = editor && lineAfter(marksOf(editor.document), editor.selection.active.line, direction);
      if (editor !== undefined && line !== undefined) moveCursor(editor, line);
    },
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function moveCursor(editor: vscode.TextEditor, line: number): void {
  const position = new vscode.Position(line, editor.document.lineAt(line).firstNonWhitespaceCharacterIndex);
  editor.selection = new vscode.Selection(position, position);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

function linesOf(document: vscode.TextDocument): Lines {
  return { lineCount: document.lineCount, textOf: (line) => document.lineAt(line).text };
}

function editOf({ range: { start, end }, text }: vscode.TextDocumentContentChangeEvent): Edit {
  return {
    ...{ startLine: start.line, startCharacter: start.character },
    ...{ endLine: end.line, endCharacter: end.character, text },
  };
}
