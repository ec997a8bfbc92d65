// Decorations of editors, which VS Code's API only sets: what the extension sets is recorded on its way to VS Code.
import * as vscode from 'vscode';

/** Ranges that the extension has set for one decoration type in an editor. */
export interface SetDecorations {
  /** Appearance of the type. */
  readonly type: vscode.DecorationRenderOptions;
  readonly options: readonly (vscode.DecorationOptions & {
    /** Text of the first line of the range when it was set. VS Code moves decorations with the text. */
    readonly code: string;
  })[];
}

type Recorded = Map<vscode.TextEditorDecorationType, SetDecorations>;

const types = new WeakMap<vscode.TextEditorDecorationType, vscode.DecorationRenderOptions>();
const recorded = new WeakMap<vscode.TextEditor, Recorded>();
const observed = new WeakMap<vscode.TextEditor, vscode.TextEditor>();

const { window } = vscode;
const originalTypes = window.createTextEditorDecorationType;
const originalRanges = window.onDidChangeTextEditorVisibleRanges;
const visibleEditors = Object.getOwnPropertyDescriptor(window, 'visibleTextEditors')?.get;

function realEditors(): readonly vscode.TextEditor[] {
  return visibleEditors === undefined ? [] : (Reflect.apply(visibleEditors, window, []) as readonly vscode.TextEditor[]);
}

/** Replaces what sets decorations of visible editors. */
export function replaceDecorations(): void {
  Object.assign(window, {
    createTextEditorDecorationType: (options: vscode.DecorationRenderOptions) => {
      const type = originalTypes(options);
      types.set(type, options);
      return type;
    },
  });
  Object.defineProperty(window, 'visibleTextEditors', { configurable: true, get: () => realEditors().map(observedEditor) });
  const onDidChangeRanges: typeof originalRanges = (listener, ...rest) =>
    originalRanges((event) => listener({ ...event, textEditor: observedEditor(event.textEditor) }), ...rest);
  Object.defineProperty(window, 'onDidChangeTextEditorVisibleRanges', { configurable: true, value: onDidChangeRanges });
}

/** Returns an editor that records decorations. It is always the same object for an editor. */
function observedEditor(editor: vscode.TextEditor): vscode.TextEditor {
  const known = observed.get(editor);
  if (known !== undefined) return known;
  const setDecorations = (
    type: vscode.TextEditorDecorationType,
    ranges: readonly vscode.Range[] | readonly vscode.DecorationOptions[],
  ): void => {
    editor.setDecorations(type, ranges);
    const options = ranges.map((one) => ({ ...('range' in one ? one : { range: one }) }));
    const all: Recorded = recorded.get(editor) ?? new Map();
    recorded.set(editor, all);
    all.set(type, {
      type: types.get(type) ?? {},
      options: options.map((one) => ({ ...one, code: editor.document.lineAt(one.range.start.line).text })),
    });
  };
  const wrapper: vscode.TextEditor = Object.create(editor, { setDecorations: { value: setDecorations } });
  observed.set(editor, wrapper);
  return wrapper;
}

/** Returns the decorations of the visible editors of a document, as they were set last. */
export function decorationsOf(document: vscode.TextDocument): readonly SetDecorations[] {
  return realEditors()
    .filter((editor) => editor.document === document)
    .flatMap((editor) => [...(recorded.get(editor)?.values() ?? [])]);
}
