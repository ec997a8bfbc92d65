// Projects with error tracking, and what editors show of errors, for suites inside the extension host.
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { FromPage, ReadyState, ToPage } from '../../../../src/errorPanel/protocol.ts';
import { until } from '../../until.ts';
import { decorationsOf } from './decorations.ts';
import { panelOf } from './panels.ts';
import { textOfMarkdown } from './texts.ts';
import { type Row, start, type View } from './trees.ts';
import { workbench } from './workbench.ts';

/** Selects a project of the current instance in the views. */
export async function selectProject(view: View, project: { readonly path: string; readonly name: string }): Promise<void> {
  const isShown = async (): Promise<boolean> => (await view.description()).split(' · ')[0] === project.path;
  if (await isShown()) return;
  await workbench.run('Signalbox: Select Project…');
  await workbench.choose(project.name);
  await until(isShown, (isDone) => isDone, `${project.path} shown`);
}

/** Selects a project without error tracking, enables that, and creates a client key. Returns its DSN. `view` is Tracked Errors. */
export async function trackErrorsOf(project: { readonly path: string; readonly name: string }, view: View): Promise<string> {
  await selectProject(view, project);
  await view.clickWelcomeButton('Enable Error Tracking');
  await workbench.clickToast('Error tracking enabled', 'Create Client Key');
  await workbench.setClipboard('');
  await workbench.clickToast(' created for ', 'Copy DSN');
  const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
  await workbench.clear();
  return dsn;
}

/** Returns the rows of errors. */
export function errorsOf(rows: readonly Row[]): readonly Row[] {
  return rows.filter(({ description }) => /\bevents · |\b1 event · /.test(description));
}

/** Waits until the cursor of the active editor is at this place, counted from 1, of a file of this name. */
export async function untilCursor(file: string, line: number, column: number): Promise<void> {
  await until(
    () => {
      const editor = vscode.window.activeTextEditor;
      const { line: row = -1, character = -1 } = editor?.selection.active ?? {};
      return `${editor?.document.uri.path.split('/').at(-1)}:${row + 1}:${character + 1}`;
    },
    (at) => at === `${file}:${line}:${column}`,
    `cursor at ${file}:${line}:${column}`,
  );
}

/** Waits until the text of the active editor satisfies `accept`, and returns its lines. */
export async function untilEditor(accept: (text: string) => boolean, what: string): Promise<readonly string[]> {
  const text = await until(() => vscode.window.activeTextEditor?.document.getText() ?? '', accept, `editor: ${what}`);
  return text.split('\n');
}

/** Returns the document of the active editor. */
export function activeDocument(): vscode.TextDocument {
  const { activeTextEditor } = vscode.window;
  assert.ok(activeTextEditor !== undefined, 'no editor is active');
  return activeTextEditor.document;
}

/** Returns the titles of the code lenses of a document. */
export async function lensesOf(document: vscode.TextDocument): Promise<readonly string[]> {
  return (await codeLenses(document)).map(({ command }) => command?.title ?? '');
}

/** Clicks the first code lens of a document that contains a text. */
export async function clickLens(document: vscode.TextDocument, text: string): Promise<void> {
  const command = (await codeLenses(document)).find((one) => one.command?.title.includes(text) === true)?.command;
  assert.ok(command, `no code lens with “${text}”`);
  start(vscode.commands.executeCommand(command.command, ...(command.arguments ?? [])));
}

async function codeLenses(document: vscode.TextDocument): Promise<readonly vscode.CodeLens[]> {
  const lenses: unknown = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', document.uri, 100);
  assert.ok(Array.isArray(lenses));
  return lenses as readonly vscode.CodeLens[];
}

/** A line of an editor with the mark of an error. */
export interface MarkedLine {
  readonly code: string;
  /** Number of the line (1-based) when it was marked. */
  readonly line: number;
  /** Text at the end of the line; empty if there is none. */
  readonly text: string;
  readonly hasIcon: boolean;
  /** Hover as Markdown. */
  readonly hover: vscode.MarkdownString | undefined;
}

/** Returns the lines of visible editors of a document that the extension has marked, from the top. */
export function markedLines(document: vscode.TextDocument): readonly MarkedLine[] {
  const marked = new Map<number, MarkedLine>();
  for (const { type, options } of decorationsOf(document))
    for (const { code, range, hoverMessage, renderOptions } of options) {
      const line = range.start.line + 1;
      const hover = hoverMessage instanceof vscode.MarkdownString ? hoverMessage : undefined;
      const known = marked.get(line);
      marked.set(line, {
        ...{ code, line },
        text: type.after === undefined ? (known?.text ?? '') : (renderOptions?.after?.contentText ?? ''),
        hasIcon: known?.hasIcon === true || type.light?.gutterIconPath !== undefined,
        hover: hover ?? known?.hover,
      });
    }
  return [...marked.values()].toSorted((one, other) => one.line - other.line);
}

/** Returns the types of all errors that are marked in a document, in alphabetical order. Each must end with `Error`. */
export function errorTypesIn(document: vscode.TextDocument): readonly string[] {
  const hovers = markedLines(document).flatMap(({ hover }) => (hover === undefined ? [] : [textOfMarkdown(hover)]));
  return hovers.flatMap((text) => [...text.matchAll(/\*\*(\w+Error)\b/g)].map(([, type = '']) => type)).toSorted();
}

/** Clicks a link to a command in a hover or another Markdown text, which must allow that command. */
export function clickLink(markdown: vscode.MarkdownString, name: string): void {
  const target = markdown.value.split(`[${name}](`)[1]?.split(')')[0] ?? '';
  const [, command = '', values = ''] = /^command:([^?]*)\??(.*)$/.exec(target) ?? [];
  assert.ok(command !== '', `no link “${name}” to a command: ${markdown.value}`);
  const { isTrusted = false } = markdown;
  assert.ok(typeof isTrusted === 'object' ? isTrusted.enabledCommands.includes(command) : isTrusted, `${command} is not allowed`);
  const given: unknown = values === '' ? [] : JSON.parse(decodeURIComponent(values));
  start(vscode.commands.executeCommand(command, ...(Array.isArray(given) ? given : [given])));
}

/** The panel of an error as its page knows it. */
export interface ErrorPage {
  readonly title: () => string;
  readonly send: (message: FromPage) => void;
  /** Returns all messages to the page, oldest first. */
  readonly messages: () => readonly ToPage[];
  /** Waits until the page shows the error in a state that satisfies `accept`. */
  readonly untilShown: (accept: (state: ReadyState) => boolean, what: string) => Promise<ReadyState>;
  readonly close: () => void;
}

/** Waits for the panel of an error whose title contains a text, and lets its page begin. */
export async function errorPage(text: string): Promise<ErrorPage> {
  const panel = await panelOf<ToPage>((title) => title.includes(text), text);
  panel.send({ type: 'ready' });
  return {
    title: panel.title,
    send: panel.send,
    messages: panel.messages,
    close: panel.close,
    untilShown: async (accept, what) => {
      const read = (): ReadyState | undefined => {
        const last = panel.messages().findLast(({ type }) => type === 'state');
        return last?.type === 'state' && last.state.kind === 'ready' ? last.state : undefined;
      };
      const shown = await until(read, (state) => state !== undefined && accept(state), `panel of “${text}”: ${what}`);
      assert.ok(shown);
      return shown;
    },
  };
}
