import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import { DOCUMENT_SCHEME, type DocumentAddress, documentOfEvent, readDocumentUri } from '../activity/documentAddress.ts';
import type { Documents } from '../activity/documents.ts';
import type { ActivityRow } from '../activity/rows.ts';
import type { Client } from '../api/client.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import type { Remedy } from '../contract/notificationDecisions.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import type { MailRow } from '../mailbox/rows.ts';
import type { NotificationRow } from '../notifications/rows.ts';
import { formatEvent } from '../notifications/texts.ts';
import type { Notifications } from '../notifications/view.ts';
import { offerUndo, showingFailures, writeChanges } from '../notifications/write.ts';
import { chooseProject } from '../projects/choose.ts';
import { chooseEvent, chooseThread } from './choose.ts';
import { eventOfActivity, threadTypesOf } from './events.ts';
import { type Explanation, explain } from './load.ts';
import { type MailQuestion, parametersOf, readQuestion, type Thread } from './question.ts';
import { changeSubscription, findNotificationEvent, isApplicable, planRemedy } from './requests.ts';

export interface WhyMailedSettings {
  readonly connection: Connection;
  readonly documents: Documents;
  readonly project: CurrentProject;
  /** Returns the Notifications view, which makes changes of settings and undoes them. */
  readonly notifications: () => Notifications;
  /** Returns the mail row that a command without a row applies to. */
  readonly selectedMail: () => MailRow | undefined;
}

/** Kind of the documents. */
const KIND = 'whyMailed';

/** Rows that events are explained for: those of activity, and those of projects in the Notifications view. */
type ExplainedRow = ActivityRow | NotificationRow;

/** Project and thread of a row or of an open document, which are not asked for. */
interface Given {
  readonly project: number | string;
  readonly thread: Thread | undefined;
}

