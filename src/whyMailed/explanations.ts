import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { DOCUMENT_SCHEME } from '../activity/documentAddress.ts';
import type { Documents } from '../activity/documents.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { type Explanation, explain } from './load.ts';
import { type MailQuestion, parametersOf, readQuestion } from './question.ts';
import { isApplicable } from './requests.ts';

/** Documents that explain why the user was mailed or would be. */
export interface Explanations extends vscode.Disposable {
  readonly open: (question: MailQuestion, title: string) => Promise<void>;
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

  documents.add(KIND, async (client, parameters, uri) => {
    const question = readQuestion(parameters);
    const state = connection.state();
    if (question === undefined || state.kind !== 'signedIn') return { text: l10n.t("Signalbox can't open this address.") };
    const explanation = await explain(client, question, state.account.id, vscode.env.language);
    explanations.set(uri.toString(), explanation);
    lensChanges.fire();
    return explanation;
  });
  const lenses = vscode.languages.registerCodeLensProvider(
    { scheme: DOCUMENT_SCHEME },
    {
      onDidChangeCodeLenses: lensChanges.event,
      provideCodeLenses: ({ uri }) => lensesOf(uri, explanations.get(uri.toString())),
    },
  );
  const closing = vscode.workspace.onDidCloseTextDocument(({ uri, isClosed }) => {
    // VS Code also reports a change of the language, which follows the opening of each document.
    if (isClosed) explanations.delete(uri.toString());
  });

  return {
    open: (question, title) => documents.openOther({ kind: KIND, title, parameters: parametersOf(question) }),
    get: (uri) => explanations.get(uri.toString()),
    refresh: documents.refresh,
    dispose: () => {
      lenses.dispose();
      closing.dispose();
      lensChanges.dispose();
    },
  };
}

function lensesOf(uri: vscode.Uri, explanation: Explanation | undefined): vscode.CodeLens[] {
  return (explanation?.remedies ?? []).flatMap(({ remedy, sentence, line }, index) => {
    if (!isApplicable(remedy, explanation?.thread)) return [];
    const command = {
      command: commands.whyMailedChange,
      title: l10n.t('Apply'),
      tooltip: sentence,
      arguments: [uri, index],
    };
    return [new vscode.CodeLens(new vscode.Range(line, 0, line, 0), command)];
  });
}
