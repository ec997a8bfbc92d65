import * as vscode from 'vscode';
import { linkTo } from '../errorTracking/target.ts';
import { commands } from '../ids.ts';
import type { Mark } from './marks.ts';
import { showsLenses } from './needed.ts';
import { lensText } from './texts.ts';

/** Code lenses above marked lines, if the setting is on. */
export interface Lenses extends vscode.Disposable {
  /** Must be called when marks or the setting have changed. */
  readonly refresh: () => void;
}

/** Maximum number of lenses above a line. */
const MAX_LENSES = 3;

export function createLenses(marksOf: (document: vscode.TextDocument) => readonly Mark[]): Lenses {
  const changes = new vscode.EventEmitter<void>();
  let registered: vscode.Disposable | undefined;

  function register(): vscode.Disposable {
    return vscode.languages.registerCodeLensProvider(
      { pattern: '**' },
      {
        onDidChangeCodeLenses: changes.event,
        provideCodeLenses: (document) =>
          marksOf(document).flatMap(({ line, errors }) => {
            const shown = errors.slice(0, MAX_LENSES);
            return shown.map((marked) => {
              const title = lensText(marked.error, shown.length, vscode.env.language);
              const command = { command: commands.errorTrackingShow, title, arguments: [linkTo(marked)] };
              return new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command);
            });
          }),
      },
    );
  }

  return {
    refresh: () => {
      if (showsLenses()) {
        registered ??= register();
        changes.fire();
      } else {
        registered?.dispose();
        registered = undefined;
      }
    },
    dispose: () => {
      registered?.dispose();
      changes.dispose();
    },
  };
}
