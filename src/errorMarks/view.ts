import * as vscode from 'vscode';
import type { ErrorCode } from '../errorCode/code.ts';
import { createDetailSource } from '../errorPanel/detailSource.ts';
import type { ErrorList } from '../errorTracking/model.ts';
import { createResourceChoice } from '../errorTracking/sources.ts';
import type { TrackedErrors } from '../errorTracking/view.ts';
import { accountKeyOf } from '../instances/currentAccount.ts';
import type { Log } from '../support/log.ts';
import { coalesced } from '../ui/coalesced.ts';
import { delayed } from '../ui/delayed.ts';
import { createBadges } from './badges.ts';
import { createErrorDetails, type ErrorDetailsSettings, errorsToMark } from './details.ts';
import { createFrameSearch } from './documentFrames.ts';
import { createDocumentMarks, type DocumentMarks, lineAfter, type Mark } from './marks.ts';
import { areMarksNeeded, followNeed, markableEditors, type MarkSubject, showsAnything } from './needed.ts';
import { createPainter } from './painter.ts';
import type { Edit, Lines } from '../errorCode/place.ts';

export interface ErrorMarkSettings extends MarkSubject {
  readonly extensionUri: vscode.Uri;
  readonly trackedErrors: TrackedErrors;
  readonly code: ErrorCode;
  readonly log: Log;
}

/** Marks in all visible editors. */
export interface ErrorMarks extends vscode.Disposable {
  /** Moves the cursor to another marked line of the active editor. */
  readonly goTo: (direction: 'next' | 'previous') => void;
}

/** Age after which the list of errors is loaded again when the user turns to an editor, in milliseconds. */
const MAX_AGE = 300_000;
/** Time after an edit in which further edits are waited for, in milliseconds. */
const PAUSE = 200;

export function createMarks(settings: ErrorMarkSettings): ErrorMarks {
  const { connection, project, log } = settings;
  const { list } = settings.trackedErrors;
  const loadList = createListLoad(list);
  const documents = new Map<vscode.TextDocument, DocumentMarks>();
  let subject: string | undefined;
  let updates = 0;
  /** True if the user has edited a document while its frames were searched. */
  let isOutdated = false;
  const details = createErrorDetails({
    load: createDetailLoad(settings),
    changed: () => update(),
    warn: (failure) => log.warn(`error marks: ${failure instanceof Error ? failure.message : String(failure)}`),
  });

  const badges = createBadges({ code: settings.code, project, details });
  const painter = createPainter({
    ...{ extensionUri: settings.extensionUri, marksOf },
    canChangeErrors: () => {
      const state = list.state();
      return state.kind === 'ready' && state.abilities.changesStatus;
    },
  });
  const framesIn = createFrameSearch({
    ...{ code: settings.code, details },
    project: () => settings.trackedErrors.shown()[0]?.project,
  });
  const update = coalesced(() => void updateAll());
  // VS Code itself moves what is painted. Painting or searching while the user types would delay typing.
  const afterPause = delayed(() => (isOutdated ? update() : painter.paint()), PAUSE);
  let wasFocused = vscode.window.state.focused;

  async function updateAll(): Promise<void> {
    updates += 1;
    const current = updates;
    isOutdated = false;
    const isNeeded = areMarksNeeded(settings);
    const key = JSON.stringify([accountKeyOf(connection.state()), project.get()?.path]);
    if (key !== subject) {
      subject = key;
      details.clear();
      documents.clear();
      void badges.show([]);
    }
    if (!isNeeded) {
      details.pause();
      if (!showsAnything()) {
        documents.clear();
        void badges.show([]);
      }
      painter.paint();
      return;
    }
    loadList();
    const state = list.state();
    const errors = state.kind === 'ready' && !state.isDisabled ? errorsToMark(state.errors) : [];
    if (state.kind === 'ready') details.want(errors, state.at);
    const edited = [...new Set(markableEditors().map(({ document }) => document))];
    const frames = await Promise.all(edited.map(async (document) => ({ document, ...(await framesIn(document, errors)) })));
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

  function marksOf(document: vscode.TextDocument | undefined): readonly Mark[] {
    return (document && documents.get(document)?.get()) ?? [];
  }

  const subscriptions = [
    followNeed(settings, update),
    list.onDidChange(update),
    settings.code.onDidChange(update),
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
  ];
  update();
  return {
    goTo: (direction) => {
      const editor = vscode.window.activeTextEditor;
      const line = editor && lineAfter(marksOf(editor.document), editor.selection.active.line, direction);
      if (editor !== undefined && line !== undefined) moveCursor(editor, line);
    },
    dispose: () => {
      details.clear();
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** Returns a function that loads the list if it was not loaded for the current project yet, or long ago. Failures are not shown. */
function createListLoad(list: ErrorList): () => void {
  let asked: { readonly key: string | undefined; readonly at: number } = { key: undefined, at: 0 };
  return () => {
    const key = list.sourceKey();
    const isOld = asked.key !== key || (Date.now() - asked.at > MAX_AGE && vscode.window.state.focused);
    if (key === undefined || !isOld) return;
    asked = { key, at: Date.now() };
    const state = list.state();
    if (state.kind !== 'ready' || Date.now() - state.at > MAX_AGE) void list.refresh();
  };
}

/** Returns a function that requests an error of the first project of the view. */
function createDetailLoad({ connection, trackedErrors }: ErrorMarkSettings): ErrorDetailsSettings['load'] {
  const choice = createResourceChoice();
  return async (errorId, signal) => {
    const project = trackedErrors.shown()[0]?.project;
    if (project === undefined || project.account === '') throw new vscode.CancellationError();
    const source = createDetailSource(connection.bound(project.account).client, project, errorId, choice);
    return (await source.detail(signal)).detail;
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
