import path from 'node:path';
import * as vscode from 'vscode';
import { LANGUAGES, type Language, languageData, languagesOf } from './languages.ts';

/** Maximum number of files of all languages that are looked at. */
const MAX_FILES = 50;

/** Returns the languages of the programs in the open folders, by their package files. */
export async function workspaceLanguages(): Promise<readonly Language[]> {
  const names = LANGUAGES.flatMap((language) => languageData[language].files);
  const excluded = '**/{node_modules,vendor,target,.venv,venv,dist,build}/**';
  const files = await vscode.workspace.findFiles(`**/{${names.join(',')}}`, excluded, MAX_FILES);
  return languagesOf(files.map((file) => path.posix.basename(file.path)));
}
