import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { ClientKey } from '../contract/clientKeys.ts';
import { commands } from '../ids.ts';
import { replacementOf } from './find.ts';
import { editableDocuments } from './needed.ts';
import type { ExplainedDsn } from './problems.ts';
import type { DsnState } from './states.ts';

export interface DsnActionSettings {
  readonly explainAt: (document: vscode.TextDocument, range: vscode.Range) => Promise<ExplainedDsn | undefined>;
  /** Returns the active keys of a project, the newest first. */
  readonly activeKeys: (project: number | string) => Promise<readonly ClientKey[]>;
  /** Returns the key of the current account. */
  readonly account: () => string | undefined;
  /** Returns the project that the folder of a file is a clone of. */
  readonly workspaceProject: (file: vscode.Uri) => ChosenProject | undefined;
}

/** Registers the actions on DSNs: copy, rotate, test, and use a key of this project. */
export function createDsnActions(settings: DsnActionSettings): vscode.Disposable {
  const provider: vscode.CodeActionProvider = {
    provideCodeActions: async (document, range, { diagnostics }) => {
      const explained = await settings.explainAt(document, range);
      if (explained === undefined) return [];
      const own = diagnostics.filter(({ code }) => typeof code === 'string' && code.startsWith('dsn.'));
      return [...(await replacements(settings, document, explained, own)), ...keyActions(explained.state)];
    },
  };
  const { QuickFix, Empty } = vscode.CodeActionKind;
  return vscode.languages.registerCodeActionsProvider(editableDocuments, provider, {
    providedCodeActionKinds: [QuickFix, Empty],
  });
}

/** Returns the fix that uses a key of the project of the folder, or else of the project of the DSN. */
async function replacements(
  { activeKeys, account, workspaceProject }: DsnActionSettings,
  document: vscode.TextDocument,
  { found, range, state, problems }: ExplainedDsn,
  diagnostics: readonly vscode.Diagnostic[],
): Promise<readonly vscode.CodeAction[]> {
  const ofDsn = state.kind === 'key' || state.kind === 'noKey' ? state.project : undefined;
  const project = workspaceProject(document.uri) ?? ofDsn;
  if (project === undefined || state.kind === 'signedOut' || state.kind === 'failed') return [];
  const needsOther = problems.some(({ kind }) => kind !== 'public');
  if (!needsOther) return [];
  const current = account();
  if (current === undefined) return [];
  const [key] = (await activeKeys(project.id ?? project.path)).filter(({ tracker_dsn: dsn }) => dsn !== found.text);
  if (key === undefined) {
    const create = new vscode.CodeAction(l10n.t('Create Client Key of {0}', project.path), vscode.CodeActionKind.QuickFix);
    create.command = commandOf(commands.clientKeysCreate, { project: { account: current, id: project.id, path: project.path } });
    create.diagnostics = [...diagnostics];
    return [create];
  }
  const use = new vscode.CodeAction(l10n.t('Use Client Key {0} of {1}', key.id, project.path), vscode.CodeActionKind.QuickFix);
  use.edit = new vscode.WorkspaceEdit();
  use.edit.replace(document.uri, range, replacementOf(found, key.tracker_dsn));
  use.diagnostics = [...diagnostics];
  use.isPreferred = problems.some(({ isBroken }) => isBroken);
  return [use];
}

/** Returns the actions on the key of a DSN. */
function keyActions(state: DsnState): readonly vscode.CodeAction[] {
  if (state.kind !== 'key') return [];
  const { account, project, key } = state;
  const target = { project: { account, id: project.id, path: project.path }, clientKey: key };
  return [
    [commands.clientKeysRotate, l10n.t('Rotate Client Key…')] as const,
    [commands.clientKeysSendTestError, l10n.t('Send Test Error…')] as const,
    [commands.clientKeysCopyDsn, l10n.t('Copy DSN')] as const,
  ].map(([command, title]) => {
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    action.command = commandOf(command, target);
    return action;
  });
}

function commandOf(command: string, target: object): vscode.Command {
  return { command, title: '', arguments: [target] };
}
