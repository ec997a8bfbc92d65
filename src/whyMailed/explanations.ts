import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DOCUMENT_SCHEME } from '../activity/documentAddress.ts';
import { withReader } from '../activity/documentContent.ts';
import type { Documents } from '../activity/documents.ts';
import { commands } from '../ids.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import type { Explanation } from './load.ts';
import { type MailQuestion, parametersOf, readQuestion } from './question.ts';
import { isApplicable } from './requests.ts';

/** Documents that explain why the user was mailed or would be. */
export interface Explanations extends vscode.Disposable {
  readonly open: (question: MailQuestion, title: string, account: BoundAccount) => Promise<void>;
  /** Returns the explanation that an open document shows. */
  readonly get: (uri: vscode.Uri) => Explanation | undefined;
  /** Loads the explanation of a document again. */
  readonly refresh: (uri: vscode.Uri) => void;
}

/** Kind of the documents. */
const KIND = 'whyMailed';

/** Adds the documents, with a code lens for each change that can be made. */
export function createExplanations(connection: Connection, documents: Documents): Explanations {
  /** Explanations by document. */
  const explanations = new Map<string, Explanation>();
  const lensChanges = new vscode.EventEmitter<void>();

  documents.add(KIND, async (account, parameters, uri) => {
    const question = readQuestion(parameters);
    if (question === undefined) return { text: l10n.t("Signalbox can't open this address.") };
    const { explainMail } = await import('./whyMailed.ts');
    const explanation = await explainMail(account.client(), question, account.userId, vscode.env.language);
    explanations.set(uri.toString(), explanation);
    lensChanges.fire();
    return { ...explanation, text: withReader(explanation.text, account) };
  });
  const lenses = vscode.languages.registerCodeLensProvider(
    { scheme: DOCUMENT_SCHEME },
    {
      onDidChangeCodeLenses: lensChanges.event,
      provideCodeLenses: ({ uri }) => {
        const explanation = explanations.get(uri.toString());
        return explanation === undefined ? [] : lensesOf(uri, explanation, documents.accountOf(uri));
      },
    },
  );
  const connecting = connection.onDidChangeAccounts(() => lensChanges.fire());
  const closing = vscode.workspace.onDidCloseTextDocument(({ uri, isClosed }) => {
    // VS Code also reports a change of the language, which follows the opening of each document.
    if (isClosed) explanations.delete(uri.toString());
  });

  return {
    open: (question, title, account) => documents.openOther({ kind: KIND, title, parameters: parametersOf(question) }, account),
    get: (uri) => explanations.get(uri.toString()),
    refresh: documents.refresh,
    dispose: () => {
      lenses.dispose();
      connecting.dispose();
      closing.dispose();
      lensChanges.dispose();
    },
  };
}

function lensesOf(uri: vscode.Uri, { remedies, thread }: Explanation, account: BoundAccount): vscode.CodeLens[] {
  const problem = account.problem();
  const readOnly = account.readOnly();
  return remedies.flatMap(({ remedy, sentence, line }, index) => {
    if (!isApplicable(remedy, thread)) return [];
    const command =
      problem === undefined && readOnly !== undefined
        ? { command: commands.signInAgain, title: readOnly.message, arguments: [account.key] }
        : problem === undefined
          ? {
              command: commands.whyMailedChange,
              title: account.named(l10n.t('Apply')),
              tooltip: sentence,
              arguments: [uri, index],
            }
          : // A lens without a command cannot be clicked.
            { command: '', title: problem };
    return [new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command)];
  });
}
