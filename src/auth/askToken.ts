import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Reached } from '../instances/instances.ts';
import { askInInputBox } from '../ui/inputBox.ts';
import { newTokenPage } from './newTokenPage.ts';

/** Asks for a personal access token until `check` accepts one or the user cancels, with a button for the page that creates one. */
export async function askToken(
  { instance, baseUrl }: Reached,
  check: (token: string) => Promise<string | undefined>,
): Promise<void> {
  await askInInputBox({
    title: l10n.t('Sign In to {0}', instance.label),
    prompt: l10n.t(
      "Enter a personal access token, or [create one in the browser]({0}). It is kept in the editor's secret storage and never renewed.",
      newTokenPage(baseUrl),
    ),
    isPassword: true,
    buttons: [
      {
        iconPath: new vscode.ThemeIcon('link-external'),
        tooltip: l10n.t('Create a Token in the Browser'),
        press: () => vscode.env.openExternal(vscode.Uri.parse(newTokenPage(baseUrl), true)),
      },
    ],
    check: async (text) => {
      const token = text.trim();
      if (token === '') return { kind: 'refused', text: l10n.t('Enter a token, or create one in the browser') };
      const problem = await check(token);
      return problem === undefined ? { kind: 'accepted' } : { kind: 'refused', text: problem };
    },
  });
}
