import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DOCUMENT_SCHEME } from '../activity/documentAddress.ts';
import type { Documents } from '../activity/documents.ts';
import type { TrackedError, TrackedFrame } from '../contract/trackedErrors.ts';
import type { EventRelease } from '../errorCode/releaseCommits.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { sleep } from '../support/sleep.ts';
import { pathParts } from '../workspace/frames.ts';
import { FAILED_LINE, frameText } from './frameText.ts';
import { titleOf } from './rows.ts';
import type { ErrorProject, ProjectAddress } from './source.ts';
import { createErrorSources, createResourceChoice } from './sources.ts';

/** Frame of an error of a project. */
export interface ErrorFrame {
  readonly project: ErrorProject;
  readonly error: TrackedError;
  readonly frame: TrackedFrame;
  /** Release of its event, null if the event names none; undefined if it was not loaded. */
  readonly release?: EventRelease | null;
}

/** Read-only documents with the code of stack frames, for files that are not on this machine. */
export interface FrameDocuments extends vscode.Disposable {
  readonly open: (opened: ErrorFrame) => Promise<void>;
}

/** Kind of the documents. */
const KIND = 'stackFrame';

/** Maximum number of opened frames to remember. The code of earlier ones is requested again. */
const MAX_REMEMBERED = 50;

export function createFrameDocuments(documents: Documents, bound: (account: string) => BoundAccount): FrameDocuments {
  const sourcesOf = createErrorSources(createResourceChoice(), sleep);
  /** Texts of frames opened in this window, because a newer event can have another stack. */
  const texts = new Map<string, string>();
  const failed = vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new vscode.ThemeColor('editor.stackFrameHighlightBackground'),
    overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.errorForeground'),
  });

  documents.add(KIND, async (account, parameters) => {
    const known = texts.get(keyOf(parameters));
    if (known !== undefined) return { text: known };
    const [project, error] = [projectOf(parameters), parameters.get('error') ?? ''];
    const frames = await sourcesOf(account.client(), project).frames(error);
    const frame = frames.find((one) => frameKeys.every((key) => String(one[key] ?? '') === parameters.get(key)));
    if (frame === undefined)
      return { text: l10n.t('The latest event of this error does not contain this stack frame any more.') };
    return { text: frameText(frame, parameters.get('title') ?? '') };
  });

  function paint(editor: vscode.TextEditor | undefined): void {
    if (editor === undefined || !isOfFrame(editor.document.uri)) return;
    const { document } = editor;
    // The text has the line numbers of the frame.
    editor.options = { lineNumbers: vscode.TextEditorLineNumbersStyle.Off };
    const lines = Array.from({ length: document.lineCount }, (_, index) => document.lineAt(index));
    editor.setDecorations(
      failed,
      lines.filter(({ text }) => FAILED_LINE.test(text)).map(({ range }) => range),
    );
  }

  const subscriptions = [
    failed,
    vscode.window.onDidChangeVisibleTextEditors((editors) => editors.forEach(paint)),
    vscode.workspace.onDidChangeTextDocument(({ document }) =>
      paint(vscode.window.visibleTextEditors.find((editor) => editor.document === document)),
    ),
    vscode.languages.registerCodeLensProvider(
      { scheme: DOCUMENT_SCHEME },
      { provideCodeLenses: ({ uri }) => (isOfFrame(uri) ? [addFolderLens()] : []) },
    ),
  ];
  return {
    open: async (opened) => {
      const { frame, error } = opened;
      const parameters = parametersOf(opened);
      const account = bound(opened.project.account);
      const key = keyOf(new URLSearchParams({ ...parameters, account: account.key }));
      texts.delete(key);
      texts.set(key, frameText(frame, titleOf(error)));
      const [oldest] = texts.keys();
      if (texts.size > MAX_REMEMBERED && oldest !== undefined) texts.delete(oldest);
      const file = pathParts(frame.filename ?? frame.abs_path ?? '').at(-1) ?? frame.module ?? error.title;
      await documents.openOther({ kind: KIND, title: frame.line === null ? file : `${file} ${frame.line}`, parameters }, account);
    },
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

/** Members that identify a frame in the stack of its error. */
const frameKeys = ['filename', 'abs_path', 'function', 'line'] as const;

function parametersOf({ project, error, frame }: ErrorFrame): Readonly<Record<string, string>> {
  const location = Object.fromEntries(frameKeys.map((key) => [key, String(frame[key] ?? '')]));
  const isPath = typeof project.id === 'string';
  return {
    ...(isPath ? {} : { project: String(project.id) }),
    path: project.path,
    error: error.id,
    title: titleOf(error),
    ...location,
  };
}

function projectOf(parameters: URLSearchParams): ProjectAddress {
  const [number, path] = [Number(parameters.get('project') ?? ''), parameters.get('path') ?? ''];
  return { id: Number.isSafeInteger(number) && number > 0 ? number : path, path };
}

function keyOf(parameters: URLSearchParams): string {
  return JSON.stringify(['account', 'path', 'error', ...frameKeys].map((name) => parameters.get(name)));
}

function isOfFrame({ scheme, query }: vscode.Uri): boolean {
  return scheme === DOCUMENT_SCHEME && new URLSearchParams(query).get('kind') === KIND;
}

/** The file may be in a folder that is not open. */
function addFolderLens(): vscode.CodeLens {
  const title = l10n.t('Add Folder to Workspace…');
  return new vscode.CodeLens(new vscode.Range(0, 0, 0, 0), { command: 'workbench.action.addRootFolder', title });
}
