import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { chooseNext, type StepResult } from '../ui/steps.ts';
import { LANGUAGES, type Language, languageData, languagesOf } from './languages.ts';

/** Maximum number of files of all languages that are looked at. */
const MAX_FILES = 50;

export interface LanguageQuestion {
  readonly title: string;
  readonly placeholder: string;
  readonly canGoBack: boolean;
}

/** Lets the user select the language of a program; those of the open folders come first. */
export async function chooseLanguage(question: LanguageQuestion): Promise<StepResult<Language>> {
  const ofWorkspace = await workspaceLanguages();
  const ordered = [...ofWorkspace, ...LANGUAGES.filter((language) => !ofWorkspace.includes(language))];
  return chooseNext<Language>({
    ...question,
    focused: ordered[0] ?? 'node',
    choices: ordered.map((value) => ({
      value,
      label: languageData[value].label,
      description: ofWorkspace.includes(value) ? l10n.t('in this workspace') : '',
    })),
  });
}

/** Returns the languages of the programs in the open folders, by their package files. */
async function workspaceLanguages(): Promise<readonly Language[]> {
  const names = LANGUAGES.flatMap((language) => languageData[language].files);
  const excluded = '**/{node_modules,vendor,target,.venv,venv,dist,build}/**';
  const files = await vscode.workspace.findFiles(`**/{${names.join(',')}}`, excluded, MAX_FILES);
  return languagesOf(files.map((file) => path.posix.basename(file.path)));
}
