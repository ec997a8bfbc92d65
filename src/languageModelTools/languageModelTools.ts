// Results of language model tools. They are a separate bundle, which is loaded when a tool is first used.
import type { CurrentProject } from '../activity/currentProject.ts';
import type { ErrorCode } from '../errorCode/code.ts';
import { createResourceChoice } from '../errorTracking/sources.ts';
import type { LanguageModelToolName } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { useTranslations } from '../support/translations.ts';
import { type ToolContext, tools } from './run.ts';

export interface ToolSettings {
  readonly connection: Connection;
  readonly project: CurrentProject;
  /** Returns the code in the workspace, which is loaded on the first call. */
  readonly code: () => Promise<ErrorCode>;
}

export type RunTool = (name: LanguageModelToolName, input: unknown, signal: AbortSignal) => Promise<string>;

/** Returns the function that runs a tool with the signed-in account. */
export function createTools({ connection, project, code }: ToolSettings): RunTool {
  useTranslations();
  const choice = createResourceChoice();
  return async (name, input, signal) => {
    const account = connection.current();
    if (account === undefined) throw new Error('Nobody is signed in to Signalbox. Ask the user to run "Signalbox: Sign In".');
    const current = project.get();
    const target = current === undefined ? undefined : { id: current.id ?? current.path, path: current.path };
    const client = account.client();
    const codeOf: ToolContext['codeOf'] = async (of, frame) => (await code()).codeToShare({ ...of, account: account.key }, frame);
    return tools[name]({ client, choice, project: target, codeOf, now: () => new Date() }, input, signal);
  };
}
