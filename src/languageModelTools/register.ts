import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { isJsonObject, stringMember } from '../contract/json.ts';
import { languageModelTools, type LanguageModelToolName } from '../ids.ts';
import { once } from '../support/once.ts';
import type { RunTool, ToolSettings } from './languageModelTools.ts';

/** Key of the workspace state: true once the user has allowed the tools in this workspace. */
const ALLOWED = 'languageModelTools.areAllowed';

export interface ToolRegistration extends ToolSettings {
  readonly workspaceState: vscode.Memento;
}

/** Registers the tools that package.json contributes. They only read. The user is asked before the first use in a workspace. */
export function registerLanguageModelTools(settings: ToolRegistration): vscode.Disposable {
  const { workspaceState, project } = settings;
  const load = once(async (): Promise<RunTool> => {
    const { createTools } = await import('./languageModelTools.ts');
    return createTools(settings);
  });
  const registered = Object.values(languageModelTools).map((name) =>
    vscode.lm.registerTool<unknown>(name, {
      prepareInvocation: ({ input }) => ({
        invocationMessage: messageOf(name, subjectOf(input, project.get()?.path)),
        ...(workspaceState.get(ALLOWED) === true ? {} : { confirmationMessages: confirmation() }),
      }),
      invoke: async ({ input }, token) => {
        // VS Code calls this only after the user has confirmed.
        await workspaceState.update(ALLOWED, true);
        const abort = new AbortController();
        const subscription = token.onCancellationRequested(() => abort.abort());
        try {
          const text = await (await load())(name, input, abort.signal);
          return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
        } finally {
          subscription.dispose();
        }
      },
    }),
  );
  return vscode.Disposable.from(...registered);
}

function confirmation(): vscode.LanguageModelToolConfirmationMessages {
  return {
    title: l10n.t('Let the language model read from your platform?'),
    message: l10n.t(
      'Signalbox reads errors and activity with your account and passes them to the language model. Nothing is changed. You are asked once for this workspace.',
    ),
  };
}

function messageOf(name: LanguageModelToolName, subject: string): string {
  switch (name) {
    case languageModelTools.listErrors:
      return l10n.t('Reading the errors of {0}', subject);
    case languageModelTools.showError:
      return l10n.t('Reading an error of {0}', subject);
    case languageModelTools.explainGrouping:
      return l10n.t('Reading how an error of {0} is grouped', subject);
    case languageModelTools.listActivity:
      return l10n.t('Reading activity');
  }
}

function subjectOf(input: unknown, selected: string | undefined): string {
  const given = isJsonObject(input) ? stringMember(input, 'project') : undefined;
  return given ?? selected ?? l10n.t('the selected project');
}
