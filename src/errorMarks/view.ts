import * as vscode from 'vscode';
import type { ErrorCode } from '../errorCode/code.ts';
import { createDetailSource } from '../errorPanel/detailSource.ts';
import type { ErrorList } from '../errorTracking/model.ts';
import { createResourceChoice } from '../errorTracking/sources.ts';
import type { TrackedErrors } from '../errorTracking/view.ts';
import { contextKeys } from '../ids.ts';
import { clientOfAccount } from '../instances/clientOfAccount.ts';
import { accountKeyOf } from '../instances/currentAccount.ts';
import type { Log } from '../support/log.ts';
import { coalesced } from '../ui/coalesced.ts';
import { delayed } from '../ui/delayed.ts';
import { setContext } from '../ui/setContext.ts';
import { createBadges } from './badges.ts';
import { createDecorations } from './decorations.ts';
import { createErrorDetails, type ErrorDetailsSettings, errorsToMark } from './details.ts';
import { createFrameSearch } from './documentFrames.ts';
import { createLenses } from './lenses.ts';
import { createDocumentMarks, type DocumentMarks, lineAfter, type Mark } from './marks.ts';
import { areMarksNeeded, followNeed, markableEditors, type MarkSubject, showsAnything } from './needed.ts';
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
/** Interval in which the ages in the texts are renewed, in milliseconds. */
const REPAINT_INTERVAL = 60_000;
/** Time after an edit in which further edits are waited for, in milliseconds. */
const PAINT_DELAY = 200;

export function createMarks(settings: ErrorMarkSettings): ErrorMarks {
  const { connection, project, log } = settings;
  const { list } = settings.trackedErrors;
  const decorations = createDecorations(settings.extensionUri);
  const loadList = createListLoad(list);
  const documents = new Map<vscode.TextDocument, DocumentMarks>();
  let subject: string | undefined;
  let updates = 0;
  const details = createErrorDetails({
    load: createDetailLoad(settings),
    changed: () => update(),
    warn: (failure) => log.warn(`error marks: ${failure instanceof Error ? failure.message : String(failure)}`),
  });

  const badges = createBadges({ code: settings.code, project, details });
  const lenses = createLenses(marksOf);
  const framesIn = createFrameSearch({ code: settings.code, project, details });
  const update = coalesced(() => void updateAll());

  async function updateAll(): Promise<void> {
    updates += 1;
    const current = updates;
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
      paintAll();
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
      else update();
    }
    paintAll();
    await badges.show(errors);
  }

  function marksOf(document: vscode.TextDocument | undefined): readonly Mark[] {
    return (document && documents.get(document)?.get()) ?? [];
  }

  function paintAll(): void {
    const shown = new Map(vscode.window.visibleTextEditors.map(({ document }) => [document, marksOf(document)]));
    for (const [document, marks] of shown) paint(document, marks);
    paintContext();
    lenses.refresh();
  }

  function paint(document: vscode.TextDocument, marks: readonly Mark[]): void {
    const state = list.state();
    const canChange = state.kind === 'ready' && state.abilities.changesStatus;
    for (const editor of vscode.window.visibleTextEditors)
      if (editor.document === document) decorations.show(editor, marks, canChange);
  }

  function paintContext(): void {
    setContext(contextKeys.errorMarksAreInEditor, marksOf(vscode.window.activeTextEditor?.document).length > 0);
  }

  /** VS Code itself moves what is painted. Painting again at once would delay typing. */
  const paintSoon = delayed(paintAll, PAINT_DELAY);
  const timer = setInterval(paintAll, REPAINT_INTERVAL);
  const subscriptions = [
    followNeed(settings, update),
    list.onDidChange(update),
    settings.code.onDidChange(update),
    vscode.window.onDidChangeActiveTextEditor(paintContext),
    vscode.window.onDidChangeWindowState(update),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const marks = documents.get(document);
      if (marks === undefined || contentChanges.length === 0) return;
      if (!document.isDirty) {
        // Another version was checked out, or another program has written the file.
        marks.forget();
        update();
      } else if (marks.edit(contentChanges.map(editOf), linesOf(document))) paintSoon();
    }),
    vscode.workspace.onDidCloseTextDocument((document) => documents.delete(document)),
    decorations,
    badges,
    lenses,
    paintSoon,
  ];
  update();
  return {
    goTo: (direction) => {
      const editor = vscode.window.activeTextEditor;
      const line = editor && lineAfter(marksOf(editor.document), editor.selection.active.line, direction);
      if (editor !== undefined && line !== undefined) moveCursor(editor, line);
    },
    dispose: () => {
      clearInterval(timer);
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

/** Returns a function that requests an error of the current project. */
function createDetailLoad({ connection, project }: MarkSubject): ErrorDetailsSettings['load'] {
  const choice = createResourceChoice();
  return async (errorId, signal) => {
    const [account, current] = [accountKeyOf(connection.state()), project.get()];
    if (account === undefined || current === undefined) throw new vscode.CancellationError();
    const of = { id: current.id ?? current.path, path: current.path };
    const source = createDetailSource(() => clientOfAccount(connection, account), of, errorId, choice);
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
