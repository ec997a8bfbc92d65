import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { MAX_TITLE } from './issueText.ts';

/** Returns undefined if the user dismissed the question. */
export async function askIssueTitle(suggested: string): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({
    title: l10n.t('Create Issue'),
    prompt: l10n.t('Title of the issue. Its description has the stack trace, and a link to the error.'),
    value: suggested,
    validateInput: (value) =>
      value.trim() === ''
        ? l10n.t('Enter a title')
        : value.trim().length > MAX_TITLE
          ? l10n.t('Enter at most {0} characters', MAX_TITLE)
          : undefined,
  });
  return text?.trim();
}

/** Returns null to remove the link, and undefined if the user dismissed the question. */
export async function askIssueNumber(current: number | undefined): Promise<number | null | undefined> {
  const text = await vscode.window.showInputBox({
    title: l10n.t('Link Issue'),
    prompt: l10n.t('Number of an issue of the same project. Leave empty to remove the link.'),
    value: current === undefined ? '' : String(current),
    validateInput: (value) =>
      /^#?[1-9]\d{0,8}$/.test(value.trim()) || value.trim() === '' ? undefined : l10n.t('Enter the number of an issue'),
  });
  if (text === undefined) return undefined;
  const number = text.trim().replace(/^#/, '');
  return number === '' ? null : Number(number);
}
