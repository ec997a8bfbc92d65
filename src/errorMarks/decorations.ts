import * as vscode from 'vscode';
import type { ErrorProject } from '../errorTracking/source.ts';
import type { Mark } from './marks.ts';
import { showsGutterIcons, showsLineTexts } from './needed.ts';
import { hoverText, lineText } from './texts.ts';
import { commands } from '../ids.ts';

/** Shows marks in editors. */
export interface Decorations extends vscode.Disposable {
  /** `canChange` returns true if the instance can change the status of the errors of a project. */
  readonly show: (editor: vscode.TextEditor, marks: readonly Mark[], canChange: (project: ErrorProject) => boolean) => void;
}

/** Commands that links of a hover may run. */
const LINKED: readonly string[] = [
  commands.errorTrackingShow,
  commands.errorTrackingResolve,
  commands.errorTrackingIgnore,
  commands.errorTrackingAssign,
  commands.errorTrackingMerge,
  commands.errorTrackingCreateIssue,
  commands.errorTrackingOpenIssue,
  commands.errorReplayStart,
  commands.errorTrackingOpenInBrowser,
];

export function createDecorations(extensionUri: vscode.Uri): Decorations {
  const icon = (theme: string): vscode.ThemableDecorationRenderOptions => ({
    gutterIconPath: vscode.Uri.joinPath(extensionUri, 'media/icons', `error-mark-${theme}.svg`),
    gutterIconSize: 'contain',
  });
  // Text that is typed at the edges of the code does not extend the range, so that the decoration stays in its line.
  const rangeBehavior = vscode.DecorationRangeBehavior.ClosedClosed;
  const gutter = vscode.window.createTextEditorDecorationType({ light: icon('light'), dark: icon('dark'), rangeBehavior });
  const text = vscode.window.createTextEditorDecorationType({
    rangeBehavior,
    after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3ch' },
  });
  const shown = new WeakMap<vscode.TextEditor, string>();
  return {
    show: (editor, marks, canChange) => {
      const settings = { now: Date.now(), locale: vscode.env.language };
      const [hasIcons, hasTexts] = [showsGutterIcons(), showsLineTexts()];
      const options = marks.map(({ line, errors }) => ({
        range: codeOf(editor.document, line),
        hoverMessage: trusted(hoverText(errors, canChange, settings)),
        renderOptions: { after: { contentText: lineText(errors, settings) } },
      }));
      // Setting the same decorations again would close an open hover.
      const key = JSON.stringify([editor.document.version, hasIcons, hasTexts, options]);
      if (shown.get(editor) === key) return;
      shown.set(editor, key);
      // Only one of both has the hover, which VS Code would otherwise show twice.
      editor.setDecorations(text, hasTexts ? options : []);
      const icons = options.map(({ range, hoverMessage }) => (hasTexts ? { range } : { range, hoverMessage }));
      editor.setDecorations(gutter, hasIcons ? icons : []);
    },
    dispose: () => {
      gutter.dispose();
      text.dispose();
    },
  };
}

function codeOf(document: vscode.TextDocument, line: number): vscode.Range {
  const { range, firstNonWhitespaceCharacterIndex: start } = document.lineAt(Math.min(line, document.lineCount - 1));
  return range.with(range.start.with({ character: start }));
}

function trusted(text: string): vscode.MarkdownString {
  const hover = new vscode.MarkdownString(text);
  hover.isTrusted = { enabledCommands: LINKED };
  return hover;
}
