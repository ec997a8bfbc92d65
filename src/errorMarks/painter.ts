import * as vscode from 'vscode';
import { contextKeys } from '../ids.ts';
import { setContext } from '../ui/setContext.ts';
import { createDecorations } from './decorations.ts';
import { createLenses } from './lenses.ts';
import { isInWindow, type LineWindow, windowAround } from './lineWindow.ts';
import type { ErrorProject } from '../errorTracking/source.ts';
import type { Mark } from './marks.ts';

export interface PainterSettings {
  readonly extensionUri: vscode.Uri;
  /** Returns the marks of a document from top to bottom. */
  readonly marksOf: (document: vscode.TextDocument | undefined) => readonly Mark[];
  /** Returns true if the instance can change the status of the errors of a project. */
  readonly canChange: (project: ErrorProject) => boolean;
}

/** Paints marks in the visible editors, near the lines that the user sees. */
export interface Painter extends vscode.Disposable {
  readonly paint: () => void;
}

/** Interval in which the ages in the texts are renewed, in milliseconds. */
const REPAINT_INTERVAL = 10_000;

export function createPainter({ extensionUri, marksOf, canChange }: PainterSettings): Painter {
  const decorations = createDecorations(extensionUri);
  const windows = new WeakMap<vscode.TextEditor, LineWindow>();
  const lenses = createLenses((document) => {
    const painted = vscode.window.visibleTextEditors.filter((editor) => editor.document === document).map(windowOf);
    return marksOf(document).filter(({ line }) => painted.some((window) => isInWindow(window, line)));
  });

  function paintEditor(editor: vscode.TextEditor): void {
    const window = windowOf(editor);
    windows.set(editor, window);
    const near = marksOf(editor.document).filter(({ line }) => isInWindow(window, line));
    decorations.show(editor, near, canChange);
  }

  function paintContext(): void {
    setContext(contextKeys.errorMarksAreInEditor, marksOf(vscode.window.activeTextEditor?.document).length > 0);
  }

  function paint(): void {
    for (const editor of vscode.window.visibleTextEditors) paintEditor(editor);
    paintContext();
    lenses.refresh();
  }

  const timer = setInterval(paint, REPAINT_INTERVAL);
  const subscriptions = [
    vscode.window.onDidChangeActiveTextEditor(paintContext),
    vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
      const [painted, needed] = [windows.get(textEditor), windowOf(textEditor)];
      if (painted?.first === needed.first && painted.end === needed.end) return;
      paintEditor(textEditor);
      lenses.refresh();
    }),
    decorations,
    lenses,
  ];
  return {
    paint,
    dispose: () => {
      clearInterval(timer);
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

function windowOf({ visibleRanges }: vscode.TextEditor): LineWindow {
  return windowAround(visibleRanges.map(({ start, end }) => ({ start: start.line, end: end.line })));
}
