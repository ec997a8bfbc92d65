import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { activeDocument } from '../activity/activeDocument.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import { DOCUMENT_SCHEME, type DocumentAddress, documentOfEvent, readDocumentUri } from '../activity/documentAddress.ts';
import type { ActivityRow } from '../activity/rows.ts';
import type { Client } from '../api/client.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import type { NotificationEvent } from '../contract/notifications.ts';
import { accountOf } from '../instances/accountKey.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import type { MailRow } from '../mailbox/rows.ts';
import type { NotificationRow } from '../notifications/rows.ts';
import { formatEvent } from '../notifications/texts.ts';
import { showingFailures } from '../notifications/write.ts';
import { chooseProject } from '../projects/choose.ts';
import { chooseEvent, chooseThread } from './choose.ts';
import { eventOfActivity, threadTypesOf } from './events.ts';
import type { Explanations } from './explanations.ts';
import type { Thread } from './question.ts';
import { findNotificationEvent } from './requests.ts';

/** Rows that events are explained for: those of activity, and those of projects in the Notifications view. */
export type ExplainedRow = ActivityRow | NotificationRow;

export interface AskSettings {
  readonly explanations: Explanations;
  readonly connection: Connection;
  readonly project: CurrentProject;
}

/** Project and thread of a row or of an open document, which are not asked for. */
interface Given {
  readonly project: number | string;
  readonly thread: Thread | undefined;
}

/** Explains a mail. */
export async function explainMail({ explanations, connection }: AskSettings, row: MailRow | undefined): Promise<void> {
  const id = row?.kind === 'mail' ? row.mail.notification_event_id : null;
  if (id === null || row === undefined) {
    void vscode.window.showInformationMessage(l10n.t('This mail is not a notification.'));
    return;
  }
  const account = connection.bound(accountOf(row.id) ?? '');
  await explanations.open({ kind: 'happened', id }, l10n.t('Why Was I Mailed?'), account);
}

/** Explains the event of a row, of the active document, or one that the user selects. */
export async function explainEvent(settings: AskSettings, target: ExplainedRow | vscode.Uri | undefined): Promise<void> {
  await showingFailures(async () => {
    if (target !== undefined && !(target instanceof vscode.Uri)) {
      const account = settings.connection.bound(accountOf(target.id) ?? '');
      if (target.kind === 'scope') await ask(settings, projectOf(target), undefined, account);
      else if (target.kind === 'event' && typeof target.event === 'object')
        await explainActivity(settings, target.event, account);
      return;
    }
    const uri = target ?? activeDocument();
    const address = uri?.scheme === DOCUMENT_SCHEME ? readDocumentUri(uri) : undefined;
    const account = address === undefined ? undefined : settings.connection.bound(address.account);
    await ask(settings, threadOfDocument(address), undefined, account);
  });
}

async function explainActivity(settings: AskSettings, activity: ActivityEvent, account: BoundAccount): Promise<void> {
  const given = threadOfDocument(documentOfEvent('', activity));
  if (given === undefined) return;
  const event = eventOfActivity(activity);
  const id = event === undefined ? undefined : await findNotificationEvent(account.client(), { event, ...given, activity });
  if (id !== undefined) await settings.explanations.open({ kind: 'happened', id }, l10n.t('Why Was I Mailed?'), account);
  else await ask(settings, given, event, account);
}

/** Asks for everything that is not given, then opens the explanation. Without an account, that is the current one. */
async function ask(
  { explanations, connection, project }: AskSettings,
  given: Given | undefined,
  givenEvent: NotificationEvent | undefined,
  account: BoundAccount | undefined,
): Promise<void> {
  const title = l10n.t('Why Would I Be Mailed?');
  const known = given === undefined ? undefined : { ...knownProject(given.project), ...(account && { account: account.key }) };
  const picked = await chooseProject(connection, title, known, project.get());
  if (picked === undefined) return;
  const event = givenEvent ?? (await chooseEvent(title, given?.thread));
  if (event === undefined) return;
  const thread = await threadOf(picked.client, title, picked.project, event, given?.thread);
  if (thread === 'canceled') return;
  await explanations.open(
    { kind: 'possible', event, project: picked.project, thread },
    [l10n.t('Would I Be Mailed?'), formatEvent(event)].join(' '),
    picked.account,
  );
}

async function threadOf(
  client: Client,
  title: string,
  projectId: number | string,
  event: NotificationEvent,
  given: Thread | undefined,
): Promise<Thread | undefined | 'canceled'> {
  if (given !== undefined || threadTypesOf(event).length === 0) return given;
  const chosen = await chooseThread(client, title, projectId, event);
  return chosen === undefined ? 'canceled' : chosen.thread;
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
