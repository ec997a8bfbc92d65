// Results of language model tools. They are a separate bundle, which is loaded when a tool is first used.
import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import type { ShownFrame } from '../contract/errorDetail.ts';
import { fileOfFrame, findGoModules } from '../errorCode/frameFiles.ts';
import { createResourceChoice } from '../errorTracking/sources.ts';
import type { LanguageModelToolName } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { useTranslations } from '../support/translations.ts';
import { tools } from './run.ts';
import type { FrameCode } from './texts.ts';

/** Lines of the workspace to show before and after the line of a frame. */
const CONTEXT_LINES = 5;

export interface ToolSettings {
  readonly connection: Connection;
  readonly project: CurrentProject;
}

export type RunTool = (name: LanguageModelToolName, input: unknown, signal: AbortSignal) => Promise<string>;

/** Returns the function that runs a tool with the signed-in account. */
export function createTools({ connection, project }: ToolSettings): RunTool {
  useTranslations();
  const choice = createResourceChoice();
  return async (name, input, signal) => {
    const account = connection.current();
    if (account === undefined) throw new Error('Nobody is signed in to Signalbox. Ask the user to run "Signalbox: Sign In".');
    const current = project.get();
    const target = current === undefined ? undefined : { id: current.id ?? current.path, path: current.path };
    const client = account.client();
    return tools[name]({ client, choice, project: target, codeOf, now: () => new Date() }, input, signal);
  };
}

/** Reads the code around a frame if exactly one file of the workspace matches it. */
async function codeOf(frame: ShownFrame): Promise<FrameCode | undefined> {
  const { filename, absPath, module, line } = frame;
  if (line === null) return undefined;
  const match = await fileOfFrame({ filename, absPath, module }, [], findGoModules, () => true);
  if (match.kind !== 'file') return undefined;
  const { file } = match;
  const document = await vscode.workspace.openTextDocument(file);
  const first = Math.max(1, line - CONTEXT_LINES);
  const last = Math.min(document.lineCount, line + CONTEXT_LINES);
  if (first > last) return undefined;
  const numbers = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const lines = numbers.map((number) => ({ line: number, text: document.lineAt(number - 1).text }));
  return { file: vscode.workspace.asRelativePath(file), line, lines };
}