/** Creates the commands that explain why the user was mailed or would be, and the documents with the explanations. */
export function createWhyMailed(settings: WhyMailedSettings) {
  const { connection, documents, project } = settings;
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

  async function open(question: MailQuestion, title: string): Promise<void> {
    await documents.openOther({ kind: KIND, title, parameters: parametersOf(question) });
  }

  /** Explains a mail. */
  async function explainMail(row: MailRow | undefined): Promise<void> {
    const target = row ?? settings.selectedMail();
    const id = target?.kind === 'mail' ? target.mail.notification_event_id : null;
    if (id === null) {
      void vscode.window.showInformationMessage(l10n.t('This mail is not a notification.'));
      return;
    }
    await open({ kind: 'happened', id }, l10n.t('Why Was I Mailed?'));
  }

  /** Explains the event of a row, of the active document, or one that the user selects. */
  async function explainAny(target: ExplainedRow | vscode.Uri | undefined): Promise<void> {
    await showingFailures(async () => {
      if (target !== undefined && !(target instanceof vscode.Uri)) {
        if (target.kind === 'scope') await ask(projectOf(target), undefined);
        else if (target.kind === 'event' && typeof target.event === 'object') await explainActivity(target.event);
        return;
      }
      const uri = target ?? vscode.window.activeTextEditor?.document.uri;
      await ask(uri?.scheme === DOCUMENT_SCHEME ? threadOfDocument(readDocumentUri(uri)) : undefined, undefined);
    });
  }

  async function explainActivity(activity: ActivityEvent): Promise<void> {
    const client = connection.client();
    const given = threadOfDocument(documentOfEvent('', activity));
    if (client === undefined || given === undefined) return;
    const event = eventOfActivity(activity);
    const id = event === undefined ? undefined : await findNotificationEvent(client, { event, ...given, activity });
    if (id !== undefined) await open({ kind: 'happened', id }, l10n.t('Why Was I Mailed?'));
    else await ask(given, event);
  }

  /** Asks for everything that is not given, then opens the explanation. */
  async function ask(given: Given | undefined, givenEvent: ReturnType<typeof eventOfActivity>): Promise<void> {
    const title = l10n.t('Why Would I Be Mailed?');
    const known = given === undefined ? undefined : knownProject(given.project);
    const picked = await chooseProject(connection, title, known, project.get());
    if (picked === undefined) return;
    const event = givenEvent ?? (await chooseEvent(title, given?.thread));
    if (event === undefined) return;
    const thread = await threadOf(picked.client, title, picked.project, event, given?.thread);
    if (thread === 'canceled') return;
    await open(
      { kind: 'possible', event, project: picked.project, thread },
      [l10n.t('Would I Be Mailed?'), formatEvent(event)].join(' '),
    );
  }

  async function threadOf(
    client: Client,
    title: string,
    projectId: number | string,
    event: NonNullable<ReturnType<typeof eventOfActivity>>,
    given: Thread | undefined,
  ): Promise<Thread | undefined | 'canceled'> {
    if (given !== undefined || threadTypesOf(event).length === 0) return given;
    const chosen = await chooseThread(client, title, projectId, event);
    return chosen === undefined ? 'canceled' : chosen.thread;
  }

  /** Applies a remedy of an explanation. Without an index, the user selects one. */
  async function change(target: vscode.Uri | undefined, index: number | undefined): Promise<void> {
    const uri = target ?? vscode.window.activeTextEditor?.document.uri;
    const explanation = uri && explanations.get(uri.toString());
    const client = connection.client();
    if (uri === undefined || explanation === undefined || client === undefined) {
      void vscode.window.showInformationMessage(l10n.t('Open an explanation with “Why Would I Be Mailed?” first.'));
      return;
    }
    const possible = explanation.remedies.filter(({ remedy }) => isApplicable(remedy, explanation.thread));
    if (possible.length === 0) {
      void vscode.window.showInformationMessage(l10n.t('Nothing that would change this can be done here.'));
      return;
    }
    const chosen =
      index === undefined
        ? await vscode.window.showQuickPick(
            possible.map((one) => ({ ...one, label: one.sentence })),
            { title: l10n.t('Change Whether I Am Mailed'), placeHolder: l10n.t('Select a change') },
          )
        : explanation.remedies[index];
    if (chosen === undefined) return;
    await showingFailures(async () => {
      const isDone = await apply(client, chosen.remedy, explanation);
      documents.refresh(uri);
      const text = l10n.t('Done: {0}', chosen.sentence);
      if (isDone === 'undoable') await offerUndo(text);
      else if (isDone === 'done') void vscode.window.showInformationMessage(text);
    });
  }

  /** Applies a remedy. Failures of settings are shown; others reject with an `ApiFailure`. */
  async function apply(
    client: Client,
    remedy: Remedy,
    { project: projectId, thread }: Explanation,
  ): Promise<'undoable' | 'done' | 'failed'> {
    if (remedy.kind === 'set_level' || remedy.kind === 'set_event') {
      const view = settings.notifications();
      const signedIn = await view.signedIn();
      if (signedIn === undefined) return 'failed';
      const planned = await planRemedy(client, signedIn.api, remedy);
      return (await writeChanges(view, signedIn, [planned])) ? 'undoable' : 'failed';
    }
    const isSubscription = remedy.kind === 'subscribe' || remedy.kind === 'unsubscribe';
    if (!isSubscription || projectId === undefined || thread === undefined) return 'failed';
    await changeSubscription(client, remedy.kind, projectId, thread);
    return 'done';
  }

  const lenses = vscode.languages.registerCodeLensProvider(
    { scheme: DOCUMENT_SCHEME },
    {
      onDidChangeCodeLenses: lensChanges.event,
      provideCodeLenses: ({ uri }) => {
        const explanation = explanations.get(uri.toString());
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
      },
    },
  );

  const closing = vscode.workspace.onDidCloseTextDocument(({ uri, isClosed }) => {
    // VS Code also reports a change of the language, which follows the opening of each document.
    if (isClosed) explanations.delete(uri.toString());
  });

  return {
    dispose: () => {
      lenses.dispose();
      closing.dispose();
      lensChanges.dispose();
    },
    commands: {
      [commands.whyMailedExplain]: (target?: ExplainedRow | vscode.Uri) => explainAny(target),
      [commands.whyMailedExplainMail]: (row?: MailRow) => explainMail(row),
      [commands.whyMailedChange]: (target?: vscode.Uri, index?: number) =>
        change(target instanceof vscode.Uri ? target : undefined, typeof index === 'number' ? index : undefined),
    },
  };
}

/** Returns the project of a row of the Notifications view; undefined for other rows. */
function projectOf({ scope }: NotificationRow & { readonly kind: 'scope' }): Given | undefined {
  return scope.kind === 'project' ? { project: scope.id ?? scope.path, thread: undefined } : undefined;
}

/** Returns a project that is not asked for. Its path is used only if its ID is unknown. */
function knownProject(project: number | string): { readonly id: number | undefined; readonly path: string } {
  return typeof project === 'number' ? { id: project, path: '' } : { id: undefined, path: project };
}

/** Returns the issue or merge request of a document. */
function threadOfDocument(
  address: DocumentAddress | undefined,
): (Given & { readonly project: number; readonly thread: Thread }) | undefined {
  if (address === undefined || address.kind === 'event' || address.kind === 'commit') return undefined;
  const { kind, project, iid } = address;
  return { project, thread: { type: kind === 'issue' ? 'Issue' : 'MergeRequest', iid } };
}
